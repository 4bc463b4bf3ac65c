//! Complex numbers: arrays of two stores, whose operations are operations on the parts.
//!
//! Reading order: `term` (real operations under the name of a complex one), `pair` (complex operands and results), `operand` (what
//! stands beside a complex array), then what the operations of `elementwise` are for complex numbers: `arithmetic`, `power`,
//! `comparison`, `functions`, `write`. Views, shapes, joins and copies know nothing of complex numbers but that there may be two
//! stores. What reductions, sorts and products do is beside those of real numbers.

pub(crate) mod arithmetic;
mod comparison;
pub(crate) mod functions;
mod operand;
mod pair;
pub(crate) mod power;
pub(crate) mod term;
pub(crate) mod write;

use super::nullary::filled_in;
use super::real;
use crate::array::element::Angle;
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Element, Number, Real};
use darray_core::{DType, Error, ErrorKind, Place, Result, promote, promote_weak};
use darray_kernel::composite::Formula;
use operand::check_operands;
use pair::Pair;
use term::{Origin, Term};

impl DynArray {
    /// An array of complex numbers with these real and these imaginary parts, of one shape. As clones do, it holds the elements as
    /// they are now.
    ///
    /// Errors: the shapes differ; a part is complex.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::from(DArray::<f32>::arange(2));
    /// let z = DynArray::from_parts(&x, &x).unwrap();
    /// assert_eq!(z.dtype(), DType::C64);
    /// assert_eq!(z.to_string(), "[0.+0.j 1.+1.j]");
    /// ```
    #[track_caller]
    pub fn from_parts(re: &DynArray, im: &DynArray) -> Result<DynArray> {
        let (name, place) = ("from_parts", Place::caller());
        let error = |kind| Error::new(name, kind, place);
        if re.is_complex() || im.is_complex() {
            let found = vec![re.dtype(), im.dtype()];
            return Err(error(ErrorKind::DType { found, expected: "real parts".to_string() }));
        }
        if re.shape() != im.shape() {
            let shapes = vec![re.shape_of().clone(), im.shape_of().clone()];
            let expected = "one shape".to_string();
            return Err(error(ErrorKind::Shapes { shapes, expected }));
        }
        if re.runtime() != im.runtime() {
            let message = "the parts belong to two runtimes".to_string();
            return Err(error(ErrorKind::Runtime { message }));
        }
        let dtype = promote_weak(promote(re.dtype(), im.dtype()), DType::C128).part();
        let part = |x: &DynArray| match x.real_type() == dtype {
            true => Ok(x.alias()),
            false => x.copy_as(name, dtype, place),
        };
        DynArray::complex_of(part(re)?, part(im)?, name, place)
    }

    /// The real parts: a view that writes through. Of a real array another handle of it.
    ///
    /// ```
    /// use darray::{Complex, DArray, DynArray};
    /// let z = DynArray::from(DArray::<Complex<f64>>::zeros(2));
    /// z.real().assign(1.0).unwrap();
    /// assert_eq!(z.to_string(), "[1.+0.j 1.+0.j]");
    /// ```
    pub fn real(&self) -> DynArray {
        self.parts().map_or_else(|| self.alias(), |[re, _]| re)
    }

    /// The imaginary parts: a view that writes through. Of a real array zeros.
    ///
    /// ```
    /// use darray::{Complex, DArray, DynArray};
    /// let z = DynArray::from(DArray::<Complex<f64>>::zeros(2));
    /// z.imag().unwrap().assign(1.0).unwrap();
    /// assert_eq!(z.to_string(), "[0.+1.j 0.+1.j]");
    /// ```
    #[track_caller]
    pub fn imag(&self) -> Result<DynArray> {
        let (name, place) = ("imag", Place::caller());
        if let Some([_, im]) = self.parts() {
            return Ok(im);
        }
        let (runtime, dtype, shape) = (self.runtime(), self.dtype(), self.shape_of());
        filled_in(runtime, name, dtype, shape, false.into(), place)
    }

    /// The conjugates: imaginary parts negated. Of a real array a copy.
    ///
    /// ```
    /// use darray::{Complex, DArray, DynArray};
    /// let z = DynArray::from(DArray::from_vec(vec![Complex::new(1.0, 2.0)]));
    /// assert_eq!(z.conj().unwrap().to_string(), "[1.-2.j]");
    /// ```
    #[track_caller]
    pub fn conj(&self) -> Result<DynArray> {
        match self.is_complex() {
            true => self.conj_as("conjugate", Place::caller()),
            false => self.clone_as("conjugate", Place::caller()),
        }
    }

    /// The conjugates, for the operation of this name. Of a real array another handle of it.
    pub(crate) fn conj_as(&self, name: &'static str, place: Place) -> Result<DynArray> {
        let origin = Origin { name, place };
        match self.parts() {
            None => Ok(self.alias()),
            Some(parts) => Pair::array(origin, &parts).conj().into_array(origin),
        }
    }

    /// The angles in radians, between `-π` and `π` (NumPy's `angle`), at most 2 ulp; of real numbers 0 and `π`, in floats, of small
    /// integers in small ones.
    ///
    /// ```
    /// use darray::{Complex, DArray, DynArray};
    /// let z = DynArray::from(DArray::from_vec(vec![Complex::new(0.0, 2.0)]));
    /// assert_eq!(z.arg().unwrap().to_string(), "[1.57079633]");
    /// ```
    #[track_caller]
    pub fn arg(&self) -> Result<DynArray> {
        let origin = Origin { name: "angle", place: Place::caller() };
        let Some(parts) = self.parts() else {
            let Origin { name, place } = origin;
            return real::binary(name, Binary::Atan2, 0.into(), self.into(), place);
        };
        functions::angle(&Pair::array(origin, &parts)).into_array()
    }

    /// The squares of the distances from 0: the sums of the squares of the parts, which can overflow. Integers wrap.
    ///
    /// Errors: the elements are bool.
    ///
    /// ```
    /// use darray::{Complex, DArray, DynArray};
    /// let z = DynArray::from(DArray::from_vec(vec![Complex::new(3.0, -4.0)]));
    /// assert_eq!(z.norm_sqr().unwrap().to_string(), "[25.]");
    /// ```
    #[track_caller]
    pub fn norm_sqr(&self) -> Result<DynArray> {
        self.norm_sqr_as("norm_sqr", Place::caller())
    }

    /// As [`norm_sqr`](Self::norm_sqr), for the operation of this name.
    pub(crate) fn norm_sqr_as(&self, name: &'static str, place: Place) -> Result<DynArray> {
        let origin = Origin { name, place };
        match self.parts() {
            None => real::binary(origin.name, Binary::Mul, self.into(), self.into(), origin.place),
            Some(parts) => {
                let z = Pair::array(origin, &parts);
                z.measured(Formula::ComplexNormSquare, parts[0].real_type()).into_array()
            }
        }
    }

    /// Whether elements differ from 0, for the operation of this name.
    pub(crate) fn nonzero_as(&self, name: &'static str, place: Place) -> Result<DynArray> {
        match self.parts() {
            None => self.copy_as(name, DType::Bool, place),
            Some(parts) => {
                let origin = Origin { name, place };
                comparison::is_nonzero(&Pair::array(origin, &parts)).into_array()
            }
        }
    }
}

/// # Complex numbers
impl<T: Real> DArray<T> {
    /// An array of complex numbers with these real and these imaginary parts, of one shape: of floats of 16 and 32 bits with parts
    /// of f32, else of f64. As clones do, it holds the elements as they are now, and copies nothing of arrays that are all of
    /// their memory.
    ///
    /// # Panics
    ///
    /// If the shapes differ.
    ///
    /// ```
    /// use darray::{Complex, DArray, s};
    /// // Complex numbers that lie as pairs in a real array.
    /// let pairs = DArray::<f64>::arange(6);
    /// let z = DArray::from_parts(pairs.slice(s![..;2]), pairs.slice(s![1..;2]));
    /// assert_eq!(z.to_string(), "[0.+1.j 2.+3.j 4.+5.j]");
    /// ```
    #[track_caller]
    pub fn from_parts(re: DArray<T>, im: DArray<T>) -> DArray<T::WithComplex> {
        DArray::wrap(expect_at_caller(DynArray::from_parts(re.as_dyn(), im.as_dyn())))
    }

    /// The complex numbers of these distances from 0 and angles in radians, which broadcast.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::from_polar(&DArray::full((), 2.0), &DArray::from_vec(vec![0.0, 1.0]));
    /// assert_eq!(z.to_string(), "[2.        +0.j         1.08060461+1.68294197j]");
    /// ```
    #[track_caller]
    pub fn from_polar(r: &DArray<T>, theta: &DArray<T>) -> DArray<T::WithComplex> {
        expect_at_caller(DArray::from_polar_at(r, theta, Place::caller()))
    }

    /// As [`from_polar`](Self::from_polar), from this place, with an error.
    pub(crate) fn from_polar_at(
        r: &DArray<T>,
        theta: &DArray<T>,
        place: Place,
    ) -> Result<DArray<T::WithComplex>> {
        let origin = Origin { name: "from_polar", place };
        let (r, theta) = (r.as_dyn(), theta.as_dyn());
        check_operands([r, theta], origin)?;
        let dtype = <T::WithComplex as Element>::DTYPE.part();
        let term = |x| Term::array_as(origin, x, dtype);
        let z = Pair::of_terms(Formula::ComplexPolar.into(), &[&term(r), &term(theta)]);
        Ok(DArray::wrap(z.into_array(origin)?))
    }
}

/// # Complex numbers
impl<T: Element> DArray<T> {
    /// The elements as complex numbers, real ones without imaginary parts: of floats of 16 and 32 bits with parts of f32, else of f64.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<i64>::arange(2).to_complex().to_string(), "[0.+0.j 1.+0.j]");
    /// ```
    #[track_caller]
    pub fn to_complex(&self) -> DArray<T::WithComplex> {
        let dtype = <T::WithComplex as Element>::DTYPE;
        DArray::wrap(expect_at_caller(self.as_dyn().copy_as("to_complex", dtype, Place::caller())))
    }

    /// The real parts: a view that writes through. Of a real array another handle of it.
    ///
    /// ```
    /// use darray::{Complex, DArray};
    /// let z = DArray::<Complex<f64>>::zeros(2);
    /// z.real().assign(1.0);
    /// assert_eq!(z.to_string(), "[1.+0.j 1.+0.j]");
    /// ```
    pub fn real(&self) -> DArray<T::Part> {
        DArray::wrap(self.as_dyn().real())
    }

    /// The imaginary parts: a view that writes through. Of a real array zeros.
    ///
    /// ```
    /// use darray::{Complex, DArray};
    /// let z = DArray::<Complex<f64>>::zeros(2);
    /// z.imag().assign(1.0);
    /// assert_eq!(z.to_string(), "[0.+1.j 0.+1.j]");
    /// ```
    #[track_caller]
    pub fn imag(&self) -> DArray<T::Part> {
        DArray::wrap(expect_at_caller(self.as_dyn().imag()))
    }

    /// The conjugates: imaginary parts negated. Of a real array a copy.
    ///
    /// ```
    /// use darray::{Complex, DArray};
    /// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
    /// assert_eq!(z.conj().to_string(), "[1.-2.j]");
    /// ```
    #[track_caller]
    pub fn conj(&self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().conj()))
    }

    /// The angles in radians, between `-π` and `π` (NumPy's `angle`), at most 2 ulp; of real numbers 0 and `π`, in floats, of small
    /// integers in small ones.
    ///
    /// ```
    /// use darray::{Complex, DArray};
    /// let z = DArray::from_vec(vec![Complex::new(-1.0, 0.0), Complex::new(-1.0, -0.0)]);
    /// assert_eq!(z.arg().to_vec(), [std::f64::consts::PI, -std::f64::consts::PI]);
    /// ```
    #[track_caller]
    pub fn arg(&self) -> DArray<Angle<T>> {
        DArray::wrap(expect_at_caller(self.as_dyn().arg()))
    }
}

/// # Complex numbers
impl<T: Number> DArray<T> {
    /// The squares of the distances from 0: the sums of the squares of the parts, which can overflow. Integers wrap.
    ///
    /// ```
    /// use darray::{Complex, DArray};
    /// let z = DArray::from_vec(vec![Complex::new(3.0, -4.0)]);
    /// assert_eq!(z.norm_sqr().to_vec(), [25.0]);
    /// ```
    #[track_caller]
    pub fn norm_sqr(&self) -> DArray<T::Part> {
        DArray::wrap(expect_at_caller(self.as_dyn().norm_sqr()))
    }
}
