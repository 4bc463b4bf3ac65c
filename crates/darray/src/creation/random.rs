//! Random numbers: element by element what NumPy's generators draw.

mod choice;
mod distributions;

pub use choice::{Population, Sample};

use crate::array::into_shape::checked_shape;
use crate::creation::create;
use crate::elementwise::untyped::{binary_as, unary_as};
use crate::{Binary, DArray, DynArray, Float, IntoShape, Unary, error::expect_at_caller};
use darray_core::{Error, ErrorKind, Ix, Place, RealType, Result, Scalar, Shape};
use darray_ir::{Distribution, TaskOp};
use darray_kernel::random::BitGenerator;
use smallvec::SmallVec;

/// NumPy's `numpy.random.default_rng(seed)`.
///
/// ```
/// use darray::default_rng;
/// let mut rng = default_rng(42);
/// assert_eq!(rng.random(2).to_vec(), [0.7739560485559633, 0.4388784397520523]);
/// ```
// NumPy's functions without a generator, which the compiler turns into this one where they are called.
#[doc(alias(
    "seed",
    "rand",
    "randn",
    "randint",
    "random",
    "uniform",
    "normal",
    "choice",
    "permutation",
    "shuffle"
))]
pub fn default_rng(seed: u64) -> Generator {
    Generator::new(BitGenerator::Pcg64, seed)
}

/// A stream of random numbers. Calls continue the stream, as those of NumPy's `Generator` do.
///
/// Rules:
/// - Element `k` of an array, in row-major order, is made of draw `s + k` of 64 bits alone, where `s`
///   is the number of draws before; then the array's size is added to `s`. So the numbers are the
///   same on any number of devices, with any tiles and any window, and they are drawn where they
///   are used: arrays of random numbers fuse as others do.
/// - An f32 array of [`random_as`](Self::random_as) takes 32 bits for each element: the low half of a
///   draw, then the high one. A high half that is left waits, whatever is drawn meanwhile, and is the
///   first element of the next such array; [`advance`](Self::advance) drops it. NumPy does the same.
/// - `Clone` copies the position: both draw the same numbers.
///
/// | method | equal to NumPy's numbers |
/// |---|---|
/// | [`random`](Self::random), [`random_as`](Self::random_as), [`uniform`](Self::uniform) | bit for bit |
/// | [`integers`](Self::integers) | no: one draw for each element, none is rejected |
/// | [`standard_normal`](Self::standard_normal), [`normal`](Self::normal) | no: the inverse of the distribution, one draw for each element |
/// | [`standard_exponential`](Self::standard_exponential), [`exponential`](Self::exponential) | no: likewise |
/// | [`choice`](Self::choice) with probabilities and replacement | bit for bit |
/// | other choices, [`permutation`](Self::permutation), [`shuffle`](Self::shuffle) | no: one draw for each element |
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
    generator: BitGenerator,
    /// Of the stream, see [`darray_kernel::random::Stream::new`].
    key: [i64; 4],
    /// How many numbers of 64 bits were drawn.
    drawn: u64,
    /// The half that waits for the next f32 array, counted in halves: the upper one of a number drawn.
    half_left: Option<u64>,
}

/// Draws of a stream: their halves are counted in an i64.
const LAST: u64 = 1 << 61;

impl Generator {
    /// NumPy's `Generator(PCG64(seed))`, the generator of [`default_rng`].
    ///
    /// ```
    /// use darray::{Generator, default_rng};
    /// let (mut a, mut b) = (Generator::pcg64(3), default_rng(3));
    /// assert_eq!(a.random(4).to_vec(), b.random(4).to_vec());
    /// ```
    pub fn pcg64(seed: u64) -> Generator {
        Generator::new(BitGenerator::Pcg64, seed)
    }

    /// NumPy's `Generator(Philox(seed))`: Philox4x64-10, whose streams are made for use in parallel.
    ///
    /// ```
    /// use darray::Generator;
    /// let mut rng = Generator::philox(0);
    /// assert_eq!(rng.random(2).to_vec(), [0.014067035665647709, 0.2577672456246177]);
    /// ```
    pub fn philox(seed: u64) -> Generator {
        Generator::new(BitGenerator::Philox, seed)
    }

    /// Goes on as if so many numbers of 64 bits had been drawn, and no half of one were left.
    ///
    /// ```
    /// use darray::default_rng;
    /// let mut rng = default_rng(3);
    /// rng.advance(1000);
    /// assert_eq!(rng.random(2).to_vec(), default_rng(3).random(1002).to_vec()[1000..]);
    /// ```
    pub fn advance(&mut self, draws: u64) {
        self.drawn = self.drawn.saturating_add(draws);
        self.half_left = None;
    }

    fn new(generator: BitGenerator, seed: u64) -> Generator {
        Generator { generator, key: generator.key(seed), drawn: 0, half_left: None }
    }

    /// Uniform numbers in [0, 1) of type f64: the top 53 bits of each draw, as NumPy's.
    ///
    /// # Panics
    ///
    /// If an extent is negative, or there are more than eight axes or too many elements.
    ///
    /// ```
    /// use darray::default_rng;
    /// let x = default_rng(1).random((100, 100));
    /// assert!((x.mean(..).item() - 0.5).abs() < 0.01);
    /// ```
    #[track_caller]
    pub fn random(&mut self, shape: impl IntoShape) -> DArray<f64> {
        expect_at_caller(self.try_random(shape))
    }

    /// As [`random`](Self::random); a wrong shape is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// assert!(default_rng(1).try_random((2, -1)).is_err());
    /// ```
    #[track_caller]
    pub fn try_random(&mut self, shape: impl IntoShape) -> Result<DArray<f64>> {
        self.try_random_as(shape)
    }

    /// Uniform numbers in [0, 1) as NumPy's `random(dtype=..)`: for f64 see
    /// [`random`](Self::random), for f32 the top 24 bits of half a draw each.
    ///
    /// # Panics
    ///
    /// As [`random`](Self::random).
    ///
    /// ```
    /// use darray::{DArray, default_rng};
    /// // numpy.random.default_rng(42).random(3, dtype=numpy.float32)
    /// let x: DArray<f32> = default_rng(42).random_as(3);
    /// assert_eq!(x.to_vec(), [0.08925092, 0.773956, 0.6545715]);
    /// ```
    #[track_caller]
    pub fn random_as<T: Float>(&mut self, shape: impl IntoShape) -> DArray<T> {
        expect_at_caller(self.try_random_as(shape))
    }

    /// As [`random_as`](Self::random_as); a wrong shape is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// assert!(default_rng(1).try_random_as::<f32>((2, -1)).is_err());
    /// ```
    #[track_caller]
    pub fn try_random_as<T: Float>(&mut self, shape: impl IntoShape) -> Result<DArray<T>> {
        let numbers =
            self.draw("random", Distribution::Uniform, T::DTYPE.part(), shape, Place::caller())?;
        Ok(DArray::wrap(numbers))
    }

    /// An array of draws. The stream goes on if there is no error.
    fn draw(
        &mut self,
        name: &'static str,
        distribution: Distribution,
        dtype: RealType,
        shape: impl IntoShape,
        place: Place,
    ) -> Result<DynArray> {
        let shape = checked_shape(name, &shape, place)?;
        let count = shape.size() as u64;
        if self.drawn.saturating_add(count) > LAST {
            let message = "the stream ends after 2^61 draws".to_string();
            return Err(Error::new(name, ErrorKind::Argument { message }, place));
        }
        match (distribution, dtype) {
            (Distribution::Uniform, RealType::F32) => return self.draw_halves(name, &shape, place),
            (Distribution::Uniform, RealType::F16 | RealType::BF16) => {
                return self.draw_narrow(name, dtype, &shape, place);
            }
            _ => {}
        }
        let numbers = self.numbers(name, distribution, dtype, &shape, self.drawn, place)?;
        self.drawn += count;
        Ok(numbers)
    }

    /// An array of uniform numbers of a float that is narrower than f32: those of f32, toward zero to as many digits as it has, so
    /// that none is 1.
    fn draw_narrow(
        &mut self,
        name: &'static str,
        dtype: RealType,
        shape: &Shape,
        place: Place,
    ) -> Result<DynArray> {
        let scale = f64::from(1 << dtype.digits());
        let numbers = self.draw_halves(name, shape, place)?;
        let scaled = binary_as(name, Binary::Mul, (&numbers).into(), scale.into(), place)?;
        let whole = unary_as(name, Unary::Floor, &scaled, place)?;
        let numbers = binary_as(name, Binary::Div, (&whole).into(), scale.into(), place)?;
        numbers.copy_as(name, dtype, place)
    }

    /// An f32 array of uniform numbers. The half that waits is the first element.
    fn draw_halves(&mut self, name: &'static str, shape: &Shape, place: Place) -> Result<DynArray> {
        let count = shape.size() as u64;
        let waiting = self.half_left.filter(|_| count > 0);
        let next = 2 * self.drawn;
        let first = next - u64::from(waiting.is_some());
        let halves = |shape: &Shape, first| {
            self.numbers(name, Distribution::Uniform, RealType::F32, shape, first, place)
        };
        let numbers = halves(shape, first)?;
        if let Some(half) = waiting.filter(|&half| half != first) {
            // Others were drawn since: element 0 is not the half before element 1.
            let items: SmallVec<[Ix; 8]> = shape.iter().map(|_| Ix::At(0)).collect();
            let half = halves(&Shape::scalar(), half)?;
            numbers.slice(&items[..])?.assign_as((&half).into(), name, place)?;
        }
        let end = first + count;
        if count > 0 {
            self.drawn = end.div_ceil(2);
            self.half_left = (end % 2 == 1).then_some(end);
        }
        Ok(numbers)
    }

    /// An array of the numbers (of f32: halves of numbers) of the stream from `first` on.
    fn numbers(
        &self,
        name: &'static str,
        distribution: Distribution,
        dtype: RealType,
        shape: &Shape,
        first: u64,
        place: Place,
    ) -> Result<DynArray> {
        // Key, first draw, and the row-major strides that number the elements.
        let words = self.key.into_iter().chain([first as i64]).chain(shape.strides());
        let scalars: SmallVec<[Scalar; 8]> = words.map(Scalar::from).collect();
        let op = TaskOp::Random { generator: self.generator, distribution };
        create(name, op, dtype, shape, &scalars, place)
    }
}
