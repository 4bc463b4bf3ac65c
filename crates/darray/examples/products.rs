//! Long vectors: a sum, a dot product, and a product of complex numbers.

use darray::{ComplexPart, DArray, Float, Number, default_rng};

/// Two random vectors.
pub fn vectors<T: Float>(n: usize) -> (DArray<T>, DArray<T>) {
    let mut random = default_rng(29);
    (random.random(n).cast(), random.random(n).cast())
}

/// The sum of the elements.
pub fn sum<T: Float>(x: &DArray<T>) -> DArray<T> {
    x.sum(..)
}

/// The sum of the products.
pub fn dot<T: Float>(x: &DArray<T>, y: &DArray<T>) -> DArray<T> {
    x.dot(y)
}

/// Three vectors of random complex numbers.
pub fn complex_vectors<T: ComplexPart>(n: usize) -> [DArray<T::WithComplex>; 3] {
    let mut random = default_rng(29);
    let mut part = || random.random(n).cast::<T>();
    [(); 3].map(|()| DArray::from_parts(part(), part()))
}

/// The products and a third vector.
pub fn product_and_sum<Z: Number>([z, w, c]: [&DArray<Z>; 3]) -> DArray<Z> {
    z * w + c
}

#[allow(dead_code)]
fn main() {
    let n = 100_000;
    let (x, y) = vectors::<f64>(n);
    let (mean, product) = (sum(&x).item() / n as f64, dot(&x, &y).item() / n as f64);
    println!("mean {mean:.4}, mean of the products {product:.4}");

    let [z, w, c] = complex_vectors::<f64>(n);
    let complex = product_and_sum([&z, &w, &c]).mean(..).item();
    println!("mean of complex products and numbers {complex:.4}");

    // Uniform in [0, 1), and independent.
    assert!((mean - 0.5).abs() < 0.01 && (product - 0.25).abs() < 0.01);
    assert!((complex.re - 0.5).abs() < 0.01 && (complex.im - 1.0).abs() < 0.01);
}
