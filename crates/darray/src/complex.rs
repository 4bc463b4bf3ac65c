//! Complex arrays.
//!
//! Reading order: [`ComplexArray`] (two real arrays), `term` (real operations under the name of a complex
//! one), `pair` (complex operands and results), `operand` (what stands beside a complex array), then
//! `arithmetic` (what sums, products and quotients are recorded as), and one module per group of methods.

mod arithmetic;
mod comparison;
mod convert;
mod creation;
mod display;
mod functions;
mod operand;
mod operators;
mod pair;
mod product;
mod reduction;
mod term;
mod views;
mod write;

use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Float, Promote, Runtime};
use darray_core::{Error, ErrorKind, Result, Shape};
pub use operand::{ComplexArgument, ComplexOperand};
use std::fmt;
use term::Origin;

/// A type that the two parts of complex numbers can have: `f32` (NumPy's `complex64`) and `f64`
/// (`complex128`).
///
/// ```
/// use darray::{ComplexArray, ComplexPart};
/// fn squares<T: ComplexPart>(z: &ComplexArray<T>) -> ComplexArray<T> {
///     z * z
/// }
/// let z = ComplexArray::from_vec(vec![darray::Complex::new(0.0f32, 1.0)]);
/// assert_eq!(squares(&z).to_string(), "[-1.+0.j]");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of the parts of complex numbers",
    label = "complex arrays have parts of f32 or f64"
)]
pub trait ComplexPart: Float {}

impl ComplexPart for f32 {}
impl ComplexPart for f64 {}

/// A lazy n-dimensional array of complex numbers: an array of the real parts and one of the imaginary parts.
///
/// Rules:
/// - Every operation is recorded as operations on the two parts, which fuse: `&z * &w + &c` is one kernel, and temporaries are never
///   stored.
/// - Everything else is as of [`DArray`]: operators take references and values, shapes broadcast,
///   views write through, `Clone` is by value, what is wrong panics at the caller's line or is the
///   error of the `try_` twin.
/// - [`real`](Self::real) and [`imag`](Self::imag) are views of the parts.
/// - Real operands act on the parts as C99's do: `2.0 * &z` scales both, `&z + 1.0` adds to the real part. NumPy
///   makes complex numbers of them first, which differs in the signs of zeros and beside infinities.
/// - Complex scalars are [`Complex<f64>`](crate::Complex), and weak as real ones are.
///
/// ```
/// use darray::{Complex, ComplexArray, DArray};
/// let x = DArray::<f64>::arange(3);
/// let z = ComplexArray::from_parts(x.clone(), 1.0 - &x);
/// let w = &z * &z + Complex::new(0.0, 0.5);
/// assert_eq!(w.to_string(), "[-1.+0.5j  1.+0.5j  3.-3.5j]");
/// assert_eq!(z.norm_sqr().sum().item(), 7.0);
/// ```
///
/// Ordering complex numbers does not compile, nor does storing a complex value in a real array:
///
/// ```compile_fail
/// use darray::ComplexArray;
/// let z = ComplexArray::<f64>::zeros(2);
/// z.real().assign(&z);
/// ```
pub struct ComplexArray<T: ComplexPart = f64> {
    re: DArray<T>,
    im: DArray<T>,
}

impl<T: ComplexPart> ComplexArray<T> {
    /// Parts that are known to have one shape and one runtime.
    fn wrap(re: DArray<T>, im: DArray<T>) -> ComplexArray<T> {
        debug_assert_eq!(re.shape(), im.shape());
        ComplexArray { re, im }
    }

    /// An array of these real and these imaginary parts, of one shape. The arrays become the parts: writes
    /// into the complex array are seen through what they are views of.
    ///
    /// # Panics
    ///
    /// If the shapes differ.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray, s};
    /// // Complex numbers that lie as pairs in a real array.
    /// let pairs = DArray::<f64>::arange(6);
    /// let z = ComplexArray::from_parts(pairs.slice(s![..;2]), pairs.slice(s![1..;2]));
    /// assert_eq!(z.to_string(), "[0.+1.j 2.+3.j 4.+5.j]");
    /// ```
    #[track_caller]
    pub fn from_parts(re: DArray<T>, im: DArray<T>) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_from_parts(re, im))
    }

    /// As [`from_parts`](Self::from_parts); other shapes are an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let error = ComplexArray::try_from_parts(DArray::<f64>::ones(2), DArray::<f64>::ones(3));
    /// let text = error.unwrap_err().to_string();
    /// assert!(text.starts_with("from_parts: shapes [2] and [3]: expected one shape"));
    /// ```
    #[track_caller]
    pub fn try_from_parts(re: DArray<T>, im: DArray<T>) -> Result<ComplexArray<T>> {
        let origin = Origin::here("from_parts");
        if re.shape() != im.shape() {
            let shapes = [&re, &im].map(|part| part.as_dyn().shape_of().clone()).to_vec();
            let kind = ErrorKind::Shapes { shapes, expected: "one shape".to_string() };
            return Err(Error::new(origin.name, kind, origin.place));
        }
        if re.runtime() != im.runtime() {
            let message = "the parts belong to two runtimes".to_string();
            return Err(Error::new(origin.name, ErrorKind::Runtime { message }, origin.place));
        }
        Ok(ComplexArray::wrap(re, im))
    }

    /// Both parts.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let (re, im) = ComplexArray::<f64>::zeros(2).into_parts();
    /// assert_eq!((re.len(), im.len()), (2, 2));
    /// ```
    pub fn into_parts(self) -> (DArray<T>, DArray<T>) {
        (self.re, self.im)
    }

    /// The real parts: a view that writes through.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let z = ComplexArray::<f64>::zeros(2);
    /// z.real().assign(1.0);
    /// assert_eq!(z.to_string(), "[1.+0.j 1.+0.j]");
    /// ```
    pub fn real(&self) -> DArray<T> {
        self.re.alias()
    }

    /// The imaginary parts: a view that writes through.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let z = ComplexArray::<f64>::zeros(2);
    /// z.imag().assign(1.0);
    /// assert_eq!(z.to_string(), "[0.+1.j 0.+1.j]");
    /// ```
    pub fn imag(&self) -> DArray<T> {
        self.im.alias()
    }

    /// Extents, outermost axis first.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros((2, 3)).shape(), [2, 3]);
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.re.shape()
    }

    /// Both parts without their static type.
    pub(crate) fn untyped(&self) -> [&DynArray; 2] {
        [self.re.as_dyn(), self.im.as_dyn()]
    }

    fn shape_of(&self) -> &Shape {
        self.re.as_dyn().shape_of()
    }

    /// Number of axes.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros((2, 3)).ndim(), 2);
    /// ```
    pub fn ndim(&self) -> usize {
        self.re.ndim()
    }

    /// Number of elements.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros((2, 3)).len(), 6);
    /// ```
    pub fn len(&self) -> usize {
        self.re.len()
    }

    /// Whether there is no element.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros((0, 3)).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.re.is_empty()
    }

    /// The runtime that its data belongs to.
    ///
    /// ```
    /// use darray::{ComplexArray, Runtime};
    /// assert!(ComplexArray::<f64>::zeros(1).runtime() == &Runtime::current());
    /// ```
    pub fn runtime(&self) -> &Runtime {
        self.re.runtime()
    }

    /// Another handle of the same elements: writes through either are seen by both.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let z = ComplexArray::<f64>::zeros(1);
    /// let mut w = z.alias();
    /// w += 1.0;
    /// assert_eq!(z.to_string(), "[1.+0.j]");
    /// ```
    pub fn alias(&self) -> ComplexArray<T> {
        ComplexArray::wrap(self.re.alias(), self.im.alias())
    }

    /// A new array with the same elements, copied when it runs.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let z = ComplexArray::<f64>::zeros(1);
    /// z.copy().assign(1.0);
    /// assert_eq!(z.to_string(), "[0.+0.j]");
    /// ```
    #[track_caller]
    pub fn copy(&self) -> ComplexArray<T> {
        ComplexArray::wrap(self.re.copy(), self.im.copy())
    }

    /// As [`copy`](Self::copy), for another operation.
    fn copied(&self, origin: Origin) -> Result<ComplexArray<T>> {
        Ok(ComplexArray::wrap(copied(&self.re, origin)?, copied(&self.im, origin)?))
    }

    /// The elements with parts of another type (NumPy's `astype`).
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::<f64>::full(1, Complex::new(0.5, 0.1)).cast::<f32>();
    /// assert_eq!(z.to_vec(), [Complex::new(0.5, 0.1f32)]);
    /// ```
    #[track_caller]
    pub fn cast<V: ComplexPart>(&self) -> ComplexArray<V> {
        ComplexArray::wrap(self.re.cast(), self.im.cast())
    }
}

impl<T: ComplexPart> Clone for ComplexArray<T> {
    /// The same elements as an independent array, as the clone of a [`DArray`].
    #[track_caller]
    fn clone(&self) -> ComplexArray<T> {
        ComplexArray::wrap(self.re.clone(), self.im.clone())
    }
}

impl<T: ComplexPart> fmt::Debug for ComplexArray<T> {
    /// Part type and shape only: never waits for data.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(format!("{:?}", ComplexArray::<f64>::zeros((2, 3))), "ComplexArray<f64>[2, 3]");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ComplexArray<{}>{}", T::DTYPE, self.shape_of())
    }
}

/// A copy of a part, for this operation.
fn copied<T: ComplexPart>(part: &DArray<T>, origin: Origin) -> Result<DArray<T>> {
    part.as_dyn().copy_as(origin.name, T::DTYPE, origin.place).map(DArray::wrap)
}

/// The type of parts that complex numbers of these two have.
type Joined<T, V> = <T as Promote<V>>::Output;

const _: () = {
    const fn send_and_sync<T: Send + Sync>() {}
    send_and_sync::<ComplexArray<f64>>();
};
