//! Complex operands and results of an operation: two terms.

use super::term::{Origin, Term};
use crate::DynArray;
use darray_core::{Error, RealType, Result, Shape};
use darray_kernel::composite::{Composite, Formula};

/// A complex operand, or result.
#[derive(Clone)]
pub(super) struct Pair {
    pub re: Term,
    pub im: Term,
}

impl Pair {
    pub fn new(re: Term, im: Term) -> Pair {
        Pair { re, im }
    }

    /// The parts of a complex array.
    pub fn array(origin: Origin, parts: &[DynArray; 2]) -> Pair {
        Pair::new(Term::array(origin, &parts[0]), Term::array(origin, &parts[1]))
    }

    /// The parts of a complex array in this type.
    pub fn array_as(origin: Origin, parts: &[DynArray; 2], dtype: RealType) -> Pair {
        let term = |part| Term::array_as(origin, part, dtype);
        Pair::new(term(&parts[0]), term(&parts[1]))
    }

    pub fn conj(&self) -> Pair {
        Pair::new(self.re.clone(), -&self.im)
    }

    pub fn add(&self, other: &Pair) -> Pair {
        Pair::new(&self.re + &other.re, &self.im + &other.im)
    }

    pub fn sub(&self, other: &Pair) -> Pair {
        Pair::new(&self.re - &other.re, &self.im - &other.im)
    }

    /// What a formula of one number makes of this.
    pub fn formed(&self, composite: impl Into<Composite>) -> Pair {
        Pair::of_terms(composite.into(), &[&self.re, &self.im])
    }

    /// What one of two numbers makes of this and another.
    pub fn with(&self, formula: Formula, other: &Pair) -> Pair {
        Pair::of_terms(formula.into(), &[&self.re, &self.im, &other.re, &other.im])
    }

    /// What one of a complex and a real number makes of this and a real one.
    pub fn with_real(&self, formula: Formula, other: &Term) -> Pair {
        Pair::of_terms(formula.into(), &[&self.re, &self.im, other])
    }

    /// What a formula makes of these terms.
    pub fn of_terms(composite: Composite, terms: &[&Term]) -> Pair {
        let [re, im] = Term::formed(composite, terms);
        Pair::new(re, im)
    }

    /// A real number, or a mask, that a formula makes of this.
    pub fn measured(&self, formula: Formula, dtype: RealType) -> Term {
        Term::measured(formula, &[&self.re, &self.im], dtype)
    }

    /// Both parts times a real number.
    pub fn scale(&self, factor: &Term) -> Pair {
        Pair::new(&self.re * factor, &self.im * factor)
    }

    /// Where the mask holds this, else the other.
    pub fn chosen(&self, mask: &Term, other: &Pair) -> Pair {
        Pair::new(mask.select(&self.re, &other.re), mask.select(&self.im, &other.im))
    }

    /// What another operation makes of either part.
    pub fn each(&self, make: impl Fn(&Term) -> Term) -> Pair {
        Pair::new(make(&self.re), make(&self.im))
    }

    /// The array of which these are the parts, the real ones no scalar. The imaginary ones take the shape of those, to which
    /// they broadcast.
    pub fn into_array(self, origin: Origin) -> Result<DynArray> {
        let re = self.re.into_array()?;
        let im = as_part(self.im.into_array_like(&re)?, re.shape_of(), origin)?;
        DynArray::complex_of(re, im, origin.name, origin.place)
    }
}

/// An array as a part of the result: of this shape.
fn as_part(x: DynArray, shape: &Shape, origin: Origin) -> Result<DynArray> {
    let Origin { name, place } = origin;
    if x.shape_of() == shape {
        return Ok(x);
    }
    let view = x.view().broadcast_to(shape).map_err(|kind| Error::new(name, kind, place))?;
    x.with_view(view).copy_as(name, x.dtype(), place)
}
