//! Arrays as arguments, one or several, by value and by reference.

use crate::{DArray, DynArray, Element};

/// An array of `T` as an argument of a function of [`np`](crate::np), by value or by reference.
///
/// ```
/// use darray::{AsArray, DArray, Element, np};
/// fn spread<T: Element>(x: impl AsArray<T>) -> DArray<T> {
///     np::max(x.as_array(), ..)
/// }
/// let x = DArray::from([3, 1]);
/// assert_eq!((spread(&x).item(), spread(x).item()), (3, 3));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of `{T}`",
    label = "an array is wanted: `&a`, or of numbers `np::array([..])`",
    note = "where element types differ, `.cast::<{T}>()`"
)]
pub trait AsArray<T: Element> {
    /// The array.
    fn as_array(&self) -> &DArray<T>;
}

#[diagnostic::do_not_recommend]
impl<T: Element> AsArray<T> for DArray<T> {
    fn as_array(&self) -> &DArray<T> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> AsArray<T> for &DArray<T> {
    fn as_array(&self) -> &DArray<T> {
        self
    }
}

/// Several arrays of `T` as an argument: an array, slice or vector of them, by value or by reference, or a tuple where some are values.
///
/// ```
/// use darray::{DArray, np};
/// let (x, y) = (DArray::from([1, 2]), DArray::from([3]));
/// assert_eq!(np::concatenate([&x, &y]).to_vec(), [1, 2, 3]);
/// assert_eq!(np::concatenate((&x, DArray::from([4]))).to_vec(), [1, 2, 4]);
/// assert_eq!(np::concatenate(vec![x, y]).shape(), [3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not several arrays of `{T}`",
    label = "write `[&a, &b]`, `&list`, or a tuple where some are values: `(&a, np::zeros(1))`",
    note = "arrays of other element types are cast first: `.cast::<f64>()`"
)]
pub trait Arrays<T: Element> {
    /// The arrays.
    fn arrays(&self) -> Vec<&DArray<T>>;

    /// They without their static type.
    #[doc(hidden)]
    fn untyped(&self) -> Vec<&DynArray> {
        self.arrays().into_iter().map(DArray::as_dyn).collect()
    }
}

macro_rules! lists {
    ($([$($extent:ident)?] $list:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, A: AsArray<T> $(, const $extent: usize)?> Arrays<T> for $list {
            fn arrays(&self) -> Vec<&DArray<T>> {
                self.iter().map(AsArray::as_array).collect()
            }
        }
    )* };
}

lists! {
    [K] [A; K];
    [K] &[A; K];
    [] &[A];
    [] Vec<A>;
    [] &Vec<A>;
}

macro_rules! tuples {
    ($(($($array:ident)*))*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $($array: AsArray<T>),*> Arrays<T> for ($($array,)*) {
            fn arrays(&self) -> Vec<&DArray<T>> {
                #[allow(non_snake_case)]
                let ($($array,)*) = self;
                vec![$($array.as_array()),*]
            }
        }
    )* };
}

tuples!((A) (A B) (A B C) (A B C D));
