//! Reductions of complex numbers: of either part where that is what they are, of masks and distances, and by order.

use super::{Composition, Norm, Reduction};
use crate::elementwise::nullary::filled_in;
use crate::elementwise::operand::undefined;
use crate::elementwise::untyped::{select_as, update_as};
use crate::{Binary, DynArray, Unary};
use darray_core::{Ix, Result, Scalar, Shape};
use darray_kernel::ir::Reducer;
use smallvec::SmallVec;

impl Composition<'_> {
    /// The reduction of a complex array with these parts.
    pub(super) fn reduce_complex(
        &self,
        z: &DynArray,
        [re, im]: &[DynArray; 2],
        reduction: Reduction,
    ) -> Result<DynArray> {
        match reduction {
            Reduction::Sum | Reduction::Mean => {
                let (re, im) = (self.reduce(re, reduction)?, self.reduce(im, reduction)?);
                DynArray::complex_of(re, im, self.name, self.place)
            }
            Reduction::Prod => self.complex_product(&self.only(z, 1.0)?),
            Reduction::Var { ddof } => self.complex_variance(z, ddof),
            Reduction::Std { ddof } => self.root(&self.complex_variance(z, ddof)?),
            Reduction::Norm(Norm::Two) => {
                let sizes = z.norm_sqr_as(self.name, self.place)?;
                self.root(&self.reduce(&sizes, Reduction::Sum)?)
            }
            Reduction::Norm(norm) => {
                self.check_norm(norm)?;
                self.reduce(&self.apply_one(Unary::Abs, z)?, reduction)
            }
            Reduction::Any | Reduction::All | Reduction::CountNonzero => {
                self.reduce(&z.nonzero_as(self.name, self.place)?, reduction)
            }
            Reduction::Min | Reduction::Max => self.complex_extreme(z, reduction),
            Reduction::ArgMin | Reduction::ArgMax => {
                let index = self.complex_index(z, reduction)?;
                index.reshape_to(&self.shape, self.name, self.place)
            }
            Reduction::Ptp => {
                let largest = self.complex_extreme(z, Reduction::Max)?;
                self.apply(Binary::Sub, &largest, &self.complex_extreme(z, Reduction::Min)?)
            }
            Reduction::Median => self.complex_median(z),
            Reduction::Quantile { .. } => Err(undefined(self.name, &[z.dtype()], self.place)),
            _ => self.without_nan(z, reduction),
        }
    }

    /// The mean of the squared distances from the mean.
    fn complex_variance(&self, z: &DynArray, ddof: usize) -> Result<DynArray> {
        let mean = self.reduce(z, Reduction::Mean)?;
        let deviations = self.only(&self.apply(Binary::Sub, z, &self.spread(&mean)?)?, 0.0)?;
        let squares = deviations.norm_sqr_as(self.name, self.place)?;
        self.share(self.fold(&squares, Reducer::Sum, squares.real_type())?, ddof)
    }

    /// The elements of one half are multiplied by those of the other until one is left: a kernel for every factor of two, since a
    /// fold of two numbers at once is no reduction of kernels.
    fn complex_product(&self, z: &DynArray) -> Result<DynArray> {
        if self.count == 0 {
            let one = Scalar::from(true).into();
            let (runtime, dtype) = (z.runtime(), z.dtype());
            return filled_in(runtime, self.name, dtype, &self.shape, one, self.place);
        }
        let mut rows = self.rows(z)?;
        loop {
            let count = *rows.shape().last().expect("the axis of the elements of a row");
            if count == 1 {
                // Of one element nothing has been multiplied: the result is no view of it.
                let copy = rows.copy_as(self.name, rows.dtype(), self.place)?;
                return copy.reshape_to(&self.shape, self.name, self.place);
            }
            let (half, rest) = (count / 2, count % 2);
            let first = along(&rows, 0, half + rest)?;
            let second = along(&rows, half + rest, count)?;
            rows = match rest {
                0 => self.apply(Binary::Mul, &first, &second)?,
                // The odd one stays as it is.
                _ => {
                    let copy = first.copy_as(self.name, first.dtype(), self.place)?;
                    let paired = along(&copy, 0, half)?;
                    update_as(self.name, Binary::Mul, &paired, (&second).into(), self.place)?;
                    copy
                }
            };
        }
    }

    /// The elements that make one result as the last axis, behind those that are not reduced.
    pub(super) fn rows(&self, x: &DynArray) -> Result<DynArray> {
        let is_reduced = |axis: &usize| self.axes >> axis & 1 == 1;
        let parallel = (0..self.rank).filter(|axis| !is_reduced(axis));
        let extents = parallel.clone().map(|axis| x.shape()[axis]);
        let shape: Shape = extents.chain([self.count]).collect();
        let order = parallel.chain((0..self.rank).filter(is_reduced)).map(|axis| axis as isize);
        let order: SmallVec<[isize; 8]> = order.collect();
        x.permute(&order)?.reshape_to(&shape, self.name, self.place)
    }

    /// The least or greatest element, the first one with NaN before all.
    fn complex_extreme(&self, z: &DynArray, reduction: Reduction) -> Result<DynArray> {
        let by = match reduction {
            Reduction::Min => Reduction::ArgMin,
            _ => Reduction::ArgMax,
        };
        let index = self.complex_index(z, by)?;
        let taken = self.rows(z)?.take_along_axis_as(&index, Some(-1), self.name, self.place)?;
        taken.reshape_to(&self.shape, self.name, self.place)
    }

    /// By row its place, as an axis of one element: the first element with NaN, else the first of those whose imaginary part is the
    /// least of those whose real part is.
    fn complex_index(&self, z: &DynArray, by: Reduction) -> Result<DynArray> {
        let rows = self.rows(z)?;
        let last = rows.shape().len() - 1;
        let mut shape = rows.shape_of().clone();
        shape[last] = 1;
        let row = Composition { rank: last + 1, axes: 1 << last, shape, ..*self };
        let (fold, worst) = match by {
            Reduction::ArgMin => (Reducer::Min, f64::INFINITY),
            _ => (Reducer::Max, f64::NEG_INFINITY),
        };
        let [re, im] = rows.parts().expect("the parts of complex elements");
        let nan = row.apply_one(Unary::IsNan, &rows)?;
        // The worst among what does not count, the best of the rest, and where that is.
        let best = |part: &DynArray, out: &DynArray| {
            let part = row.replace(out, worst, part)?;
            let best = row.fold(&part, fold, part.real_type())?;
            row.apply(Binary::Ne, &part, &best)
        };
        let out = row.apply(Binary::Or, &best(&re, &nan)?, &nan)?;
        let out = row.apply(Binary::Or, &best(&im, &out)?, &out)?;
        let any_nan = row.fold(&nan, Reducer::Any, nan.real_type())?;
        let found = row.apply_one(Unary::Not, &out)?;
        let found = select_as(self.name, &any_nan, (&nan).into(), (&found).into(), self.place)?;
        row.reduce(&found, Reduction::ArgMax)
    }

    /// The element in the middle of the sorted ones, or the mean of the two there.
    fn complex_median(&self, z: &DynArray) -> Result<DynArray> {
        if self.count == 0 {
            return self.reduce(z, Reduction::Mean);
        }
        let sorted = self.rows(z)?.sorted(Some(-1), false, self.name, self.place)?;
        let element = |number: usize| {
            let element = sorted.slice([Ix::Ellipsis, Ix::from(number as isize)])?;
            element.reshape_to(&self.shape, self.name, self.place)
        };
        let upper = element(self.count / 2)?;
        let value = match self.count % 2 {
            1 => upper.copy_as(self.name, upper.dtype(), self.place)?,
            _ => {
                let sum = self.apply(Binary::Add, &element(self.count / 2 - 1)?, &upper)?;
                self.apply(Binary::Div, &sum, 2.0)?
            }
        };
        // NaN is sorted to the end.
        let last = element(self.count - 1)?;
        let nan = self.apply_one(Unary::IsNan, &last)?;
        select_as(self.name, &nan, (&last).into(), (&value).into(), self.place)
    }
}

/// A range of the last axis.
fn along(z: &DynArray, start: usize, end: usize) -> Result<DynArray> {
    let (start, end) = (Some(start as isize), Some(end as isize));
    z.slice([Ix::Ellipsis, Ix::Range { start, end, step: 1 }])
}
