//! Operators that arrays do not have, and that people who know NumPy write: `a > 0.5`, `a[[0, 1]]`, `total += a.sum(..)`.
//!
//! These impls exist for what the compiler says. Each has a bound that no type fulfils, and the text of the bound says what to
//! write instead; without the impls the compiler would say that an operator is missing, or list those of other types.
//! A test of the suite, `messages`, has a program for each.

use crate::{DArray, Element};
use std::cmp::Ordering;
use std::ops;

/// What no impl of this file is ever asked for.
fn never() -> ! {
    unreachable!("no type fulfils the bound")
}

/// Types without values that fulfil bounds which no type in use fulfils. They are two so that the compiler does not conclude from the
/// bound what stands on the right.
#[doc(hidden)]
pub enum Nobody {}
/// See [`Nobody`].
#[doc(hidden)]
pub enum NobodyElse {}

/// What arrays as wholes are compared with. The bound is on `(R,)`: on `R` the compiler says its own text where both sides have
/// one type.
#[diagnostic::on_unimplemented(
    message = "arrays have no `==`, `<` or `>` that would give one bool: a mask is `a.gt(0.5)`, `a.lt(&b)`, `a.eq(&b)`",
    label = "write a mask, `.gt(..)`; of an array of one number `x.item() > 0.5`; of whole arrays `a.array_equal(&b).item()`",
    note = "masks combine by `&`, `|` and `!`: `a.gt(0.0) & a.lt(0.5)`; behind two references the mask is `(*a).gt(0.5)`"
)]
#[doc(hidden)]
pub trait ComparedAsWhole {}

#[diagnostic::do_not_recommend]
impl ComparedAsWhole for (Nobody,) {}
#[diagnostic::do_not_recommend]
impl ComparedAsWhole for (NobodyElse,) {}

#[doc(hidden)]
impl<T: Element, R> PartialEq<R> for DArray<T>
where
    (R,): ComparedAsWhole,
{
    fn eq(&self, _: &R) -> bool {
        never()
    }
}

#[doc(hidden)]
impl<T: Element, R> PartialOrd<R> for DArray<T>
where
    (R,): ComparedAsWhole,
{
    fn partial_cmp(&self, _: &R) -> Option<Ordering> {
        never()
    }
}

/// What stands in brackets behind an array.
#[diagnostic::on_unimplemented(
    message = "an element of a lazy array has no address, so there is no `a[i]`: a part is `a.slice(s![i, j])`",
    label = "read: `a.get([i, j])`; write: `a.set([i, j], v)`; rows: `a.at(i)`, `a.slice(s![1..-1])`",
    note = "by a mask or an array of indices: `a.slice(&mask)`, `a.slice(s![&indices, 0])`; they are written by `.assign(v)`, `.add_assign(v)`"
)]
#[doc(hidden)]
pub trait InBrackets {
    /// What it selects. It follows from the index, so that nothing more is said of it.
    type Output: ?Sized;
}

#[diagnostic::do_not_recommend]
impl InBrackets for (Nobody,) {
    type Output = Nobody;
}
#[diagnostic::do_not_recommend]
impl InBrackets for (NobodyElse,) {
    type Output = NobodyElse;
}

#[doc(hidden)]
impl<T: Element, I> ops::Index<I> for DArray<T>
where
    (I,): InBrackets,
{
    type Output = <(I,) as InBrackets>::Output;

    fn index(&self, _: I) -> &Self::Output {
        never()
    }
}

/// An array's element type that is added to a number. The bound is on `(T,)`, as that of [`ComparedAsWhole`] is.
#[diagnostic::on_unimplemented(
    message = "a number does not become a lazy array: read the array's value by `.item()`",
    label = "write `.item()` behind the array, or let the number be an array, too: `let mut total = DArray::<f64>::zeros(())`"
)]
#[doc(hidden)]
pub trait AddedToNumber {}

/// Of numbers whose type is still open the compiler looks only at impls of one type: so one of each kind.
macro_rules! assignments_to_numbers {
    ($($number:ident: $($trait:ident $method:ident)+;)+) => { $($(
        #[doc(hidden)]
        impl<T: Element> ops::$trait<DArray<T>> for $number where (T,): AddedToNumber {
            fn $method(&mut self, _: DArray<T>) {
                never()
            }
        }
    )+)+ };
}

assignments_to_numbers! {
    f64: AddAssign add_assign SubAssign sub_assign MulAssign mul_assign DivAssign div_assign;
    i64: AddAssign add_assign SubAssign sub_assign MulAssign mul_assign DivAssign div_assign;
}
