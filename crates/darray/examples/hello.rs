//! A first look: arrays, views, reductions.

use darray::{DArray, s};

fn main() {
    let x = DArray::<f64>::arange(12).reshape((3, 4));
    let y = 2.0 * &x + 1.0;
    println!("y =\n{y}");

    // Views write through, as NumPy's do.
    y.slice(s![.., ..;-2]).assign(0.0);
    println!("y with every second column cleared =\n{y}");

    // Nothing ran until a value was asked for; then everything above ran fused.
    let mean = y.sum(..) / y.len() as f64;
    println!("mean = {}", mean.item());
    assert_eq!(mean.item(), 66.0 / 12.0);
}
