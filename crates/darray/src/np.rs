//! Methods as free functions with NumPy's names, for ports and for searching.
//!
//! | NumPy | darray |
//! |---|---|
//! | `np.zeros((2, 3))` | `np::zeros((2, 3))` |
//! | `np.zeros(3, np.float32)` | `DArray::<f32>::zeros(3)` |
//! | `np.array([[1, 2], [3, 4]])` | `np::array([[1, 2], [3, 4]])` |
//! | `np.arange(n)`, `np.arange(2, n)` | `np::arange(n)`, `np::arange((2, n))` |
//! | `np.eye(3)`, `np.eye(3, k=1)` | `np::eye(3)`, `DArray::<f64>::eye(3, 3, 1)` |
//! | `np.linspace(0, 1, n)` | `np::linspace(0, 1, n)` |
//! | `np.random.default_rng(42)` | `np::random::default_rng(42)` |
//! | `np.random.Generator(np.random.Philox(42))` | `np::random::Generator::philox(42)` |
//! | `rng.random((2, 3))`, `rng.random(n, dtype=np.float32)` | `rng.random((2, 3))`, `rng.random_as::<f32>(n)` |
//! | `rng.uniform(0, 2, n)`, `rng.integers(1, 7, n)` | `rng.uniform(0.0, 2.0, n)`, `rng.integers(1, 7, n)` |
//! | `rng.standard_normal(n)`, `rng.normal(0, 2, n)` | `rng.standard_normal(n)`, `rng.normal(0.0, 2.0, n)` |
//! | `rng.exponential(2, n)` | `rng.exponential(2.0, n)` |
//! | `np.where(m, a, b)` | `np::where_(&m, &a, &b)` |
//! | `np.exp(x)`, `np.log(x)`, `np.sqrt(x)`, `np.absolute(x)` | `np::exp(&x)`, `np::log(&x)`, .. |
//! | `np.maximum(a, b)` | `np::maximum(&a, &b)` |
//! | `np.round(x)`, `np.round(x, 2)` | `np::round(&x)`, `np::round_to(&x, 2)` |
//! | `np.sum(x)`, `np.sum(x, axis=0, keepdims=True)` | `np::sum(&x, ..)`, `np::sum(&x, axis(0).keepdims())`, and so all reductions |
//! | `np.std(x, axis=0, ddof=1)` | `np::std(&x, axis(0).ddof(1))` |
//! | `np.linalg.norm(x)`, `np.linalg.vector_norm(x, ord=1, axis=0)` | `np::linalg::norm(&x, ..)`, `np::norm(&x, axis(0).ord(1))` |
//! | `np.linalg.norm(x, "fro", axis=(1, 2))` | `np::norm(&x, axes((1, 2)).ord(Norm::Frobenius))` |
//! | `np.cumsum(x)`, `np.cumsum(x, axis=0)` | `np::cumsum(&x, ..)`, `np::cumsum(&x, 0)` |
//! | `np.sort(x)`, `np.sort(x, axis=0)`, `np.sort(x, axis=None)` | `np::sort(&x, -1)`, `np::sort(&x, 0)`, `np::sort(&x, None)`, and so `argsort` |
//! | `np.take(x, i)`, `np.take(x, i, axis=0)` | `np::take(&x, &i, ..)`, `np::take(&x, &i, 0)` |
//! | `x[mask]`, `np.compress(m, x, axis=1)` | `np::compress(&mask, &x, ..)`, `np::compress(&m, &x, 1)` |
//! | `np.nonzero(x)`, `np.argwhere(x)` | `np::nonzero(&x)`, `np::argwhere(&x)` |
//! | `np.unique(x)`, `np.unique_counts(x)` | `np::unique(&x)`, `np::unique_counts(&x)` |
//! | `np.bincount(k, weights=w)`, `np.add.at(x, i, y)` | `np::bincount_weighted(&k, &w, 0)`, `np::add_at(&x, &i, &y)` |
//! | `np.histogram(x, 10)`, `np.digitize(x, edges)` | `np::histogram(&x, 10)`, `np::digitize(&x, &edges)` |
//! | `np.searchsorted(x, y, side="right")` | `np::searchsorted_right(&x, &y)` |
//! | `np.maximum.accumulate(x)` | `np::maximum::accumulate(&x, ..)` |
//! | `np.diff(x)`, `np.gradient(x, 0.1)` | `np::diff(&x, 1, -1)`, `np::gradient(&x, 0.1, -1)` |
//! | `np.allclose(x, y)`, `np.array_equal(x, y)` | `np::allclose(&x, &y)`, `np::array_equal(&x, &y)` |
//! | `np.quantile(x, [0.1, 0.9])`, `np.cov(x)` | `np::quantile(&x, [0.1, 0.9], ..)`, `np::cov(&x)` |
//! | `np.put(x, i, y)`, `np.put_along_axis(x, i, y, 1)` | `np::put(&x, &i, &y)`, `np::put_along_axis(&x, &i, &y, 1)` |
//! | `np.dot(a, b)`, `a @ b` | `np::dot(&a, &b)`, `a.matmul(&b)` |
//! | `np.tensordot(a, b, axes=([1], [0]))` | `a.tensordot(&b, ([1], [0]))` |
//! | `x.astype(np.float32)` | `x.cast::<f32>()` |
//! | `x[1:-1, ::2]` | `x.slice(s![1..-1, ..;2])` |
//! | `x[1:-1] = y` | `x.slice(s![1..-1]).assign(&y)` |
//! | `np.flip(x)`, `np.squeeze(x)`, `np.transpose(x)` | `np::flip(&x, ..)`, `np::squeeze(&x, ..)`, .. |
//! | `np.arange(start, stop, step)` | `np::arange((start, stop, step))` |
//! | `np.linspace(0, 1, n, endpoint=False)` | `DArray::linspace_open(0.0, 1.0, n)` |
//! | `np.concatenate([a, b], axis=1)`, `np.stack([a, b])` | `DArray::concatenate([&a, &b], 1)`, `np::stack([&a, &b])` |
//! | `np.pad(x, 1, mode="edge")` | `np::pad(&x, 1, PadMode::Edge)` |
//! | `np.roll(x, 1)`, `np.repeat(x, 2)` | `np::roll(&x, 1, ..)`, `np::repeat(&x, 2, ..)` |
//! | `x[mask] = 0` | `x.assign_where(&mask, 0.0)` |
//! | `np.clip(x, None, 1)` | `np::clip(&x, (), 1.0)` |
//! | `np.split(x, [2, 5])` | `np::split(&x, [2, 5], 0)` |
//! | `x > 0` | `x.gt(0.0)` |
//! | `np.pi`, `np.e`, `np.inf`, `np.nan`, `np.newaxis` | `np::PI`, `np::E`, `np::INF`, `np::NAN`, `NewAxis` |
//! | `np.save("x.npy", x)`, `np.load("x.npy")` | `np::save("x.npy", &x)`, `np::load("x.npy")` |
//! | `np.savez("xy.npz", x=x, y=y)` | `np::savez("xy.npz", &[("x", x.as_dyn()), ("y", y.as_dyn())])` |
//! | `np.load("xy.npz")["x"]` | `np::load_npz("xy.npz")?.get("x")` |
//!
//! Functions that make arrays have NumPy's defaults, and its types where nothing says another: f64, and i64 for integers; methods have every option.
//! An axis is always an argument: `-1` or `..` where NumPy has it by default (`np::sort(&x, -1)`, `np::cumsum(&x, ..)`). They take arrays by value
//! and by reference.
//!
//! What is wrong panics at the caller's line; [`attempt`](crate::attempt) gives the error instead.
//!
//! ```
//! use darray::{axis, np};
//! let x = np::arange(6).reshape((2, 3));
//! let centred = &x - np::mean(&x, axis(1).keepdims());
//! assert_eq!(np::max(np::absolute(centred), ..).item(), 1.0);
//! ```
//!
//! One file per group of functions.

mod comparison;
mod conditional;
mod counting;
mod creation;
mod differences;
mod indices;
mod io;
pub mod linalg;
pub(crate) mod math;
pub mod random;
mod reductions;
mod scans;
mod shape;
mod sorting;
mod types;

pub use comparison::*;
pub use conditional::*;
pub use counting::*;
pub use creation::*;
pub use differences::*;
pub use indices::*;
pub use io::*;
pub use linalg::products::*;
pub use math::*;
pub use reductions::*;
pub use scans::*;
pub use shape::*;
pub use sorting::*;
pub use types::*;

// Constants: `np::PI`, and not `np::pi`, of which the compiler proposes them.
pub use crate::NewAxis;
pub use std::f64::consts::{E, PI};

/// Infinity, of f64.
///
/// ```
/// use darray::np;
/// assert_eq!(np::min(np::array([np::INF, 2.0]), ..).item(), 2.0);
/// ```
pub const INF: f64 = f64::INFINITY;

/// Not a number, of f64.
///
/// ```
/// use darray::np;
/// assert_eq!(np::nansum(np::array([np::NAN, 2.0]), ..).item(), 2.0);
/// ```
pub const NAN: f64 = f64::NAN;

// Second names, of NumPy and of the array API.
pub use absolute as abs;
pub use arccos as acos;
pub use arccosh as acosh;
pub use arcsin as asin;
pub use arcsinh as asinh;
pub use arctan as atan;
pub use arctan2 as atan2;
pub use arctanh as atanh;
pub use concatenate as concat;
pub use cumprod as cumulative_prod;
pub use cumsum as cumulative_sum;
pub use deg2rad as radians;
pub use max as amax;
pub use min as amin;
pub use power as pow;
pub use rad2deg as degrees;
pub use round_to as around;
pub use transpose as permute_dims;
pub use trunc as fix;
pub use vstack as row_stack;
