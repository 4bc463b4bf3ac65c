//! What is chosen of a typed array.

use super::DynPicked;
use crate::error::expect_at_caller;
use crate::{Assignable, Binary, DArray, Element, Integral};
use darray_core::Result;
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

/// What masks and arrays of indices choose of an array: what [`DArray::slice`] gives for an index with one of them.
///
/// Rules:
/// - Read, it is an array of its own, with the elements from when the slice was made, as NumPy's `a[mask]`: operators take it, it has all
///   methods of a [`DArray`], `&a.slice(&mask)` is a `&DArray<T>`, and [`array`](Self::array) is the array.
/// - [`assign`](Self::assign), [`add_assign`](Self::add_assign) and the like write into the array that was sliced, as NumPy's
///   `a[mask] = value` and `a[mask] += value`. Other methods that write are those of the array of its own.
/// - Masks and indices are those from when the slice was made.
///
/// With a mask, reading it the first time flushes, and waits for the mask alone, since the extent depends on it. An index out of range
/// is an error when the array is read, and names index, axis and line.
///
/// ```
/// use darray::{DArray, s};
/// let x = DArray::<f64>::arange(6).reshape((2, 3));
/// let large = x.slice(x.gt(2.5));
/// assert_eq!((large.len(), (&large * 2.0).to_vec()), (3, vec![6.0, 8.0, 10.0]));
/// x.slice(x.gt(2.5)).assign(0.0);
/// x.slice(s![.., [0, -1]]).add_assign(1.0);
/// assert_eq!(x.to_vec(), [1.0, 1.0, 3.0, 1.0, 0.0, 1.0]);
/// assert_eq!(large.to_vec(), [3.0, 4.0, 5.0]);
/// ```
#[must_use = "it is read as an array, and written by `assign(..)`, `add_assign(..)` and the like"]
pub struct Picked<T: Element = f64> {
    raw: DynPicked,
    array: OnceLock<DArray<T>>,
}

impl<T: Element> Picked<T> {
    /// A typed handle; the element type is known to fit.
    pub(crate) fn wrap(raw: DynPicked) -> Picked<T> {
        Picked { raw, array: OnceLock::new() }
    }

    /// The elements that are chosen.
    ///
    /// # Panics
    ///
    /// If computing a mask failed, a mask holds another number of elements than arrays beside it have, or there are indices into an axis
    /// without elements.
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::from([5, 6, 7]);
    /// let picked: DArray<i64> = x.slice(s![[2, 0]]).array();
    /// assert_eq!(picked.to_vec(), [7, 5]);
    /// ```
    #[track_caller]
    pub fn array(&self) -> DArray<T> {
        self.deref().alias()
    }

    /// As [`array`](Self::array); what would panic is an error.
    ///
    /// ```
    /// use darray::{Fallible, DArray, s};
    /// let x = DArray::<f64>::ones((2, 3));
    /// assert_eq!(x.slice(s![.., [1]]).try_array().unwrap().shape(), [2, 1]);
    /// ```
    pub fn try_array(&self) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.raw.array()?))
    }

    /// NumPy's `a[mask] = value`: writes the value, broadcast to what is chosen, into the array that was sliced, as if all were read first.
    /// What is chosen several times gets the last value. With one mask and a value of which all elements of the mask get the same, a
    /// number or a row, nothing is counted and nothing waits: it is one element-wise operation.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, the array that was sliced is a view that repeats elements, or as [`array`](Self::array) does.
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::from([3, -1, -2, 5]);
    /// x.slice(x.lt(0)).assign(0);
    /// x.slice(s![[0, -1]]).assign(&DArray::from([7, 8]));
    /// assert_eq!(x.to_vec(), [7, 0, 0, 8]);
    /// ```
    #[track_caller]
    pub fn assign<R: Assignable<T>>(self, value: R) {
        expect_at_caller(self.raw.assign(value.argument()));
    }

    /// As [`assign`](Self::assign); what would panic is an error.
    ///
    /// ```
    /// use darray::{Fallible, DArray, s};
    /// let x = DArray::<f64>::ones(3);
    /// let error = x.slice(s![[0, 1]]).try_assign(&DArray::<f64>::ones(3)).unwrap_err();
    /// assert!(error.to_string().starts_with("assign: shapes [2] and [3] do not broadcast"));
    /// ```
    #[track_caller]
    pub fn try_assign<R: Assignable<T>>(self, value: R) -> Result<()> {
        self.raw.assign(value.argument())
    }

    /// NumPy's `np.add.at(a, indices, value)`: adds a value, broadcast to what is chosen; what is chosen several times gets all its values, in
    /// the order of the indices. See [`DArray::add_at`].
    ///
    /// # Panics
    ///
    /// As [`assign`](Self::assign).
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::<f64>::zeros((2, 2));
    /// x.slice(s![[0, 1, 0], [1, 1, 1]]).add_at(0.5);
    /// assert_eq!(x.to_vec(), [0.0, 1.0, 0.0, 0.5]);
    /// ```
    #[track_caller]
    pub fn add_at<R: Assignable<T>>(self, value: R) {
        expect_at_caller(self.raw.add_at(value.argument()));
    }

    /// As [`add_at`](Self::add_at); what would panic is an error.
    ///
    /// ```
    /// use darray::{Fallible, DArray, s};
    /// assert!(DArray::<f64>::zeros(3).slice(s![[0, 2]]).try_add_at(DArray::<f64>::ones(3)).is_err());
    /// ```
    #[track_caller]
    pub fn try_add_at<R: Assignable<T>>(self, value: R) -> Result<()> {
        self.raw.add_at(value.argument())
    }
}

/// The updates: NumPy's operator, the method, its `try_` form, and an example: values, the index, the other side, what they become.
macro_rules! updates {
    ($([$($bound:tt)+] $($operator:literal $method:ident $try:ident $operation:ident,
        $values:literal $index:literal $right:literal $result:literal;)+)+) => { $(
        impl<T: Element> Picked<T> where T: $($bound)+ { $(
            #[doc = concat!(
                "NumPy's `a[mask] ", $operator, " value`: what is chosen several times is changed once.\n\n# Panics\n\n",
                "As [`assign`](Self::assign).\n\n```\nuse darray::{DArray, s};\nlet x = DArray::from(", $values, ");\nx.slice(s![",
                $index, "]).", stringify!($method), "(", $right, ");\nassert_eq!(x.to_vec(), ", $result, ");\n```",
            )]
            #[track_caller]
            pub fn $method<R: Assignable<T>>(self, right: R) {
                expect_at_caller(self.raw.update(Binary::$operation, right.argument()));
            }

            #[doc = concat!(
                "As [`", stringify!($method), "`](Self::", stringify!($method), "); what would panic is an error.\n\n```\n",
                "use darray::{DArray, s};\nlet x = DArray::from(", $values, ");\nx.slice(s![", $index, "]).", stringify!($try), "(",
                $right, ").unwrap();\nassert_eq!(x.to_vec(), ", $result, ");\n```",
            )]
            #[track_caller]
            pub fn $try<R: Assignable<T>>(self, right: R) -> Result<()> {
                self.raw.update(Binary::$operation, right.argument())
            }
        )+ }
    )+ };
}

updates! {
    [Element]
        "+=" add_assign try_add_assign Add, "[1, 2, 3]" "[0, 0, -1]" "10" "[11, 2, 13]";
        "-=" sub_assign try_sub_assign Sub, "[1, 2, 3]" "[true, false, true]" "1" "[0, 2, 2]";
        "*=" mul_assign try_mul_assign Mul, "[1, 2, 3]" "[0, 2]" "2" "[2, 2, 6]";
        "%=" rem_assign try_rem_assign Rem, "[5, 6, 7]" "[0, 2]" "4" "[1, 6, 3]";
    [Element<Inexact = T>]
        "/=" div_assign try_div_assign Div, "[1.0, 2.0, 3.0]" "[0, 1]" "4.0" "[0.25, 0.5, 3.0]";
    [Integral]
        "&=" bitand_assign try_bitand_assign And, "[6, 5, 7]" "[0, 1]" "3" "[2, 1, 7]";
        "|=" bitor_assign try_bitor_assign Or, "[6, 5, 8]" "[0, 2]" "1" "[7, 5, 9]";
        "^=" bitxor_assign try_bitxor_assign Xor, "[6, 5, 7]" "[0, 1]" "3" "[5, 6, 7]";
}

impl<T: Element> Deref for Picked<T> {
    type Target = DArray<T>;

    #[track_caller]
    fn deref(&self) -> &DArray<T> {
        if let Some(array) = self.array.get() {
            return array;
        }
        let array = expect_at_caller(self.raw.array());
        self.array.get_or_init(|| DArray::wrap(array))
    }
}

impl<T: Element> From<Picked<T>> for DArray<T> {
    #[track_caller]
    fn from(picked: Picked<T>) -> DArray<T> {
        picked.array()
    }
}

impl<T: Element> fmt::Display for Picked<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

impl<T: Element> fmt::Debug for Picked<T> {
    /// As that of the array.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.try_array() {
            Ok(array) => fmt::Debug::fmt(&array, f),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}
