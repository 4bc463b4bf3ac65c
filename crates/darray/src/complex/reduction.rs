//! Reductions and scans of complex arrays.

use super::arithmetic::{Arithmetic, with_right};
use super::term::Origin;
use super::{ComplexArray, ComplexPart};
use crate::error::expect_at_caller;
use crate::{Axes, DArray, Norm};
use darray_core::{Error, Ix, Result, Scalar, Shape};
use smallvec::SmallVec;

impl<T: ComplexPart> ComplexArray<T> {
    /// The sum of all elements; 0 for none; a 0-d array. Both parts are summed in one kernel.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(3.0, -5.0)]);
    /// assert_eq!(z.sum().item(), Complex::new(4.0, -3.0));
    /// ```
    #[track_caller]
    pub fn sum(&self) -> ComplexArray<T> {
        expect_at_caller(self.try_sum_axis(..))
    }

    /// The sums along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(4).reshape((2, 2)).to_complex();
    /// assert_eq!(z.sum_axis(0).to_string(), "[2.+0.j 4.+0.j]");
    /// ```
    #[track_caller]
    pub fn sum_axis(&self, axes: impl Into<Axes>) -> ComplexArray<T> {
        expect_at_caller(self.try_sum_axis(axes))
    }

    /// As [`sum_axis`](Self::sum_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_sum_axis(1).is_err());
    /// ```
    #[track_caller]
    pub fn try_sum_axis(&self, axes: impl Into<Axes>) -> Result<ComplexArray<T>> {
        let axes = axes.into();
        Ok(ComplexArray::wrap(self.re.try_sum_axis(axes.clone())?, self.im.try_sum_axis(axes)?))
    }

    /// The mean of all elements; a 0-d array.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(3.0, -5.0)]);
    /// assert_eq!(z.mean().item(), Complex::new(2.0, -1.5));
    /// ```
    #[track_caller]
    pub fn mean(&self) -> ComplexArray<T> {
        expect_at_caller(self.try_mean_axis(..))
    }

    /// The means along axes, given as those of [`sum_axis`](Self::sum_axis).
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(4).reshape((2, 2)).to_complex();
    /// assert_eq!(z.mean_axis(1).to_string(), "[0.5+0.j 2.5+0.j]");
    /// ```
    #[track_caller]
    pub fn mean_axis(&self, axes: impl Into<Axes>) -> ComplexArray<T> {
        expect_at_caller(self.try_mean_axis(axes))
    }

    /// As [`mean_axis`](Self::mean_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_mean_axis(1).is_err());
    /// ```
    #[track_caller]
    pub fn try_mean_axis(&self, axes: impl Into<Axes>) -> Result<ComplexArray<T>> {
        let axes = axes.into();
        Ok(ComplexArray::wrap(self.re.try_mean_axis(axes.clone())?, self.im.try_mean_axis(axes)?))
    }

    /// The variance of all elements: the mean of the squared distances from the mean; a real 0-d array.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(3.0, 2.0)]);
    /// assert_eq!(z.var().item(), 1.0);
    /// ```
    #[track_caller]
    pub fn var(&self) -> DArray<T> {
        expect_at_caller(self.try_var_ddof(0, ..))
    }

    /// The variances along axes, with the sum divided by the count less `ddof`.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(4).reshape((2, 2)).to_complex();
    /// assert_eq!(z.var_ddof(1, 0).to_vec(), [2.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn var_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_var_ddof(ddof, axes))
    }

    /// As [`var_ddof`](Self::var_ddof); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_var_ddof(0, 1).is_err());
    /// ```
    #[track_caller]
    pub fn try_var_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> Result<DArray<T>> {
        // The squared distances are the sums of those of the parts.
        let axes = axes.into();
        let of_parts = |ddof: usize| -> Result<DArray<T>> {
            let re = self.re.try_var_ddof(ddof, axes.clone())?;
            re.try_add(self.im.try_var_ddof(ddof, axes.clone())?)
        };
        let variance = of_parts(ddof)?;
        let count = self.len() / variance.len().max(1);
        match ddof < count {
            true => Ok(variance),
            // Divided by nothing together: one part may be constant.
            false => of_parts(0)?.try_div(0.0),
        }
    }

    /// The standard deviation of all elements: the root of [`var`](Self::var).
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(5.0, 2.0)]);
    /// assert_eq!(z.std().item(), 2.0);
    /// ```
    #[track_caller]
    pub fn std(&self) -> DArray<T> {
        expect_at_caller(self.try_std_ddof(0, ..))
    }

    /// The standard deviations along axes, with the sum divided by the count less `ddof`.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(4).reshape((2, 2)).to_complex();
    /// assert_eq!(z.std_ddof(0, 0).to_vec(), [1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn std_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_std_ddof(ddof, axes))
    }

    /// As [`std_ddof`](Self::std_ddof); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_std_ddof(0, 1).is_err());
    /// ```
    #[track_caller]
    pub fn try_std_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> Result<DArray<T>> {
        Ok(self.try_var_ddof(ddof, axes)?.sqrt())
    }

    /// The Euclidean norm of all elements: the root of the sum of the squared distances from 0; a real 0-d array.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(2.0, 4.0)]);
    /// assert_eq!(z.norm().item(), 5.0);
    /// ```
    #[track_caller]
    pub fn norm(&self) -> DArray<T> {
        self.norm_sqr().sum().sqrt()
    }

    /// The norms of this order of the distances from 0, along axes; see [`DArray::norm_ord`].
    ///
    /// # Panics
    ///
    /// As there.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray, Norm};
    /// let z = ComplexArray::from_vec(vec![Complex::new(3.0, 4.0), Complex::new(0.0, -1.0)]);
    /// assert_eq!(z.norm_ord(1, ..).item(), 6.0);
    /// assert_eq!(z.norm_ord(Norm::Inf, 0).item(), 5.0);
    /// ```
    #[track_caller]
    pub fn norm_ord(&self, norm: impl Into<Norm>, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_norm_ord(norm, axes))
    }

    /// As [`norm_ord`](Self::norm_ord); what would panic is an error.
    ///
    /// ```
    /// use darray::{ComplexArray, Norm};
    /// assert!(ComplexArray::<f64>::zeros(3).try_norm_ord(Norm::Frobenius, 0).is_err());
    /// ```
    #[track_caller]
    pub fn try_norm_ord(&self, norm: impl Into<Norm>, axes: impl Into<Axes>) -> Result<DArray<T>> {
        let (norm, axes) = (norm.into(), axes.into());
        if self.refuses_norm(norm, &axes) {
            return self.re.try_norm_ord(norm, axes);
        }
        self.abs().try_norm_ord(norm, axes)
    }

    /// Whether there is no such norm of either part, so that no distances need be recorded.
    fn refuses_norm(&self, norm: Norm, axes: &Axes) -> bool {
        let Ok((reduced, _)) = axes.clone().resolve(self.shape_of()) else { return true };
        match norm {
            Norm::Frobenius => reduced.count_ones() != 2,
            Norm::NegInf | Norm::P(f64::NEG_INFINITY) => {
                (0..self.ndim()).any(|axis| reduced >> axis & 1 == 1 && self.shape()[axis] == 0)
            }
            _ => false,
        }
    }

    /// The product of all elements; 1 for none; a 0-d array.
    ///
    /// The elements of one half are multiplied by those of the other until one is left: a kernel for every
    /// factor of two, since a fold of two numbers at once is no reduction of kernels.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 1.0); 5]);
    /// assert_eq!(z.prod().item(), Complex::new(-4.0, -4.0));
    /// ```
    #[track_caller]
    pub fn prod(&self) -> ComplexArray<T> {
        expect_at_caller(self.try_prod_axis(..))
    }

    /// The products along axes, given as those of [`sum_axis`](Self::sum_axis); see [`prod`](Self::prod).
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = (1.0 + DArray::<f64>::arange(6)).reshape((2, 3)).to_complex();
    /// assert_eq!(z.prod_axis(1).to_string(), "[  6.+0.j 120.+0.j]");
    /// ```
    #[track_caller]
    pub fn prod_axis(&self, axes: impl Into<Axes>) -> ComplexArray<T> {
        expect_at_caller(self.try_prod_axis(axes))
    }

    /// As [`prod_axis`](Self::prod_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_prod_axis(1).is_err());
    /// ```
    #[track_caller]
    pub fn try_prod_axis(&self, axes: impl Into<Axes>) -> Result<ComplexArray<T>> {
        let origin = Origin::here("prod");
        let resolved = axes.into().resolve(self.shape_of());
        let (axes, left) = resolved.map_err(|kind| Error::new(origin.name, kind, origin.place))?;
        let (parallel, reduced): (Vec<usize>, Vec<usize>) =
            (0..self.ndim()).partition(|axis| axes >> axis & 1 == 0);
        let order: Vec<isize> =
            parallel.iter().chain(&reduced).map(|&axis| axis as isize).collect();
        let count: usize = reduced.iter().map(|&axis| self.shape()[axis]).product();
        let rows = parallel.iter().map(|&axis| self.shape()[axis]).chain([count]);
        let rows: Shape = rows.collect();
        let product = match count {
            0 => {
                let part = |value| {
                    let value = Scalar::from(value).cast(T::DTYPE);
                    origin.filled(self.runtime(), &left, value).map(DArray::wrap)
                };
                return Ok(ComplexArray::wrap(part(1.0)?, part(0.0)?));
            }
            _ => halved(self.try_permute(&order)?.try_reshape(rows)?, origin)?,
        };
        // Of one element nothing has been multiplied: the result is no view of it.
        let product = if count == 1 { product.copied(origin)? } else { product };
        product.try_reshape(left)
    }

    /// The cumulative sum of all elements in row-major order, 1-d.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(3.0, -5.0)]);
    /// assert_eq!(z.cumsum().to_string(), "[1.+2.j 4.-3.j]");
    /// ```
    #[track_caller]
    pub fn cumsum(&self) -> ComplexArray<T> {
        ComplexArray::wrap(self.re.cumsum(), self.im.cumsum())
    }

    /// The cumulative sums along an axis; negative axes count from the end.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(4).reshape((2, 2)).to_complex();
    /// assert_eq!(z.cumsum_axis(0).real().to_vec(), [0.0, 1.0, 2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn cumsum_axis(&self, axis: isize) -> ComplexArray<T> {
        expect_at_caller(self.try_cumsum_axis(axis))
    }

    /// As [`cumsum_axis`](Self::cumsum_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_cumsum_axis(1).is_err());
    /// ```
    #[track_caller]
    pub fn try_cumsum_axis(&self, axis: isize) -> Result<ComplexArray<T>> {
        Ok(ComplexArray::wrap(self.re.try_cumsum_axis(axis)?, self.im.try_cumsum_axis(axis)?))
    }
}

/// The products of rows, which have elements, as rows of one element.
fn halved<T: ComplexPart>(mut rows: ComplexArray<T>, origin: Origin) -> Result<ComplexArray<T>> {
    let last = rows.ndim() - 1;
    loop {
        let count = rows.shape()[last];
        if count == 1 {
            return Ok(rows);
        }
        let (half, rest) = (count / 2, count % 2);
        let first = along(&rows, 0, half + rest)?;
        let second = along(&rows, half + rest, count)?;
        rows = if rest == 0 {
            with_right(Arithmetic::Mul, &first, &second, origin)?
        } else {
            // The odd one stays as it is.
            let copy = first.copied(origin)?;
            along(&copy, 0, half)?.update(Arithmetic::Mul, &second, origin)?;
            copy
        };
    }
}

/// A range of the last axis.
fn along<T: ComplexPart>(z: &ComplexArray<T>, start: usize, end: usize) -> Result<ComplexArray<T>> {
    let mut index: SmallVec<[Ix; 8]> = (1..z.ndim()).map(|_| Ix::from(..)).collect();
    let (start, end) = (Some(start as isize), Some(end as isize));
    index.push(Ix::Range { start, end, step: 1 });
    z.try_slice(index)
}
