//! Writing into complex arrays.

use super::arithmetic::{Arithmetic, combined};
use super::operand::{ComplexOperand, Factor};
use super::pair::Pair;
use super::term::{Origin, Term};
use super::{ComplexArray, ComplexPart};
use crate::elementwise::emission::{ElementOp, Elementwise, check_injective, does_not_fit};
use crate::error::expect_at_caller;
use crate::{Argument, DArray, DynArray, Integral, Number};
use darray_core::{Chart, DType, Dim, Error, ErrorKind, Map, Result, Shape, broadcast_shapes};
use darray_fusion::plan::Rule;
use darray_ir::geometry;
use darray_kernel::operator::Operator;
use smallvec::SmallVec;
use std::sync::Arc;

impl<T: ComplexPart> ComplexArray<T> {
    /// NumPy's `self[...] = value`: writes the value, broadcast to this shape, into what this is a view of, as
    /// if all of the value were read first. A real value has imaginary parts 0.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or a part of this view repeats elements; nothing is written then.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray, s};
    /// let z = ComplexArray::<f64>::zeros(3);
    /// z.slice(s![1..]).assign(Complex::new(1.0, -1.0));
    /// z.slice(s![0]).assign(5);
    /// assert_eq!(z.to_string(), "[5.+0.j 1.-1.j 1.-1.j]");
    /// ```
    #[track_caller]
    pub fn assign<R: ComplexOperand<T, Output = T>>(&self, value: R) {
        expect_at_caller(self.try_assign(value));
    }

    /// As [`assign`](Self::assign); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let rows = ComplexArray::<f64>::zeros(3).broadcast_to((2, 3));
    /// let error = rows.try_assign(1.0).unwrap_err();
    /// assert!(error.to_string().contains("reaches an element more than once"));
    /// ```
    #[track_caller]
    pub fn try_assign<R: ComplexOperand<T, Output = T>>(&self, value: R) -> Result<()> {
        let origin = Origin::here("assign");
        let value = value.argument();
        self.check_write(value.first().into_iter(), origin)?;
        let value =
            self.apart(value.factor(origin, T::DTYPE).into_pair(origin, T::DTYPE), origin)?;
        self.write(value, origin)
    }

    /// Writes the value, broadcast to this shape, where the mask, broadcast too, holds, as if all were read
    /// before anything is written.
    ///
    /// # Panics
    ///
    /// As [`assign`](Self::assign).
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(3.0, 4.0), Complex::new(0.0, 1.0)]);
    /// z.assign_where(&z.abs().gt(2.0), 0.0);
    /// assert_eq!(z.to_string(), "[0.+0.j 0.+1.j]");
    /// ```
    #[track_caller]
    pub fn assign_where<R: ComplexOperand<T, Output = T>>(&self, mask: &DArray<bool>, value: R) {
        expect_at_caller(self.try_assign_where(mask, value));
    }

    /// As [`assign_where`](Self::assign_where); what would panic is an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let (z, mask) = (ComplexArray::<f64>::zeros(3), DArray::<bool>::ones(2));
    /// let error = z.try_assign_where(&mask, 0.0).unwrap_err();
    /// let text = "assign_where: shapes [3] and [2] do not broadcast";
    /// assert!(error.to_string().starts_with(text));
    /// ```
    #[track_caller]
    pub fn try_assign_where<R: ComplexOperand<T, Output = T>>(
        &self,
        mask: &DArray<bool>,
        value: R,
    ) -> Result<()> {
        let origin = Origin::here("assign_where");
        let (mask, value) = (mask.as_dyn(), value.argument());
        self.check_write([mask].into_iter().chain(value.first()), origin)?;
        let value =
            self.apart(value.factor(origin, T::DTYPE).into_pair(origin, T::DTYPE), origin)?;
        let Origin { name, place } = origin;
        let op = ElementOp::Apply { operator: Operator::Select, compute: T::DTYPE };
        let masked = |part: &DArray<T>, value: &Term| {
            let part = part.as_dyn();
            value.with_argument(|value| {
                let operands = [Argument::Array(mask), value, Argument::Array(part)];
                Elementwise { op, name, operands: &operands, place }.update(part)
            })
        };
        masked(&self.re, &value.re)?;
        masked(&self.im, &value.im)
    }

    /// NumPy's `put`: writes values at these indices in row-major order; see [`DArray::put`].
    ///
    /// # Panics
    ///
    /// If there are indices, but no elements, or a part of this view repeats elements; nothing is written then.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray, DArray};
    /// let z = ComplexArray::<f64>::zeros(3);
    /// z.put(&DArray::from_vec(vec![-1, 0]), Complex::new(1.0, 2.0));
    /// assert_eq!(z.to_string(), "[1.+2.j 0.+0.j 1.+2.j]");
    /// ```
    #[track_caller]
    pub fn put<I: Integral + Number, R: ComplexOperand<T, Output = T>>(
        &self,
        indices: &DArray<I>,
        values: R,
    ) {
        expect_at_caller(self.try_put(indices, values));
    }

    /// As [`put`](Self::put); what would panic is an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let z = ComplexArray::<f64>::zeros(0);
    /// assert!(z.try_put(&DArray::from_vec(vec![0]), 1.0).is_err());
    /// ```
    #[track_caller]
    pub fn try_put<I: Integral + Number, R: ComplexOperand<T, Output = T>>(
        &self,
        indices: &DArray<I>,
        values: R,
    ) -> Result<()> {
        let (origin, values) = (Origin::here("put"), values.argument());
        self.check_write(std::iter::empty(), origin)?;
        let values = values.factor(origin, T::DTYPE).into_pair(origin, T::DTYPE);
        let Pair { re, im } = self.apart(values, origin)?;
        let (indices, target) = (indices.as_dyn(), self.untyped());
        re.put_into(target[0], indices)?;
        im.put_into(target[1], indices)
    }

    /// `self = self operation right`, both parts computed before one is written.
    pub(super) fn update<R: ComplexOperand<T, Output = T>>(
        &self,
        operation: Arithmetic,
        right: R,
        origin: Origin,
    ) -> Result<()> {
        let right = right.argument();
        self.check_write(right.first().into_iter(), origin)?;
        let result = combined(operation, self, right, T::DTYPE, origin)?;
        self.write(self.apart(result, origin)?, origin)
    }

    /// Whether both parts can be written by what these arrays make.
    fn check_write<'a>(
        &self,
        arrays: impl Iterator<Item = &'a DynArray>,
        origin: Origin,
    ) -> Result<()> {
        let Origin { name, place } = origin;
        let domain = self.shape_of();
        for array in arrays {
            if broadcast_shapes(array.shape_of(), domain).as_ref() != Ok(domain) {
                return Err(Error::new(name, does_not_fit(domain, array.shape_of()), place));
            }
            if array.runtime() != self.runtime() {
                let message = "the operands belong to two runtimes".to_string();
                return Err(Error::new(name, ErrorKind::Runtime { message }, place));
            }
        }
        check_injective(self.re.as_dyn(), name, place)?;
        check_injective(self.im.as_dyn(), name, place)?;
        if parts_meet(self.untyped()) && self.runtime().engine().enforces(Rule::InjectiveWrite) {
            return Err(Error::new(name, ErrorKind::Overlap { shape: domain.clone() }, place));
        }
        Ok(())
    }

    /// The value, with a copy of the imaginary parts where they lie in what the real parts are written to first.
    fn apart(&self, value: Pair, origin: Origin) -> Result<Pair> {
        let Pair { re, im } = value;
        let im = im.with_argument(|argument| match argument {
            Argument::Array(array)
                if share_store(array, self.re.as_dyn()) && !is_same(array, self.im.as_dyn()) =>
            {
                let copy = array.copy_as(origin.name, array.dtype(), origin.place)?;
                Ok(Term::array(origin, &copy))
            }
            _ => Ok(im.clone()),
        })?;
        Ok(Pair::new(re, im))
    }

    /// Writes both parts, but for one that is there already.
    fn write(&self, value: Pair, origin: Origin) -> Result<()> {
        let Origin { name, place } = origin;
        for (part, value) in [(&self.re, &value.re), (&self.im, &value.im)] {
            let part = part.as_dyn();
            value.with_argument(|value| match value {
                Argument::Array(array) if is_same(array, part) => Ok(()),
                value => {
                    let (op, operands) = (ElementOp::Copy, &[value]);
                    Elementwise { op, name, operands, place }.update(part)
                }
            })?;
        }
        Ok(())
    }
}

/// Whether the parts are known to have an element in common, which would be written twice.
fn parts_meet([re, im]: [&DynArray; 2]) -> bool {
    let (a, b, shape) = (re.view().map(), im.view().map(), re.shape_of());
    if !std::ptr::eq(re.variable(), im.variable()) || shape.size() == 0 {
        return false;
    }
    // Coordinates that are independent of each other; those of a diagonal are not.
    let plain = |map: &Map| {
        let mut axes: SmallVec<[u8; 4]> = map.dims.iter().filter_map(|dim| dim.axis).collect();
        axes.sort_unstable();
        let distinct = axes.windows(2).all(|pair| pair[0] != pair[1]);
        distinct && (map.chart == Chart::Native || map.dims.len() == 1)
    };
    let dims = || a.dims.iter().zip(&b.dims);
    a == b || (a.chart == b.chart && plain(a) && plain(b) && dims().all(|(a, b)| meet(a, b, shape)))
}

/// Whether two dimensions take a coordinate in common.
fn meet(a: &Dim, b: &Dim, shape: &Shape) -> bool {
    let ([near, far], [p, q]) =
        ([a, b].map(|dim| geometry::reach(dim, shape)), [a, b].map(|dim| dim.step.abs().max(1)));
    let (start, end) = (near.start.max(far.start), near.end.min(far.end));
    // From the first of `a` on, until the steps repeat.
    let first = near.start + (start - near.start + p - 1) / p * p;
    let mut common = (0..q).map(|k| first + k * p).take_while(|&at| at < end);
    common.any(|at| (at - far.start) % q == 0)
}

fn share_store(a: &DynArray, b: &DynArray) -> bool {
    Arc::ptr_eq(a.variable().current().store(), b.variable().current().store())
}

/// Whether two handles have the same elements in the same places.
fn is_same(a: &DynArray, b: &DynArray) -> bool {
    std::ptr::eq(a.variable(), b.variable())
        && a.shape_of() == b.shape_of()
        && a.view().map() == b.view().map()
}

impl Factor {
    /// As a complex number: a real one with imaginary part 0.
    pub(super) fn into_pair(self, origin: Origin, dtype: DType) -> Pair {
        match self {
            Factor::Complex(pair) => pair,
            Factor::Real(re) => Pair::new(re, Term::scalar(origin, 0.0, dtype)),
        }
    }
}
