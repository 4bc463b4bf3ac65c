//! Grids of pixels and cells, and Fourier transforms, element by element.

use super::{Float, Plane, real, wides};

/// An image of `side` rows without its outliers, so many times.
pub(crate) fn filter5x5<T: Float>(image: Vec<T>, side: usize, iterations: usize) -> Vec<Vec<f64>> {
    let mut image = Plane { width: side, cells: image };
    for _ in 0..iterations {
        let old = image.clone();
        for y in 0..side {
            for x in 0..side {
                let (mut sum, mut squares) = (T::zero(), T::zero());
                for (down, right) in (0..5).flat_map(|down| (0..5).map(move |right| (down, right)))
                {
                    let near = |at: usize, offset: usize| (at + offset).clamp(2, side + 1) - 2;
                    let pixel = old[[near(y, down), near(x, right)]];
                    sum = sum + pixel;
                    squares = squares + pixel * pixel;
                }
                let mean = sum / real::<T>(25.0);
                let variance = squares / real::<T>(25.0) - mean * mean;
                let deviation = if variance > T::zero() { variance.sqrt() } else { T::zero() };
                if (old[[y, x]] - mean).abs() > real::<T>(1.5) * deviation {
                    image[[y, x]] = mean;
                }
            }
        }
    }
    wides([&image.cells])
}

/// Cells of `side` rows, the border included, after so many generations.
pub(crate) fn game_of_life(cells: Vec<i32>, side: usize, iterations: usize) -> Vec<Vec<f64>> {
    let mut cells = Plane { width: side, cells };
    for _ in 0..iterations {
        let old = cells.clone();
        for y in 1..side - 1 {
            for x in 1..side - 1 {
                let around = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| [y, x]));
                let all: i32 = around.map(|at| old[at]).sum();
                cells[[y, x]] = i32::from(all == 3 || all == 4 && old[[y, x]] == 1);
            }
        }
    }
    vec![cells.cells.iter().map(|&cell| cell.into()).collect()]
}

/// Real and imaginary parts after so many Fourier transforms, by recursion over even and odd places.
pub(crate) fn fourier<T: Float>([mut re, mut im]: [Vec<T>; 2], iterations: usize) -> Vec<Vec<f64>> {
    for _ in 0..iterations {
        let scale = real::<T>(1.0 / (re.len() as f64).sqrt());
        (re, im) = transformed(&re, &im);
        re.iter_mut().chain(&mut im).for_each(|v| *v = *v * scale);
    }
    wides([&re, &im])
}

fn transformed<T: Float>(re: &[T], im: &[T]) -> (Vec<T>, Vec<T>) {
    let half = re.len() / 2;
    if half == 0 {
        return (re.to_vec(), im.to_vec());
    }
    let every =
        |a: &[T], first: usize| -> Vec<T> { a.iter().skip(first).step_by(2).copied().collect() };
    let (even_re, even_im) = transformed(&every(re, 0), &every(im, 0));
    let (odd_re, odd_im) = transformed(&every(re, 1), &every(im, 1));
    let (mut re, mut im) = (re.to_vec(), im.to_vec());
    for at in 0..half {
        let angle = at as f64 * (-std::f64::consts::PI / half as f64);
        let (cos, sin) = (real::<T>(angle.cos()), real::<T>(angle.sin()));
        let turned_re = odd_re[at] * cos - odd_im[at] * sin;
        let turned_im = odd_re[at] * sin + odd_im[at] * cos;
        (re[at], im[at]) = (even_re[at] + turned_re, even_im[at] + turned_im);
        (re[at + half], im[at + half]) = (even_re[at] - turned_re, even_im[at] - turned_im);
    }
    (re, im)
}
