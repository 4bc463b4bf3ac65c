//! Medians and quantiles: what is reduced is sorted along one axis, and some of its elements are looked at.

use super::composition::Composition;
use crate::{Binary, DynArray};
use darray_core::{Error, ErrorKind, Ix, Result, Shape, check_shape};

impl Composition<'_> {
    /// The median of one element or more.
    pub(super) fn median(&self, x: &DynArray) -> Result<DynArray> {
        if self.axes == 0 {
            return x.copy_as(self.name, x.real_type().inexact(), self.place);
        }
        let sorted = self.sorted(x)?;
        let upper = self.element(&sorted, self.count / 2)?;
        if self.count % 2 == 1 {
            return self.or_nan(&upper, &sorted);
        }
        let sum = self.apply(Binary::Add, &self.element(&sorted, self.count / 2 - 1)?, &upper)?;
        self.or_nan(&self.apply(Binary::Div, &sum, 2.0)?, &sorted)
    }

    /// The quantile of one element or more.
    pub(super) fn quantile(&self, x: &DynArray, q: f64) -> Result<DynArray> {
        self.check_quantile(q)?;
        match self.axes {
            0 => x.copy_as(self.name, x.dtype().inexact(), self.place),
            _ => self.quantile_of(&self.sorted(x)?, q),
        }
    }

    /// Several, of one sort: along an axis in front.
    pub(super) fn quantiles(&self, x: &DynArray, quantiles: &[f64]) -> Result<DynArray> {
        quantiles.iter().try_for_each(|&q| self.check_quantile(q))?;
        let dtype = x.real_type().inexact();
        let shape: Shape =
            std::iter::once(quantiles.len()).chain(self.shape.iter().copied()).collect();
        check_shape(&shape).map_err(|kind| Error::new(self.name, kind, self.place))?;
        let all = DynArray::allocate(x.runtime(), dtype.into(), &shape);
        let sorted = if self.axes == 0 { x.alias() } else { self.sorted(x)? };
        for (number, &q) in quantiles.iter().enumerate() {
            let value = match self.axes {
                0 => x.alias(),
                _ => self.quantile_of(&sorted, q)?,
            };
            let value = self.cast(&value, dtype)?;
            all.slice([Ix::from(number as isize)])?.assign_as(
                (&value).into(),
                self.name,
                self.place,
            )?;
        }
        Ok(all)
    }

    fn check_quantile(&self, q: f64) -> Result<()> {
        if (0.0..=1.0).contains(&q) {
            return Ok(());
        }
        let message = format!("a quantile is between 0 and 1, not {q}");
        Err(Error::new(self.name, ErrorKind::Argument { message }, self.place))
    }

    /// The quantile of sorted elements.
    fn quantile_of(&self, sorted: &DynArray, q: f64) -> Result<DynArray> {
        let place = q * (self.count - 1) as f64;
        let (lower, part) = (self.element(sorted, place as usize)?, place.fract());
        if part == 0.0 {
            return self.or_nan(&lower, sorted);
        }
        let upper = self.element(sorted, place as usize + 1)?;
        let distance = self.apply(Binary::Sub, &upper, &lower)?;
        // From the nearer end, so that a rounding leads beyond neither.
        let value = if part < 0.5 {
            self.apply(Binary::Add, &lower, &self.apply(Binary::Mul, &distance, part)?)?
        } else {
            let rest = self.apply(Binary::Mul, &distance, 1.0 - part)?;
            self.apply(Binary::Sub, &upper, &rest)?
        };
        self.or_nan(&value, sorted)
    }

    /// What is reduced, in ascending order along a last axis in place of the reduced ones.
    fn sorted(&self, x: &DynArray) -> Result<DynArray> {
        self.rows(x)?.sorted(Some(-1), false, self.name, self.place)
    }

    /// One of the sorted elements of each result, as a float that kernels compute with.
    fn element(&self, sorted: &DynArray, number: usize) -> Result<DynArray> {
        let element = sorted.slice([Ix::Ellipsis, Ix::from(number as isize)])?;
        let element = element.reshape_to(&self.shape, self.name, self.place)?;
        self.cast(&element, sorted.real_type().inexact().compute())
    }

    /// NaN where the last of the sorted elements is NaN.
    fn or_nan(&self, value: &DynArray, sorted: &DynArray) -> Result<DynArray> {
        if !sorted.real_type().is_float() {
            return Ok(value.alias());
        }
        let last = self.element(sorted, self.count - 1)?;
        self.replace(&self.apply(Binary::Ne, &last, &last)?, f64::NAN, value)
    }
}
