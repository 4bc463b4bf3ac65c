//! New complex arrays.

use super::operand::check_operands;
use super::pair::Pair;
use super::term::{Origin, Term};
use super::{ComplexArray, ComplexPart};
use crate::creation::from_elements;
use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element, IntoShape};
use darray_core::{Place, Result};
use darray_kernel::composite::Formula;
use num_complex::Complex;

impl<T: ComplexPart> ComplexArray<T> {
    /// An array of zeros.
    ///
    /// # Panics
    ///
    /// If an extent is negative, or there are more than eight axes or too many elements; so do all
    /// creations.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros(2).to_string(), "[0.+0.j 0.+0.j]");
    /// ```
    #[track_caller]
    pub fn zeros(shape: impl IntoShape) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_zeros(shape))
    }

    /// As [`zeros`](Self::zeros); a shape that cannot be is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let error = ComplexArray::<f64>::try_zeros((2, -1)).unwrap_err();
    /// assert!(error.to_string().starts_with("zeros: extent -1 is negative (shape [2, -1])"));
    /// ```
    #[track_caller]
    pub fn try_zeros(shape: impl IntoShape) -> Result<ComplexArray<T>> {
        Ok(ComplexArray::wrap(DArray::try_zeros(&shape)?, DArray::try_zeros(&shape)?))
    }

    /// An array of equal elements.
    ///
    /// # Panics
    ///
    /// As [`zeros`](Self::zeros).
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::<f32>::full(2, Complex::new(1.5, -2.0));
    /// assert_eq!(z.to_string(), "[1.5-2.j 1.5-2.j]");
    /// ```
    #[track_caller]
    pub fn full(shape: impl IntoShape, value: Complex<f64>) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_full(shape, value))
    }

    /// As [`full`](Self::full); a shape that cannot be is an error.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// assert!(ComplexArray::<f64>::try_full(-1, Complex::I).is_err());
    /// ```
    #[track_caller]
    pub fn try_full(shape: impl IntoShape, value: Complex<f64>) -> Result<ComplexArray<T>> {
        let re = DArray::wrap(DynArray::full(&shape, T::DTYPE, value.re)?);
        Ok(ComplexArray::wrap(re, DArray::wrap(DynArray::full(&shape, T::DTYPE, value.im)?)))
    }

    /// A 1-d array of these elements.
    ///
    /// # Panics
    ///
    /// If no device has memory for them; so do all that take host data.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(3.0, -1.0)]);
    /// assert_eq!(z.to_string(), "[1.+2.j 3.-1.j]");
    /// ```
    #[track_caller]
    pub fn from_vec(elements: Vec<Complex<T>>) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_from_vec(elements))
    }

    /// As [`from_vec`](Self::from_vec); elements for which there is no memory are an error.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray, Runtime};
    /// let runtime = Runtime::builder().memory_limit(1 << 10).build().unwrap();
    /// let elements = vec![Complex::new(0.5, 0.0); 1000];
    /// assert!(runtime.scope(|| ComplexArray::try_from_vec(elements)).is_err());
    /// ```
    #[track_caller]
    pub fn try_from_vec(elements: Vec<Complex<T>>) -> Result<ComplexArray<T>> {
        imported("from_vec", elements.len(), &elements, Place::caller())
    }

    /// An array of these elements in row-major order.
    ///
    /// # Panics
    ///
    /// If the number of elements does not fit the shape.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_shape_vec((1, 2), vec![Complex::new(1.0, 2.0), Complex::I]);
    /// assert_eq!(z.to_string(), "[[1.+2.j 0.+1.j]]");
    /// ```
    #[track_caller]
    pub fn from_shape_vec(shape: impl IntoShape, elements: Vec<Complex<T>>) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_from_shape_vec(shape, elements))
    }

    /// As [`from_shape_vec`](Self::from_shape_vec); elements that do not fit the shape are an error.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let error = ComplexArray::try_from_shape_vec(3, vec![Complex::new(1.0, 2.0)]).unwrap_err();
    /// let text = "from_shape_vec: shapes [3]: expected 3 elements, not 1";
    /// assert!(error.to_string().starts_with(text));
    /// ```
    #[track_caller]
    pub fn try_from_shape_vec(
        shape: impl IntoShape,
        elements: Vec<Complex<T>>,
    ) -> Result<ComplexArray<T>> {
        imported("from_shape_vec", &shape, &elements, Place::caller())
    }

    /// The complex numbers of these distances from 0 and angles in radians, which broadcast.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let z = ComplexArray::from_polar(&DArray::full((), 2.0), &DArray::from_vec(vec![0.0, 1.0]));
    /// assert_eq!(z.to_string(), "[2.        +0.j         1.08060461+1.68294197j]");
    /// ```
    #[track_caller]
    pub fn from_polar(r: &DArray<T>, theta: &DArray<T>) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_from_polar(r, theta))
    }

    /// As [`from_polar`](Self::from_polar); shapes that do not broadcast are an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let (r, theta) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
    /// assert!(ComplexArray::try_from_polar(&r, &theta).is_err());
    /// ```
    #[track_caller]
    pub fn try_from_polar(r: &DArray<T>, theta: &DArray<T>) -> Result<ComplexArray<T>> {
        let origin = Origin::here("from_polar");
        check_operands([r.as_dyn(), theta.as_dyn()], origin)?;
        let (r, theta) = (Term::array(origin, r.as_dyn()), Term::array(origin, theta.as_dyn()));
        Pair::of_terms(Formula::ComplexPolar.into(), &[&r, &theta]).into_complex(origin)
    }
}

impl<T: Element> DArray<T>
where
    T::Real: ComplexPart,
{
    /// The elements as complex numbers without imaginary parts; integers and `bool` as `f64`. (Of `f16`, cast
    /// first.)
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<i64>::arange(2).to_complex().to_string(), "[0.+0.j 1.+0.j]");
    /// ```
    #[track_caller]
    pub fn to_complex(&self) -> ComplexArray<T::Real> {
        let origin = Origin::here("to_complex");
        let dtype = <T::Real as Element>::DTYPE;
        let re = expect_at_caller(self.as_dyn().copy_as(origin.name, dtype, origin.place));
        let re = Term::array(origin, &re);
        expect_at_caller(Pair::new(re, Term::scalar(origin, 0.0, dtype)).into_complex(origin))
    }
}

/// An array of these elements in row-major order, for the operation of this name.
pub(super) fn imported<T: ComplexPart>(
    name: &'static str,
    shape: impl IntoShape,
    elements: &[Complex<T>],
    place: Place,
) -> Result<ComplexArray<T>> {
    let part = |part: fn(&Complex<T>) -> T| {
        let part: Vec<T> = elements.iter().map(part).collect();
        from_elements(name, &shape, part, place)
    };
    Ok(ComplexArray::wrap(part(|z| z.re)?, part(|z| z.im)?))
}
