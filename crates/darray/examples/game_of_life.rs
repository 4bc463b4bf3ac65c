//! Conway's Game of Life, with masks in an index.

use darray::{DArray, default_rng, s};

/// `n` by `n` cells of which two in five live, within a border that stays empty.
pub fn cells(n: usize) -> DArray<i32> {
    let cells = DArray::zeros((n + 2, n + 2));
    cells.slice(s![1..-1, 1..-1]).assign(default_rng(77).random((n, n)).lt(0.4).cast::<i32>());
    cells
}

/// One generation.
pub fn step(z: &DArray<i32>) {
    let neighbours = z.slice(s![..-2, ..-2])
        + z.slice(s![..-2, 1..-1])
        + z.slice(s![..-2, 2..])
        + z.slice(s![1..-1, ..-2])
        + z.slice(s![1..-1, 2..])
        + z.slice(s![2.., ..-2])
        + z.slice(s![2.., 1..-1])
        + z.slice(s![2.., 2..]);
    let inner = z.slice(s![1..-1, 1..-1]);
    let birth = neighbours.eq(3) & inner.eq(0);
    let survives = (neighbours.eq(2) | neighbours.eq(3)) & inner.eq(1);
    z.assign(0);
    inner.slice(birth | survives).assign(1);
}

#[allow(dead_code)]
fn main() {
    // A glider, which is one cell further down and to the right after four generations.
    let z = DArray::<i32>::zeros((12, 12));
    let glider = DArray::<i32>::array([[0, 1, 0], [0, 0, 1], [1, 1, 1]]);
    z.slice(s![1..4, 1..4]).assign(&glider);
    (0..20).for_each(|_| step(&z));
    println!("{z}");
    assert!(z.slice(s![6..9, 6..9]).array_equal(&glider).item() && z.sum(..).item() == 5);
}
