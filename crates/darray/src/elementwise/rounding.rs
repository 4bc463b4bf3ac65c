//! Rounding to whole numbers, and to places of the decimal point.

use crate::elementwise::untyped::{binary_as, unary_as};
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Number, Unary};
use darray_core::{Place, Result};

/// NumPy's name for all of them.
const NAME: &str = "round";

/// # Rounding
impl<T: Number> DArray<T> {
    /// The whole numbers nearest to the elements, ties to even, in their type (as NumPy's `round`;
    /// [`rint`](DArray::rint) of integers gives floats).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![0.5, 1.5, -0.4]).round().to_vec(), [0.0, 2.0, -0.0]);
    /// assert_eq!(DArray::from_vec(vec![3, -4]).round().to_vec(), [3, -4]);
    /// ```
    #[track_caller]
    pub fn round(&self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().round()))
    }

    /// The elements rounded to so many decimals, in their type: NumPy's `round(x, decimals)`, with its
    /// bits. Negative numbers count places before the point.
    ///
    /// As NumPy does, this multiplies by `10^decimals`, rounds ties to even, and divides, each step with a
    /// rounding of its own in the element type: what lies near a tie may go either way, and where the
    /// product overflows the result is infinite or NaN. Integers stay where `decimals` is not negative; else
    /// they are rounded in `f64`, and what their type cannot hold saturates.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![0.125, 1.375, -2.71828]);
    /// assert_eq!(x.round_to(2).to_vec(), [0.12, 1.38, -2.72]);
    /// assert_eq!(DArray::from_vec(vec![15, 25, -127]).round_to(-1).to_vec(), [20, 20, -130]);
    /// ```
    #[track_caller]
    pub fn round_to(&self, decimals: i32) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().round_to(decimals)))
    }
}

impl DynArray {
    /// As [`DArray::round`].
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![2.5]));
    /// assert_eq!(DArray::<f64>::try_from(x.round().unwrap()).unwrap().to_vec(), [2.0]);
    /// ```
    #[track_caller]
    pub fn round(&self) -> Result<DynArray> {
        self.round_to(0)
    }

    /// As [`DArray::round_to`].
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![2.345f32]));
    /// let x = DArray::<f32>::try_from(x.round_to(1).unwrap()).unwrap();
    /// assert_eq!(x.to_vec(), [2.3]);
    /// ```
    #[track_caller]
    pub fn round_to(&self, decimals: i32) -> Result<DynArray> {
        let (place, dtype) = (Place::caller(), self.dtype());
        let (first, second) = match decimals {
            0.. if !dtype.part().is_float() => return self.copy_as(NAME, dtype, place),
            0 => return unary_as(NAME, Unary::Rint, self, place),
            1.. => (Binary::Mul, Binary::Div),
            _ => (Binary::Div, Binary::Mul),
        };
        let power = power_of_ten(decimals.unsigned_abs()).into();
        let moved = binary_as(NAME, first, self.into(), power, place)?;
        let whole = unary_as(NAME, Unary::Rint, &moved, place)?;
        let rounded = binary_as(NAME, second, (&whole).into(), power, place)?;
        if rounded.dtype() == dtype { Ok(rounded) } else { rounded.copy_as(NAME, dtype, place) }
    }
}

/// `10^n` as NumPy makes it, one product after the other: beyond `10^22` not always the nearest number.
fn power_of_ten(n: u32) -> f64 {
    // More products change nothing: the power is infinite.
    (0..n.min(400)).fold(1.0, |power, _| power * 10.0)
}
