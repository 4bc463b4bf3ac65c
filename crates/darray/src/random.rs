//! Random numbers, bit for bit NumPy's.

use crate::{DArray, Float, IntoShape, error::must};
use darray_core::{DType, Place, Scalar};
use darray_ir::TaskOp;
use darray_kernel::random::Pcg64;
use smallvec::SmallVec;

/// NumPy's `numpy.random.default_rng(seed)`.
///
/// ```
/// use darray::default_rng;
/// let mut rng = default_rng(42);
/// assert_eq!(rng.random(2).to_vec(), [0.7739560485559633, 0.4388784397520523]);
/// ```
pub fn default_rng(seed: u64) -> Generator {
    Generator { key: Pcg64::from_seed(seed).key(), drawn: 0 }
}

/// A stream of random numbers (PCG64). Consecutive calls continue the stream, as NumPy's
/// `Generator` does; the numbers are the same on any number of devices.
///
/// ```
/// use darray::default_rng;
/// let mut rng = default_rng(7);
/// let (a, b) = (rng.random(2), rng.random(3));
/// let both = default_rng(7).random(5).to_vec();
/// assert_eq!([a.to_vec(), b.to_vec()].concat(), both);
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    /// State and increment of the stream's start.
    key: [i64; 4],
    /// How many numbers were drawn.
    drawn: u64,
}

impl Generator {
    /// Uniform numbers in [0, 1) of type f64.
    ///
    /// # Panics
    ///
    /// If an extent is negative or there are more than eight axes.
    ///
    /// ```
    /// use darray::default_rng;
    /// let x = default_rng(1).random((100, 100));
    /// assert!((x.mean().item() - 0.5).abs() < 0.01);
    /// ```
    #[track_caller]
    pub fn random(&mut self, shape: impl IntoShape) -> DArray<f64> {
        let (name, place) = ("random", Place::caller());
        let shape = must(crate::creation::checked_shape(name, &shape, place));
        // Key, counter, and the row-major strides that number the elements.
        let words = self.key.into_iter().chain([self.drawn as i64]).chain(shape.strides());
        let scalars: SmallVec<[Scalar; 8]> = words.map(Scalar::from).collect();
        self.drawn += shape.size() as u64;
        let result =
            crate::creation::create(name, TaskOp::Random, DType::F64, &shape, &scalars, place);
        DArray::wrap(must(result))
    }

    /// The numbers of [`random`](Self::random), rounded to `T`.
    ///
    /// ```
    /// use darray::{DArray, default_rng};
    /// let x: DArray<f32> = default_rng(42).random_as(1);
    /// assert_eq!(x.to_vec(), [0.7739560485559633f64 as f32]);
    /// ```
    #[track_caller]
    pub fn random_as<T: Float>(&mut self, shape: impl IntoShape) -> DArray<T> {
        let numbers = self.random(shape);
        match DArray::try_from(numbers.as_dyn().alias()) {
            Ok(same) => same,
            Err(_) => numbers.cast(),
        }
    }
}
