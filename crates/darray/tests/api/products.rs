//! Products of vectors and matrices.

use crate::devices::everywhere;
use darray::{DArray, Diagonal, Mode, Runtime, default_rng, s};

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

/// Against NumPy 2 with exact integers, in every type.
#[test]
fn stacks_vectors_and_axes() {
    everywhere(|_| {
        let a = (DArray::<i64>::arange(24) * 5 % 7 - 3).reshape((2, 3, 4));
        let b = (DArray::<i64>::arange(40) * 3 % 8 - 4).reshape((2, 4, 5));
        let c = (DArray::<i64>::arange(20) * 3 % 8 - 4).reshape((4, 5));
        let v = DArray::from_vec(vec![1i64, -2, 3, 2]);
        #[rustfmt::skip]
        let ab = [
            16, 7, -2, -3, 4, -14, 10, 10, -22, 10, -9, -8, 1, -6, -5, 1, -2, 19, 0, -11, -7, -1,
            -3, -5, 1, -1, -7, 3, -3, -1,
        ];
        #[rustfmt::skip]
        let ac = [
            16, 7, -2, -3, 4, -14, 10, 10, -22, 10, -9, -8, 1, -6, -5, -11, 2, -1, -4, 1, 1, -9,
            -3, 19, -7, -1, 1, -5, 21, -1,
        ];
        assert_eq!((a.matmul(&b).shape(), a.matmul(&b).to_vec()), (&[2, 3, 5][..], ab.to_vec()));
        assert_eq!(a.cast::<f64>().matmul(&b).to_vec(), ab.map(|n| n as f64));
        assert_eq!(a.cast::<f32>().matmul(&b.cast::<f32>()).to_vec(), ab.map(|n| n as f32));
        assert_eq!(a.matmul(&c).to_vec(), ac);
        assert_eq!(a.matmul(&v).to_vec(), [-11, -8, 2, -2, 15, 11]);
        assert_eq!(v.matmul(&c).to_vec(), [-2, -14, -2, 18, -10]);
        assert_eq!(v.matmul(&v).item(), 18);
        let all = a.reshape((2, 1, 3, 4)).matmul(&b);
        assert_eq!(all.shape(), [2, 2, 3, 5]);
        assert_eq!(all.slice(s![1, 0, 2]).to_vec(), [-1, 1, -5, 21, -1]);
        assert_eq!(a.dot(&v).to_vec(), [-11, -8, 2, -2, 15, 11]);
        assert_eq!(a.dot(&b).shape(), [2, 3, 2, 5]);
        assert_eq!(a.dot(&b).slice(s![1, 2, 1]).to_vec(), [-1, -7, 3, -3, -1]);
        let three = DArray::from_shape_vec((), vec![3i64]);
        assert_eq!(three.dot(&v).to_vec(), [3, -6, 9, 6]);
        assert_eq!(v.inner(&three).to_vec(), [3, -6, 9, 6]);
        assert_eq!(a.inner(&a).shape(), [2, 3, 2, 3]);
        assert_eq!(a.inner(&a).slice(s![0, 1]).to_vec(), [-1, 20, -1, -1, -8, -8]);
        let d = b.permute(&[0, 2, 1]).slice(s![.., ..3]);
        let over = a.tensordot(&d, ([0, 2], [0, 2]));
        assert_eq!(over.to_vec(), [17, 5, 17, -21, 9, 7, -10, -15, 4]);
        assert_eq!(a.tensordot(&d, ([-1, 0], [2, 0])).to_vec(), over.to_vec());
        assert_eq!(a.tensordot(&v, 0).shape(), [2, 3, 4, 4]);
        assert_eq!(v.outer(&v).to_vec(), [1, -2, 3, 2, -2, 4, -6, -4, 3, -6, 9, 6, 2, -4, 6, 4]);
        assert_eq!(a.vdot(&a).item(), 97);
        assert_eq!(a.trace().to_vec(), [-3, 0, 3, -1]);
        assert_eq!(a.diagonal(Diagonal::new(1).axes(1, 2)).sum(-1).to_vec(), [4, 2]);
        assert_eq!(a.diagonal(Diagonal::new(-3).axes(1, 2)).sum(-1).to_vec(), [0, 0]);
        assert_eq!(a.gt(0).slice(s![0]).trace().item(), 1, "bool counts");
    });
}

#[test]
fn products_of_nothing() {
    everywhere(|_| {
        let (tall, flat) = (DArray::<f64>::ones((2, 3, 0)), DArray::<f64>::ones((0, 4)));
        assert_eq!(tall.matmul(&flat).to_vec(), [0.0; 24]);
        assert_eq!(tall.dot(&flat).shape(), [2, 3, 4]);
        let none = DArray::<f64>::ones((0, 2, 3));
        assert_eq!(none.matmul(&DArray::<f64>::ones((3, 4))).shape(), [0, 2, 4]);
        assert_eq!(none.vdot(&none).item(), 0.0);
        assert_eq!(
            DArray::<bool>::ones((2, 0)).dot(&DArray::<bool>::ones((0, 2))).to_vec(),
            [false; 4]
        );
    });
}

/// Large enough for several tiles and blocks of the integer loops.
#[test]
fn large_integers_wrap_and_stay_exact() {
    everywhere(|_| {
        let a = (DArray::<i64>::arange(70 * 45) * 1_000_003).reshape((70, 45));
        let b = (DArray::<i64>::arange(45 * 9) * 998_244_353_111i64).reshape((45, 9));
        let (x, y) = (a.to_vec(), b.to_vec());
        let cell = |at: usize| {
            let terms = (0..45).map(|p| x[at / 9 * 45 + p].wrapping_mul(y[p * 9 + at % 9]));
            terms.fold(0i64, i64::wrapping_add)
        };
        assert_eq!(a.dot(&b).to_vec(), (0..70 * 9).map(cell).collect::<Vec<_>>());
    });
}

#[test]
fn a_stack_is_one_builtin_per_point_and_moves_what_is_missing() {
    // Six small matrices lie on one device; the others fetch two each, once for both operands.
    for (devices, builtins, bytes) in [(1, 1, 0), (3, 3, 2 * 2 * 10 * 20 * 8)] {
        let rt =
            Runtime::builder().threads(1).cpu_devices(devices).mode(Mode::Fused).build().unwrap();
        rt.scope(|| {
            let a = DArray::<f64>::ones((6, 10, 20));
            let b = DArray::<f64>::ones((20, 5));
            rt.sync();
            rt.reset_stats();
            let product = a.matmul(&a.permute(&[0, 2, 1]));
            rt.sync();
            let stats = rt.stats();
            assert_eq!((stats.kernels, stats.builtins), (0, builtins));
            assert_eq!(stats.bytes_copied, bytes);
            assert_eq!(product.slice(s![5, 9]).to_vec(), [20.0; 10]);
            assert_eq!(a.matmul(&b).sum(..).item(), 6.0 * 10.0 * 5.0 * 20.0);
        });
    }
}

/// The same bits on any number of devices and threads.
#[test]
fn stacks_have_the_same_bits_everywhere() {
    let bits = std::cell::RefCell::new(Vec::new());
    everywhere(|_| {
        let mut rng = default_rng(3);
        let (a, b) = (rng.random((5, 70, 33)), rng.random((33, 17)));
        let (product, x) = (a.matmul(&b), a.slice(s![.., .., 0]));
        let sums = x.inner(&x);
        bits.borrow_mut().push((product.sum(..).item(), sums.trace().item()));
    });
    let bits = bits.into_inner();
    for (p, s) in &bits {
        assert!((p / bits[0].0 - 1.0).abs() < 1e-12 && (s / bits[0].1 - 1.0).abs() < 1e-12);
    }
    // Interpreting devices, which come first, multiply in their own order.
    assert_eq!(bits[2], bits[3]);
    assert_eq!(bits[2], bits[4]);
}
