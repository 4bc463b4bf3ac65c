//! Arrays of nested arrays and vectors, as `np.array` takes nested lists.

use crate::creation::from_elements;
use crate::error::expect_at_caller;
use crate::{DArray, Element};
use darray_core::{Error, ErrorKind, Place, Result, Shape};
use num_complex::Complex;

/// Elements in nested arrays, vectors and slices, all rows of a level equally long.
///
/// ```
/// use darray::DArray;
/// let rows = vec![vec![1u8, 2], vec![3, 4]];
/// assert_eq!(DArray::array(&rows).shape(), [2, 2]);
/// assert_eq!(DArray::<f32>::array([[0.5, 1.0]]).to_vec(), [0.5, 1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no nest of elements of `{T}`",
    label = "write nested arrays, vectors or slices of `{T}`: `[[a, b], [c, d]]`"
)]
pub trait Nest<T> {
    /// Appends the elements; `shape` has the extents of the levels seen so far, from `depth` on those of this one. False where rows of a
    /// level differ in length.
    #[doc(hidden)]
    fn collect(&self, depth: usize, shape: &mut Vec<usize>, elements: &mut Vec<T>) -> bool;
}

#[diagnostic::do_not_recommend]
impl<T: Element> Nest<T> for T {
    fn collect(&self, _: usize, _: &mut Vec<usize>, elements: &mut Vec<T>) -> bool {
        elements.push(*self);
        true
    }
}

/// What [`np::array`](crate::np::array) takes: nests of the types that NumPy has by default, so that a list of literals has a type at once.
///
/// ```
/// use darray::np;
/// assert_eq!(np::array([[1, 2], [3, 4]]).at(1).to_vec(), [3i64, 4]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`np::array` makes arrays of i64, f64, bool and Complex<f64>, and this is `{Self}`",
    label = "of another type: `DArray::<f32>::array([[1.0, 2.0]])`, `DArray::from(vec)`"
)]
pub trait Nested: Nest<Self::Element> {
    /// The type of the elements.
    type Element: Element;
}

macro_rules! nests {
    ($(<$($extent:ident: usize)?> $list:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T, N: Nest<T> $(, const $extent: usize)?> Nest<T> for $list {
            fn collect(&self, depth: usize, shape: &mut Vec<usize>, elements: &mut Vec<T>) -> bool {
                if shape.len() == depth {
                    shape.push(self.len());
                }
                let even = shape[depth] == self.len();
                self.iter().fold(even, |even, row| row.collect(depth + 1, shape, elements) && even)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<N: Nested $(, const $extent: usize)?> Nested for $list {
            type Element = N::Element;
        }
    )* };
}

nests! {
    <K: usize> [N; K];
    <> Vec<N>;
    <> &[N];
    <K: usize> &[N; K];
    <> &Vec<N>;
}

macro_rules! default_types {
    ($($t:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Nested for $t {
            type Element = $t;
        }
    )* };
}

default_types!(i64 f64 bool Complex<f64>);

/// # Creation from nested lists
impl<T: Element> DArray<T> {
    /// An array of nested arrays, vectors or slices (NumPy's `array`), of any element type; `np::array` has NumPy's default types.
    ///
    /// # Panics
    ///
    /// If rows of one level have different lengths, or the elements do not fit into memory.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f32>::array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!((x.shape(), x.get([1, 0])), (&[2, 3][..], 4.0));
    /// ```
    #[track_caller]
    pub fn array(rows: impl Nest<T>) -> DArray<T> {
        expect_at_caller(DArray::array_at(rows, Place::caller()))
    }

    /// As [`array`](Self::array), from this place, with an error.
    pub(crate) fn array_at(rows: impl Nest<T>, place: Place) -> Result<DArray<T>> {
        let (mut shape, mut elements) = (vec![], vec![]);
        let even = rows.collect(0, &mut shape, &mut elements);
        // A first row without rows says nothing of the levels below it.
        if even && shape.iter().product::<usize>() == elements.len() {
            return from_elements("array", shape, elements, place);
        }
        let first: Shape = shape.into_iter().collect();
        let message = format!("rows of one level differ in length; the first ones make {first}");
        Err(Error::new("array", ErrorKind::Argument { message }, place))
    }
}
