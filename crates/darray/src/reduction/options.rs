//! What reductions take beside axes: `axis(0).ddof(1)`, `.where_(&mask)`, `.initial(v)`, `.dtype::<f64>()`, `.ord(1)`.

use crate::{
    AsArray, Axes, DynArray, Element, FitsIn, Index, Norm, Number, ScalarLike, WeakScalar,
};
use darray_core::DType;
use std::marker::PhantomData;
use std::ops::RangeFull;

/// What a reduction is told: axes and options, as [`DynArray::reduce_with`] takes them.
///
/// ```
/// use darray::{DArray, DynArray, ReduceOptions, Reduction, axis};
/// let x = DynArray::from(DArray::from([3, 1, 2]));
/// let options = ReduceOptions { initial: Some(9.into()), ..ReduceOptions::from(axis(0)) };
/// assert_eq!(x.reduce_with(Reduction::Max, options).unwrap().to_string(), "9");
/// ```
#[derive(Debug)]
pub struct ReduceOptions {
    /// Over which axes.
    pub axes: Axes,
    /// Where elements count: an array of bool that broadcasts to the one that is reduced. `None`: everywhere.
    pub mask: Option<DynArray>,
    /// What it starts from.
    pub initial: Option<WeakScalar>,
    /// The element type that it computes in and gives. `None`: the reduction's own.
    pub dtype: Option<DType>,
}

impl From<Axes> for ReduceOptions {
    fn from(axes: Axes) -> ReduceOptions {
        ReduceOptions { axes, mask: None, initial: None, dtype: None }
    }
}

impl Axes {
    /// With NumPy's "delta degrees of freedom" for variances: their sums are divided by the count less this.
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::from_vec(vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.std(axis(0).ddof(1)).item(), (14.0f64 / 3.0).sqrt());
    /// ```
    pub fn ddof(self, ddof: usize) -> SpreadAxes {
        SpreadAxes { ddof, ..SpreadAxes::from(self) }
    }

    /// With the order of a norm.
    ///
    /// ```
    /// use darray::{DArray, Norm, axis};
    /// let x = DArray::from_shape_vec((2, 2), vec![3.0, -4.0, 0.0, 2.0]);
    /// assert_eq!(x.norm(axis(0).ord(1)).to_vec(), [3.0, 6.0]);
    /// assert_eq!(x.norm(axis(0).ord(Norm::Inf)).to_vec(), [3.0, 4.0]);
    /// ```
    pub fn ord(self, ord: impl Into<Norm>) -> NormAxes {
        NormAxes { axes: self, ord: ord.into() }
    }

    /// Of the elements alone where the mask, which broadcasts to the array, holds (NumPy's `where`).
    ///
    /// ```
    /// use darray::{DArray, axes, axis};
    /// let x = DArray::from([[1.0, 2.0], [3.0, f64::NAN]]);
    /// assert_eq!(x.mean(axis(1).where_(!x.is_nan())).to_vec(), [1.5, 3.0]);
    /// assert_eq!(x.max(axes(..).where_(x.lt(3.0)).initial(0.0)).item(), 2.0);
    /// ```
    pub fn where_(self, mask: impl AsArray<bool>) -> Over {
        Over::from(self).where_(mask)
    }

    /// Of a start, which is added to sums, multiplied into products, and one of what extrema are of (NumPy's `initial`): a literal, an integer, or a number of the result's
    /// type.
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// assert_eq!(DArray::from([1i64, 2]).sum(axis(0).initial(10)).item(), 13);
    /// assert_eq!(DArray::<f64>::zeros(0).max(axis(0).initial(-1)).item(), -1.0);
    /// ```
    pub fn initial<V>(self, initial: V) -> Over<V> {
        Over { axes: self, mask: None, initial, dtype: PhantomData }
    }

    /// With the type that elements are cast to first, and that the result has (NumPy's `dtype`).
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::<u8>::full(1000, 200);
    /// assert_eq!(x.sum(axis(0).dtype::<f32>()).item(), 200_000f32);
    /// ```
    pub fn dtype<D: Element>(self) -> Over<(), As<D>> {
        Over::from(self).dtype()
    }
}

/// Axes with a mask, a start or an element type: made by [`Axes::where_`], [`Axes::initial`] and [`Axes::dtype`]. What it has is in its type, so that a reduction
/// which does not take it does not compile.
///
/// ```
/// use darray::{DArray, axis};
/// let (x, mask) = (DArray::from([1u8, 2, 4]), DArray::from([true, false, true]));
/// let over = axis(0).where_(&mask).initial(0.5).dtype::<f64>().keepdims();
/// assert_eq!(x.sum(over).to_vec(), [5.5]);
/// ```
#[derive(Debug)]
pub struct Over<V = (), D = ()> {
    axes: Axes,
    mask: Option<DynArray>,
    initial: V,
    dtype: PhantomData<D>,
}

/// The element type `D` that was asked for, of [`Over`].
///
/// ```
/// use darray::{As, Over, axis};
/// let over: Over<(), As<f32>> = axis(0).dtype::<f32>();
/// assert!(format!("{over:?}").contains("f32"));
/// ```
#[derive(Debug)]
pub struct As<D>(PhantomData<D>);

impl From<Axes> for Over {
    fn from(axes: Axes) -> Over {
        axes.initial(())
    }
}

impl<V, D> Over<V, D> {
    /// As [`Axes::keepdims`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// assert_eq!(DArray::from([1i64, 2]).sum(axis(0).initial(1).keepdims()).to_vec(), [4]);
    /// ```
    pub fn keepdims(self) -> Over<V, D> {
        Over { axes: self.axes.keepdims(), ..self }
    }

    /// As [`Axes::where_`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::from([1i64, 2]);
    /// assert_eq!(x.sum(axis(0).initial(5).where_(x.gt(1))).item(), 7);
    /// ```
    #[track_caller]
    pub fn where_(self, mask: impl AsArray<bool>) -> Over<V, D> {
        Over { mask: Some(mask.as_array().as_dyn().alias()), ..self }
    }

    fn options(self, initial: Option<WeakScalar>, dtype: Option<DType>) -> ReduceOptions {
        ReduceOptions { axes: self.axes, mask: self.mask, initial, dtype }
    }
}

impl<D> Over<(), D> {
    /// As [`Axes::initial`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::from([1i64, 2]);
    /// assert_eq!(x.prod(axis(0).where_(x.gt(1)).initial(5)).item(), 10);
    /// ```
    pub fn initial<V>(self, initial: V) -> Over<V, D> {
        Over { axes: self.axes, mask: self.mask, initial, dtype: PhantomData }
    }
}

impl<V> Over<V, ()> {
    /// As [`Axes::dtype`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// assert_eq!(DArray::from([1i64, 2]).sum(axis(0).initial(0.5).dtype::<f64>()).item(), 3.5);
    /// ```
    pub fn dtype<D: Element>(self) -> Over<V, As<D>> {
        Over { axes: self.axes, mask: self.mask, initial: self.initial, dtype: PhantomData }
    }
}

impl Over {
    /// As [`Axes::ddof`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::from([1.0, 3.0, 100.0]);
    /// assert_eq!(x.var(axis(0).where_(x.lt(9)).ddof(1)).item(), 2.0);
    /// ```
    pub fn ddof(self, ddof: usize) -> SpreadAxes {
        SpreadAxes { axes: self.axes, ddof, mask: self.mask }
    }
}

/// A start of results of type `T`: none, or a number that stands beside an array of them.
///
/// ```
/// use darray::Initial;
/// assert_eq!(Initial::<f32>::start(2), Some(2.into()));
/// assert_eq!(Initial::<f32>::start(()), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "a result of type `{T}` does not start from `{Self}`",
    label = "a start is a literal, an integer, or a number of the result's type: `x as {T}`"
)]
pub trait Initial<T> {
    /// The start.
    fn start(self) -> Option<WeakScalar>;
}

#[diagnostic::do_not_recommend]
impl<T> Initial<T> for () {
    fn start(self) -> Option<WeakScalar> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: ScalarLike + FitsIn<T>> Initial<T> for S {
    fn start(self) -> Option<WeakScalar> {
        Some(self.weak())
    }
}

/// An element type that means can have: a float or a complex number.
///
/// ```
/// use darray::{DArray, InexactNumber, axis};
/// fn mean<D: InexactNumber>(x: &DArray<u8>) -> DArray<D> {
///     x.mean(axis(0).dtype::<D>())
/// }
/// assert_eq!(mean::<f32>(&DArray::from([1u8, 2])).item(), 1.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "means are floats or complex numbers, not `{Self}`",
    label = "write `.dtype::<f32>()` or leave it away"
)]
pub trait InexactNumber: Number + Element<Inexact = Self> {}

#[diagnostic::do_not_recommend]
impl<D: Number + Element<Inexact = D>> InexactNumber for D {}

/// A trait for what a family of reductions takes: axes, and [`Over`] with the options of the family.
macro_rules! families {
    ($(
        $(#[$doc:meta])+
        $family:ident of $t:ident: $plain:ty;
        $([$($p:ident: $bound:path),*] $over:ty => $output:ty, $start:expr, $dtype:expr;)+
    )+) => { $(
        $(#[$doc])+
        pub trait $family<$t: Element> {
            /// The element type of the results.
            type Output: Element;

            /// Without static types.
            fn options(self) -> ReduceOptions;
        }

        // One for all that says axes, so that the results' type is known while a literal has none.
        #[diagnostic::do_not_recommend]
        impl<$t: Element, A: Into<Axes>> $family<$t> for A {
            type Output = $plain;

            fn options(self) -> ReduceOptions {
                self.into().into()
            }
        }

        $(
            #[diagnostic::do_not_recommend]
            impl<$t: Element, $($p: $bound),*> $family<$t> for $over {
                type Output = $output;

                #[allow(clippy::redundant_closure_call)]
                fn options(self) -> ReduceOptions {
                    let Over { axes, mask, initial, .. } = self;
                    let initial = $start(initial);
                    Over { axes, mask, initial: (), dtype: PhantomData::<()> }.options(initial, $dtype)
                }
            }
        )+
    )+ };
}

families! {
    /// What sums and products go over: `..` for all elements, `0`, `[0, -1]`, or `axis(0)` with `.keepdims()`, `.where_(&mask)`, `.initial(v)`, `.dtype::<f64>()`.
    ///
    /// ```
    /// use darray::{DArray, SumAxes, axis};
    /// fn total<A: SumAxes<u8>>(x: &DArray<u8>, over: A) -> DArray<A::Output> {
    ///     x.sum(over)
    /// }
    /// let x = DArray::<u8>::full(300, 1);
    /// assert_eq!((total(&x, ..).item(), total(&x, axis(0).dtype::<f32>()).item()), (300u64, 300f32));
    /// ```
    #[diagnostic::on_unimplemented(
        message = "sums and products do not go over `{Self}`",
        label = "write `..` for all, `0`, `[0, 1]`, or `axis(0)` with `.keepdims()`, `.where_(&m)`, `.initial(v)`, `.dtype::<f64>()`",
        note = "a start, `.initial(v)`, is a literal, an integer, or a number of the result's type"
    )]
    SumAxes of T: T::Accumulator;
        [V: Initial<T::Accumulator>] Over<V> => T::Accumulator, Initial::<T::Accumulator>::start, None;
        [D: Number, V: Initial<D>] Over<V, As<D>> => D, Initial::<D>::start, Some(D::DTYPE);

    /// What means go over: `..` for all elements, `0`, `[0, -1]`, or `axis(0)` with `.keepdims()`, `.where_(&mask)`, `.dtype::<f32>()`.
    ///
    /// ```
    /// use darray::{DArray, MeanAxes};
    /// fn middle<A: MeanAxes<i64>>(x: &DArray<i64>, over: A) -> DArray<A::Output> {
    ///     x.mean(over)
    /// }
    /// assert_eq!(middle(&DArray::from([1i64, 2]), 0).item(), 1.5);
    /// ```
    #[diagnostic::on_unimplemented(
        message = "means do not go over `{Self}`",
        label = "write `..` for all, `0`, `[0, 1]`, or `axis(0)` with `.keepdims()`, `.where_(&m)`, `.dtype::<f32>()`"
    )]
    MeanAxes of T: T::Inexact;
        [] Over => T::Inexact, |()| None, None;
        [D: InexactNumber] Over<(), As<D>> => D, |()| None, Some(D::DTYPE);

    /// What minima and maxima go over: `..` for all elements, `0`, `[0, -1]`, or `axis(0)` with `.keepdims()`, `.initial(v)`, and with that `.where_(&mask)`.
    ///
    /// ```
    /// use darray::{DArray, ExtremumAxes};
    /// fn top<A: ExtremumAxes<i64>>(x: &DArray<i64>, over: A) -> DArray<A::Output> {
    ///     x.max(over)
    /// }
    /// assert_eq!(top(&DArray::from([1i64, 2]), 0).item(), 2);
    /// ```
    #[diagnostic::on_unimplemented(
        message = "minima and maxima do not go over `{Self}`",
        label = "write `..` for all, `0`, `[0, 1]`, or `axis(0)` with `.keepdims()`, `.initial(v)`, `.where_(&m)`",
        note = "a start, `.initial(v)`, is a literal, an integer, or a number of the result's type",
        note = "the larger of two arrays, element by element, is `np::maximum(&a, &b)`"
    )]
    ExtremumAxes of T: T;
        [V: Initial<T>] Over<V> => T, Initial::<T>::start, None;

    /// What `any` and `all` go over: `..` for all elements, `0`, `[0, -1]`, or `axis(0)` with `.keepdims()`, `.where_(&mask)`.
    ///
    /// ```
    /// use darray::{DArray, TestAxes};
    /// fn some<A: TestAxes<i64, Output = bool>>(x: &DArray<i64>, over: A) -> DArray<bool> {
    ///     x.any(over)
    /// }
    /// assert!(some(&DArray::from([0i64, 2]), 0).item());
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`any` and `all` do not go over `{Self}`",
        label = "write `..` for all, `0`, `[0, 1]`, or `axis(0)` with `.keepdims()`, `.where_(&m)`"
    )]
    TestAxes of T: bool;
        [] Over => bool, |()| None, None;
}

/// What reductions without options go over: `..` for all elements, `0`, `[0, -1]`, or `axis(0).keepdims()`.
///
/// ```
/// use darray::{DArray, PlainAxes};
/// fn first<A: PlainAxes>(x: &DArray<i64>, over: A) -> DArray<i64> {
///     x.argmax(over)
/// }
/// assert_eq!(first(&DArray::from([1, 2]), 0).item(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say axes alone",
    label = "write `..` for all, `0`, `[0, 1]`, or `axis(0).keepdims()`: this reduction has no other options"
)]
pub trait PlainAxes: Into<Axes> {}

#[diagnostic::do_not_recommend]
impl<A: Into<Axes>> PlainAxes for A {}

/// What variances and standard deviations go over: `..` for all elements, `0`, `[0, -1]`, or `axis(0)` with `.ddof(1)`, `.keepdims()`, `.where_(&mask)`.
///
/// ```
/// use darray::{DArray, SpreadAxes, axis};
/// let x = DArray::from([[1.0, 3.0], [2.0, 2.0]]);
/// assert_eq!(x.var(axis(1).ddof(1).keepdims()).to_vec(), [2.0, 0.0]);
/// assert_eq!(x.var(SpreadAxes::from(1)).to_vec(), [1.0, 0.0]);
/// ```
#[derive(Debug)]
pub struct SpreadAxes {
    axes: Axes,
    ddof: usize,
    mask: Option<DynArray>,
}

impl SpreadAxes {
    /// As [`Axes::keepdims`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::<f64>::ones((2, 3));
    /// assert_eq!(x.var(axis(1).ddof(1).keepdims()).shape(), [2, 1]);
    /// ```
    pub fn keepdims(self) -> SpreadAxes {
        SpreadAxes { axes: self.axes.keepdims(), ..self }
    }

    /// As [`Axes::where_`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::from([1.0, 3.0, 100.0]);
    /// assert_eq!(x.var(axis(0).ddof(1).where_(x.lt(9))).item(), 2.0);
    /// ```
    #[track_caller]
    pub fn where_(self, mask: impl AsArray<bool>) -> SpreadAxes {
        SpreadAxes { mask: Some(mask.as_array().as_dyn().alias()), ..self }
    }

    /// The options, and the degrees of freedom.
    pub(crate) fn take(self) -> (ReduceOptions, usize) {
        (ReduceOptions { mask: self.mask, ..self.axes.into() }, self.ddof)
    }
}

impl From<Over> for SpreadAxes {
    fn from(over: Over) -> SpreadAxes {
        over.ddof(0)
    }
}

/// The axes of a norm: as [`Axes`], for the Euclidean norm, or of [`Axes::ord`].
///
/// ```
/// use darray::{NormAxes, axis};
/// assert_eq!(NormAxes::from(0), axis(0).ord(2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NormAxes {
    pub(crate) axes: Axes,
    pub(crate) ord: Norm,
}

impl NormAxes {
    /// As [`Axes::keepdims`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::<f64>::ones((2, 3));
    /// assert_eq!(x.norm(axis(1).ord(1).keepdims()).shape(), [2, 1]);
    /// ```
    pub fn keepdims(self) -> NormAxes {
        NormAxes { axes: self.axes.keepdims(), ..self }
    }
}

/// What has axes and options takes whatever says axes.
macro_rules! with_options {
    ($([$($generics:tt)*] $t:ty;)*) => { $(
        impl $($generics)* From<$t> for SpreadAxes {
            fn from(axes: $t) -> SpreadAxes {
                SpreadAxes { axes: Axes::from(axes), ddof: 0, mask: None }
            }
        }

        impl $($generics)* From<$t> for NormAxes {
            fn from(axes: $t) -> NormAxes {
                Axes::from(axes).ord(Norm::Two)
            }
        }
    )* };
}

with_options! {
    [] Axes;
    [] RangeFull;
    [] &[isize];
    [] Vec<isize>;
    [] i32;
    [] usize;
    [] isize;
    [<const N: usize>] [i32; N];
    [<const N: usize>] [usize; N];
    [<const N: usize>] [isize; N];
    [] Option<isize>;
    [<A: Index>] (A,);
    [<A: Index, B: Index>] (A, B);
    [<A: Index, B: Index, C: Index>] (A, B, C);
    [<A: Index, B: Index, C: Index, D: Index>] (A, B, C, D);
}
