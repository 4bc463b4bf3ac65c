//! Lists of indices and of truth values that are written in the program.

use crate::DynArray;
use crate::Index;
use darray_core::{DType, Place, Result, Shape};

/// Indices or truth values of a list in the program, which become an array of the runtime of what is indexed.
///
/// ```
/// use darray::{List, Pick};
/// let list = List::new(&[[1, 0], [2, -1]]);
/// assert!(matches!(Pick::from(list), Pick::List(_)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    is_mask: bool,
    shape: Shape,
    values: Vec<i64>,
}

impl List {
    /// Of these elements, which may be lists themselves.
    ///
    /// ```
    /// use darray::List;
    /// assert_eq!(List::new(&[1, 0]), List::new(&vec![1u8, 0]));
    /// ```
    pub fn new<E: ListElement>(list: &[E]) -> List {
        let shape = [list.len()].into_iter().chain(E::extents()).collect();
        let mut values = Vec::new();
        list.iter().for_each(|element| element.append(&mut values));
        List { is_mask: E::IS_MASK, shape, values }
    }

    /// As an array of the runtime of another.
    pub(crate) fn array(
        &self,
        like: &DynArray,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let (dtype, bytes) = match self.is_mask {
            true => (DType::Bool, self.values.iter().map(|&value| value as u8).collect()),
            false => {
                (DType::I64, self.values.iter().flat_map(|value| value.to_ne_bytes()).collect())
            }
        };
        let make = || crate::array::host::of_bytes(name, &self.shape, dtype, bytes, place);
        like.runtime().scope(make)
    }
}

/// What lists of indices and of truth values are made of: integers of any type, bool, and arrays of those.
///
/// ```
/// use darray::{DArray, s};
/// let x = DArray::<i64>::arange(4);
/// assert_eq!(x.slice(s![[[0, 1], [2, -1]]]).shape(), [2, 2]);
/// assert_eq!(x.slice(s![[true, false, false, true]]).to_vec(), [0, 3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "a list of `{Self}` is no index",
    label = "lists in an index are of integers or of bool: `[0, 2]`, `[true, false]`"
)]
pub trait ListElement {
    /// Whether they are truth values.
    const IS_MASK: bool;

    /// The extents of one.
    fn extents() -> Vec<usize>;

    /// Writes its numbers behind others.
    fn append(&self, numbers: &mut Vec<i64>);
}

#[diagnostic::do_not_recommend]
impl<I: Index> ListElement for I {
    const IS_MASK: bool = false;

    fn extents() -> Vec<usize> {
        Vec::new()
    }

    fn append(&self, numbers: &mut Vec<i64>) {
        numbers.push(self.index() as i64);
    }
}

#[diagnostic::do_not_recommend]
impl ListElement for bool {
    const IS_MASK: bool = true;

    fn extents() -> Vec<usize> {
        Vec::new()
    }

    fn append(&self, numbers: &mut Vec<i64>) {
        numbers.push(*self as i64);
    }
}

#[diagnostic::do_not_recommend]
impl<E: ListElement, const N: usize> ListElement for [E; N] {
    const IS_MASK: bool = E::IS_MASK;

    fn extents() -> Vec<usize> {
        [N].into_iter().chain(E::extents()).collect()
    }

    fn append(&self, numbers: &mut Vec<i64>) {
        self.iter().for_each(|element| element.append(numbers));
    }
}
