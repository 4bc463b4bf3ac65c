//! Real terms: parts of the operands of a complex operation.

use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::nullary::filled_in;
use crate::elementwise::real;
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{Place, RealType, Result, Scalar};
use darray_kernel::composite::{Composite, Formula};
use darray_kernel::operator::Operator;
use smallvec::SmallVec;
use std::ops;

/// The complex operation that real operations are a part of: its NumPy name, and where the user asked for it.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub name: &'static str,
    pub place: Place,
}

/// A real array or scalar that is a part of an operand of a complex operation. (Formulas of functions are in
/// `darray_kernel::composite`; [`formed`](Term::formed) records one.)
///
/// Rules:
/// - Terms have the type of the operation's result: what has another is cast as it becomes a term.
/// - Operators and functions record real element-wise operations under the name and place of the complex
///   one.
/// - Of scalars alone the result is computed at once, to the bit as a kernel would.
/// - An error is the result of all that it enters.
#[derive(Clone)]
pub(super) struct Term {
    origin: Origin,
    value: Result<Value>,
}

/// What a term is where nothing failed.
pub(super) enum Value {
    /// What the operation was given, which others see.
    Given(DynArray),
    /// What the operation has made.
    Made(DynArray),
    Scalar(Scalar),
}

impl Clone for Value {
    fn clone(&self) -> Value {
        match self {
            Value::Given(array) => Value::Given(array.alias()),
            Value::Made(array) => Value::Made(array.alias()),
            Value::Scalar(scalar) => Value::Scalar(*scalar),
        }
    }
}

impl Value {
    fn argument(&self) -> Argument<'_> {
        match self {
            Value::Given(array) | Value::Made(array) => Argument::Array(array),
            Value::Scalar(scalar) => Argument::Scalar(*scalar),
        }
    }
}

impl Term {
    pub fn array(origin: Origin, array: &DynArray) -> Term {
        Term { origin, value: Ok(Value::Given(array.alias())) }
    }

    /// A scalar of this type.
    pub fn scalar(origin: Origin, value: impl Into<Scalar>, dtype: RealType) -> Term {
        Term { origin, value: Ok(Value::Scalar(value.into().cast(dtype))) }
    }

    /// An array as a term of this type.
    pub fn array_as(origin: Origin, array: &DynArray, dtype: RealType) -> Term {
        if array.dtype() == dtype {
            return Term::array(origin, array);
        }
        Term { origin, value: array.copy_as(origin.name, dtype, origin.place).map(Value::Made) }
    }

    /// The element type; that of errors is any.
    pub fn dtype(&self) -> RealType {
        match &self.value {
            Ok(Value::Given(array) | Value::Made(array)) => array.real_type(),
            Ok(Value::Scalar(scalar)) => scalar.dtype(),
            Err(_) => RealType::F64,
        }
    }

    /// The array that this is, which nothing else sees, and no scalar.
    pub fn into_array(self) -> Result<DynArray> {
        let Origin { name, place } = self.origin;
        match self.value? {
            Value::Given(array) => array.clone_as(name, place),
            Value::Made(array) => Ok(array),
            Value::Scalar(_) => {
                unreachable!("an operand is an array, and so is what is made of it")
            }
        }
    }

    /// As [`into_array`](Self::into_array); of a scalar one in the shape and runtime of another array.
    pub fn into_array_like(self, other: &DynArray) -> Result<DynArray> {
        match self.value {
            Ok(Value::Scalar(scalar)) => {
                let (Origin { name, place }, dtype) = (self.origin, scalar.dtype().into());
                filled_in(other.runtime(), name, dtype, other.shape_of(), scalar.into(), place)
            }
            _ => self.into_array(),
        }
    }

    /// What stands for this term where an operation takes arrays and scalars.
    pub fn with_argument<R>(&self, f: impl FnOnce(Argument<'_>) -> Result<R>) -> Result<R> {
        match &self.value {
            Ok(value) => f(value.argument()),
            Err(error) => Err(error.clone()),
        }
    }

    fn derived(&self, value: Result<Value>) -> Term {
        Term { origin: self.origin, value }
    }

    pub fn unary(&self, operation: Unary) -> Term {
        let Origin { name, place } = self.origin;
        let value = self.value.clone().and_then(|value| match value {
            Value::Given(x) | Value::Made(x) => {
                real::unary(name, operation, &x, place).map(Value::Made)
            }
            Value::Scalar(x) => {
                let rule = operation.rule(x.dtype()).expect("formulas are of floats and masks");
                Ok(Value::Scalar(rule.operator.apply(&[x.cast(rule.compute)])))
            }
        });
        self.derived(value)
    }

    pub fn binary(&self, operation: Binary, right: &Term) -> Term {
        self.derived(self.joined(operation, right))
    }

    fn joined(&self, operation: Binary, right: &Term) -> Result<Value> {
        let Origin { name, place } = self.origin;
        match (self.value.clone()?, right.value.clone()?) {
            (Value::Scalar(a), Value::Scalar(b)) => {
                let rule = operation.rule(a.dtype()).expect("formulas are of floats and masks");
                let operands = [a.cast(rule.compute), b.cast(rule.compute)];
                Ok(Value::Scalar(rule.operator.apply(&operands)))
            }
            (a, b) => {
                real::binary(name, operation, a.argument(), b.argument(), place).map(Value::Made)
            }
        }
    }

    /// Where this mask holds `then`, else `otherwise`.
    pub fn select(&self, then: &Term, otherwise: &Term) -> Term {
        let chosen = || {
            let compute = then.dtype();
            let (then, otherwise) = (then.value.clone()?, otherwise.value.clone()?);
            let mask = match self.value.clone()? {
                Value::Scalar(mask) => return Ok(if mask.to_bool() { then } else { otherwise }),
                Value::Given(mask) | Value::Made(mask) => mask,
            };
            let op = ElementOp::Apply { operator: Operator::Select, compute };
            let operands = [Argument::Array(&mask), then.argument(), otherwise.argument()];
            let Origin { name, place } = self.origin;
            Elementwise { op, name, operands: &operands, place }.create(compute).map(Value::Made)
        };
        self.derived(chosen())
    }

    /// What a formula makes of terms of one type, of which one is an array.
    pub fn formed(composite: Composite, terms: &[&Term]) -> [Term; 2] {
        let both = Term::composed(composite, terms, |composed| {
            composed.create_two(terms[0].dtype()).map(|both| both.map(Value::Made))
        });
        match both {
            Ok(values) => values.map(|value| terms[0].derived(Ok(value))),
            Err(error) => [(); 2].map(|()| terms[0].derived(Err(error.clone()))),
        }
    }

    /// As [`formed`](Self::formed), one result of this type.
    pub fn measured(formula: Formula, terms: &[&Term], dtype: RealType) -> Term {
        let value = Term::composed(formula.into(), terms, |composed| composed.create(dtype));
        terms[0].derived(value.map(Value::Made))
    }

    fn composed<R>(
        composite: Composite,
        terms: &[&Term],
        create: impl FnOnce(Elementwise<'_>) -> Result<R>,
    ) -> Result<R> {
        let values: SmallVec<[Value; 4]> =
            terms.iter().map(|term| term.value.clone()).collect::<Result<_>>()?;
        let operands: SmallVec<[Argument<'_>; 4]> = values.iter().map(Value::argument).collect();
        let Origin { name, place } = terms[0].origin;
        let op = ElementOp::Composite { composite, compute: terms[0].dtype() };
        create(Elementwise { op, name, operands: &operands, place })
    }
}

/// An operator between terms.
macro_rules! term_operators {
    ($($trait:ident $method:ident;)+) => { $(
        impl ops::$trait for &Term {
            type Output = Term;

            fn $method(self, right: &Term) -> Term {
                self.binary(Binary::$trait, right)
            }
        }
    )+ };
}

term_operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl ops::Neg for &Term {
    type Output = Term;

    fn neg(self) -> Term {
        self.unary(Unary::Neg)
    }
}
