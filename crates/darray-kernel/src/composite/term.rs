//! Terms: values of a formula, whose operators record rows of the operator table.

use super::Step;
use crate::operator::Operator;
use darray_core::{Compute, RealType, Scalar};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops;

/// What a formula has recorded so far.
pub(super) struct Recorder {
    compute: Compute,
    inputs: usize,
    steps: RefCell<Vec<Step>>,
    /// The type of every value: inputs, then steps.
    dtypes: RefCell<Vec<RealType>>,
}

/// A value of a formula. Numbers beside a term are constants of the type that the formula computes in.
#[derive(Clone, Copy)]
pub(super) struct Term<'r> {
    recorder: &'r Recorder,
    value: u16,
}

/// A term, or a number.
pub(super) trait Operand<'r> {
    /// The term that it is in the formula of this one.
    fn to_term(&self, term: Term<'r>) -> Term<'r>;
}

impl<'r> Operand<'r> for f64 {
    fn to_term(&self, term: Term<'r>) -> Term<'r> {
        term.number(*self)
    }
}

impl<'r> Operand<'r> for Term<'r> {
    fn to_term(&self, _: Term<'r>) -> Term<'r> {
        *self
    }
}

impl<'r> Operand<'r> for &Term<'r> {
    fn to_term(&self, _: Term<'r>) -> Term<'r> {
        **self
    }
}

impl Recorder {
    /// For a formula of so many inputs of this type.
    pub fn new(compute: Compute, inputs: usize) -> Recorder {
        let dtypes = RefCell::new(vec![compute.dtype(); inputs]);
        Recorder { compute, inputs, steps: RefCell::default(), dtypes }
    }

    /// The inputs.
    pub fn inputs(&self) -> SmallVec<[Term<'_>; 4]> {
        (0..self.inputs as u16).map(|value| Term { recorder: self, value }).collect()
    }

    /// What was recorded.
    pub fn into_steps(self) -> Vec<Step> {
        self.steps.into_inner()
    }

    fn record(&self, step: Step, dtype: RealType) -> Term<'_> {
        self.steps.borrow_mut().push(step);
        let mut dtypes = self.dtypes.borrow_mut();
        dtypes.push(dtype);
        Term { recorder: self, value: dtypes.len() as u16 - 1 }
    }
}

impl<'r> Term<'r> {
    /// Its number among inputs and steps.
    pub fn value(self) -> u16 {
        self.value
    }

    /// The type that the formula computes in.
    pub fn compute(self) -> Compute {
        self.recorder.compute
    }

    /// Its own type.
    pub fn dtype(self) -> RealType {
        self.recorder.dtypes.borrow()[usize::from(self.value)]
    }

    /// A number of the formula.
    pub fn number(self, value: f64) -> Term<'r> {
        let scalar = Scalar::from(value).cast(self.recorder.compute.dtype());
        self.recorder.record(Step::Constant(scalar), scalar.dtype())
    }

    fn apply(self, operator: Operator, args: &[Term<'r>]) -> Term<'r> {
        let types: SmallVec<[RealType; 3]> = args.iter().map(|arg| arg.dtype()).collect();
        let dtype = operator.result(&types).expect("formulas apply operators to what they take");
        let args = args.iter().map(|arg| arg.value).collect();
        self.recorder.record(Step::Apply(operator, args), dtype)
    }

    fn unary(self, operator: Operator) -> Term<'r> {
        self.apply(operator, &[self])
    }

    fn binary(self, operator: Operator, right: impl Operand<'r>) -> Term<'r> {
        self.apply(operator, &[self, right.to_term(self)])
    }

    /// Where this mask holds `then`, else `otherwise`.
    pub fn select(self, then: impl Operand<'r>, otherwise: impl Operand<'r>) -> Term<'r> {
        let (then, otherwise) = (then.to_term(self), otherwise.to_term(self));
        self.apply(Operator::Select, &[self, then, otherwise])
    }

    /// `self * y + z`, rounded once.
    pub fn mul_add(self, y: impl Operand<'r>, z: impl Operand<'r>) -> Term<'r> {
        self.apply(Operator::Fma, &[self, y.to_term(self), z.to_term(self)])
    }
}

/// Functions that formulas use.
macro_rules! term_functions {
    (unary $($method:ident $unary:ident)+; binary $($name:ident $binary:ident)+;) => {
        impl<'r> Term<'r> {
            $(pub fn $method(self) -> Term<'r> {
                self.unary(Operator::$unary)
            })+
            $(pub fn $name(self, right: impl Operand<'r>) -> Term<'r> {
                self.binary(Operator::$binary, right)
            })+
        }
    };
}

term_functions! {
    unary abs Abs sqrt Sqrt exp Exp ln Ln log1p Log1p sin Sin cos Cos sinh Sinh cosh Cosh
        asinh Asinh is_nan IsNan is_infinite IsInfinite is_finite IsFinite signbit SignBit not Not;
    binary atan2 Atan2 hypot Hypot copysign CopySign pow Power minimum Minimum maximum Maximum
        lt Lt le Le gt Gt ge Ge eq Eq ne Ne and And or Or;
}

/// An operator between terms and numbers.
macro_rules! term_operators {
    ($($trait:ident $method:ident;)+) => { $(
        impl<'r, R: Operand<'r>> ops::$trait<R> for &Term<'r> {
            type Output = Term<'r>;

            fn $method(self, right: R) -> Term<'r> {
                self.binary(Operator::$trait, right)
            }
        }

        impl<'r, R: Operand<'r>> ops::$trait<R> for Term<'r> {
            type Output = Term<'r>;

            fn $method(self, right: R) -> Term<'r> {
                self.binary(Operator::$trait, right)
            }
        }

        impl<'r> ops::$trait<&Term<'r>> for f64 {
            type Output = Term<'r>;

            fn $method(self, right: &Term<'r>) -> Term<'r> {
                right.number(self).binary(Operator::$trait, right)
            }
        }

        impl<'r> ops::$trait<Term<'r>> for f64 {
            type Output = Term<'r>;

            fn $method(self, right: Term<'r>) -> Term<'r> {
                self.$method(&right)
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

impl<'r> ops::Neg for &Term<'r> {
    type Output = Term<'r>;

    fn neg(self) -> Term<'r> {
        self.unary(Operator::Neg)
    }
}

impl<'r> ops::Neg for Term<'r> {
    type Output = Term<'r>;

    fn neg(self) -> Term<'r> {
        self.unary(Operator::Neg)
    }
}
