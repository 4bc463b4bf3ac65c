//! Products of vectors and matrices.

use crate::devices::everywhere;
use darray::{DArray, default_rng, s};

fn plain(a: &[f64], b: &[f64], (m, k, n): (usize, usize, usize)) -> Vec<f64> {
    let cell = |i: usize, j: usize| (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
    (0..m * n).map(|ij| cell(ij / n, ij % n)).collect()
}

fn close(got: Vec<f64>, wanted: Vec<f64>) {
    assert_eq!(got.len(), wanted.len());
    for (g, w) in got.iter().zip(&wanted) {
        assert!((g - w).abs() < 1e-12 * (1.0 + w.abs()), "{g} {w}");
    }
}

#[test]
fn matrices_and_vectors_multiply() {
    everywhere(|_| {
        for (m, k, n) in [(1, 1, 1), (3, 4, 2), (17, 5, 9), (33, 40, 1), (1, 7, 31)] {
            let mut rng = default_rng((100 * m + 10 * k + n) as u64);
            let (a, b) = (rng.random((m, k)), rng.random((k, n)));
            let wanted = plain(&a.to_vec(), &b.to_vec(), (m, k, n));
            close(a.dot(&b).to_vec(), wanted.clone());
            close(b.t().dot(&a.t()).t().to_vec(), wanted);
            let (x, y) = (a.slice(s![0, ..]), b.slice(s![.., 0]));
            let row = plain(&x.to_vec(), &b.to_vec(), (1, k, n));
            let column = plain(&a.to_vec(), &y.to_vec(), (m, k, 1));
            assert_eq!((x.dot(&b).shape(), a.dot(&y).shape()), (&[n][..], &[m][..]));
            close(x.dot(&b).to_vec(), row);
            close(a.dot(&y).to_vec(), column);
            close(vec![x.dot(&y).item()], plain(&x.to_vec(), &y.to_vec(), (1, k, 1)));
        }
    });
}

#[test]
fn products_of_other_types() {
    everywhere(|_| {
        let a = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
        assert_eq!(a.dot(&a).to_vec(), [7, 10, 15, 22]);
        assert_eq!(a.dot(&a.slice(s![0])).to_vec(), [5, 11]);
        assert_eq!(a.slice(s![1]).dot(&a).to_vec(), [15, 22]);
        assert_eq!(a.dot(&DArray::<f32>::ones((2, 2))).to_vec(), [3.0, 3.0, 7.0, 7.0]);
        let single = DArray::<f32>::full((2, 2), 0.5);
        assert_eq!(single.dot(&single).to_vec(), [0.5f32; 4]);
        let mask = a.gt(1);
        assert_eq!(mask.dot(&mask).to_vec(), [true, true, true, true]);
        let empty = DArray::<f64>::zeros((2, 0));
        assert_eq!(empty.dot(&empty.t()).to_vec(), [0.0; 4]);
    });
}
