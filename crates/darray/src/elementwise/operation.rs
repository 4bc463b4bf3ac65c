//! Element-wise operations by their NumPy meaning, and what each does with element types.
//!
//! This is where NumPy's rules meet the operator table of `darray_kernel`: in which type an
//! operation computes, and which operator it is there. The operations are the rows of
//! `operation/table.rs`.

mod table;

pub(crate) use table::{binary_table, pair_output, rule_output, rule_text, unary_table};

use darray_core::{DType, RealType, Scalar, promote_function, promote_real, promote_weak};
use darray_kernel::operator::Operator;
use std::sync::LazyLock;

macro_rules! define_unary {
    (
        operators {
            $($(#[$operator_doc:meta])+ $operator:ident = $operator_name:ident, $operator_rule:ident;)+
        }
        functions {
            $($(#[$doc:meta])+ $function:ident = x.$method:ident(), np::$name:ident, $rule:ident,
                $input:literal => $output:literal;)+
        }
    ) => {
        /// An operation of one array.
        ///
        /// ```
        /// use darray::{DArray, DynArray, Unary};
        /// let x = DynArray::from(DArray::from_vec(vec![4.0, 9.0]));
        /// let root = x.unary(Unary::Sqrt).unwrap();
        /// assert_eq!(DArray::<f64>::try_from(root).unwrap().to_vec(), [2.0, 3.0]);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary {
            $($(#[$operator_doc])+ $operator,)+
            $($(#[$doc])+ $function,)+
        }

        impl Unary {
            /// Every operation of one array.
            ///
            /// ```
            /// use darray::Unary;
            /// assert!(Unary::ALL.iter().any(|operation| operation.name() == "sqrt"));
            /// ```
            pub const ALL: &[Unary] = &[$(Unary::$operator,)+ $(Unary::$function),+];

            /// The NumPy name.
            ///
            /// ```
            /// assert_eq!(darray::Unary::Ln.name(), "log");
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $(Unary::$operator => stringify!($operator_name),)+
                    $(Unary::$function => stringify!($name),)+
                }
            }

            const fn entry(self) -> (Operator, TypeRule) {
                match self {
                    $(Unary::$operator => (Operator::$operator, type_rule!($operator_rule)),)+
                    $(Unary::$function => (Operator::$function, type_rule!($rule)),)+
                }
            }
        }
    };
}

macro_rules! define_binary {
    (
        operators {
            $($(#[$operator_doc:meta])+ $operator:ident = $operator_name:ident, $operator_rule:ident;)+
        }
        functions {
            $($(#[$doc:meta])+ $function:ident = x.$method:ident(y), x.$try:ident(y),
                np::$name:ident, $rule:ident, $left:literal, $right:literal => $output:literal;)+
        }
    ) => {
        /// An operation of two operands that broadcast.
        ///
        /// ```
        /// use darray::{Binary, DArray, DynArray};
        /// let x = DynArray::from(DArray::from_vec(vec![4, 9]));
        /// let half = x.binary(Binary::Div, 2).unwrap();
        /// assert_eq!(DArray::<f64>::try_from(half).unwrap().to_vec(), [2.0, 4.5]);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Binary {
            $($(#[$operator_doc])+ $operator,)+
            $($(#[$doc])+ $function,)+
        }

        impl Binary {
            /// Every operation of two operands.
            ///
            /// ```
            /// use darray::Binary;
            /// assert!(Binary::ALL.iter().any(|operation| operation.name() == "less_equal"));
            /// ```
            pub const ALL: &[Binary] = &[$(Binary::$operator,)+ $(Binary::$function),+];

            /// Those that are written as functions: `x.minimum(y)`.
            ///
            /// ```
            /// use darray::Binary;
            /// assert!(Binary::FUNCTIONS.contains(&Binary::Minimum));
            /// assert!(!Binary::FUNCTIONS.contains(&Binary::Add));
            /// ```
            pub const FUNCTIONS: &[Binary] = &[$(Binary::$function),+];

            /// The NumPy name.
            ///
            /// ```
            /// assert_eq!(darray::Binary::Sub.name(), "subtract");
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $(Binary::$operator => stringify!($operator_name),)+
                    $(Binary::$function => stringify!($name),)+
                }
            }

            const fn entry(self) -> (Operator, TypeRule) {
                match self {
                    $(Binary::$operator => (Operator::$operator, type_rule!($operator_rule)),)+
                    $(Binary::$function => (Operator::$function, type_rule!($rule)),)+
                }
            }
        }
    };
}

/// In which type a row computes and what it gives: the rules of `operation/table.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypeRule {
    Same,
    Number,
    Integer,
    Real,
    Function,
    Test,
}

macro_rules! type_rule {
    (same) => {
        TypeRule::Same
    };
    (part) => {
        TypeRule::Same
    };
    (number) => {
        TypeRule::Number
    };
    (integer) => {
        TypeRule::Integer
    };
    (real) => {
        TypeRule::Real
    };
    (function) => {
        TypeRule::Function
    };
    (test) => {
        TypeRule::Test
    };
}

unary_table!(define_unary);
binary_table!(define_binary);

/// What an operation is for operands of one real type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Row of the operator table.
    pub operator: Operator,
    /// The type in which it computes; operands are cast to it. f16 and bf16 are f32 in fact, rounded at the end.
    pub compute: RealType,
    /// The type of the result.
    pub output: RealType,
}

impl Unary {
    /// What it does for an operand of this type; `None`: not defined.
    #[doc(hidden)]
    pub fn rule(self, operand: RealType) -> Option<Rule> {
        let (operator, rule) = match (self, operand) {
            (Unary::Abs, RealType::Bool) => (Operator::ToBool, TypeRule::Same),
            _ => self.entry(),
        };
        let compute = rule.compute(operand)?;
        Some(Rule { operator, compute, output: output(operator, compute, 1)? })
    }

    /// What it gives for a number of this type; `None`: not defined.
    pub(crate) fn of_number(self, number: Scalar) -> Option<Scalar> {
        let rule = self.rule(number.dtype())?;
        Some(rule.operator.apply(&[number.cast(rule.compute)]).cast(rule.output))
    }
}

impl Binary {
    /// The type in which two arrays meet: what they promote to, of functions what [`promote_function`] says.
    #[doc(hidden)]
    #[inline]
    pub fn promote_arrays(self, a: RealType, b: RealType) -> RealType {
        match a != b && self.entry().1 == TypeRule::Function {
            true => promote_function(a, b),
            false => promote_real(a, b),
        }
    }

    /// The type in which an array and a weak scalar meet. Integers that the array's type cannot hold
    /// are compared in one that holds all of both; beside u64, which numbers below zero are all below, in f64.
    pub(crate) fn promote_scalar(self, array: RealType, scalar: Scalar) -> RealType {
        let promoted = promote_weak(array.into(), scalar.dtype().into()).part();
        let compares = self.entry().1 == TypeRule::Test;
        if compares && !scalar.fits(promoted) {
            return promote_real(promoted, scalar.dtype());
        }
        promoted
    }

    /// A scalar as this operation sees it: logical ones ask whether it is zero before it takes the array's
    /// type, in which it may be: 1e-30 beside f16.
    pub(crate) fn weak(self, scalar: Scalar) -> Scalar {
        if self.is_logical() { scalar.to_bool().into() } else { scalar }
    }

    /// Whether it takes its operands for what is zero and what is not.
    #[inline]
    pub(crate) fn is_logical(self) -> bool {
        matches!(self, Binary::LogicalAnd | Binary::LogicalOr | Binary::LogicalXor)
    }

    /// What it does for operands that [meet](Self::promote_arrays) in this type; `None`: not defined.
    #[doc(hidden)]
    #[inline]
    pub fn rule(self, promoted: RealType) -> Option<Rule> {
        // Every operation asks; the answers are few.
        static RULES: LazyLock<Vec<[Option<Rule>; RealType::ALL.len()]>> = LazyLock::new(|| {
            let rules = |&operation: &Binary| RealType::ALL.map(|dtype| operation.find_rule(dtype));
            Binary::ALL.iter().map(rules).collect()
        });
        RULES[self as usize][promoted as usize]
    }

    fn find_rule(self, promoted: RealType) -> Option<Rule> {
        let (operator, rule) = match (self, promoted) {
            (Binary::Add, RealType::Bool) => (Operator::Or, TypeRule::Same),
            (Binary::Mul, RealType::Bool) => (Operator::And, TypeRule::Same),
            // The next number of the type that it gives, in which nothing computes.
            (Binary::NextAfter, _) => {
                let operator = match promoted.function() {
                    RealType::F16 => Operator::NextHalf,
                    RealType::BF16 => Operator::NextBrain,
                    _ => Operator::NextAfter,
                };
                (operator, TypeRule::Function)
            }
            _ => self.entry(),
        };
        let compute = rule.compute(promoted)?;
        Some(Rule { operator, compute, output: output(operator, compute, 2)? })
    }
}

/// The type that an operator of so many operands of a type gives; none where it is not defined.
fn output(operator: Operator, dtype: RealType, arity: usize) -> Option<RealType> {
    let output = operator.result(&[dtype.compute(); 2][..arity])?;
    Some(if output == dtype.compute() { dtype } else { output })
}

impl TypeRule {
    /// The type in which it computes for operands that promote to `promoted`; `None`: refused.
    fn compute(self, promoted: RealType) -> Option<RealType> {
        match self {
            TypeRule::Number if promoted == RealType::Bool => None,
            TypeRule::Same | TypeRule::Number | TypeRule::Test => Some(promoted),
            TypeRule::Integer => Some(promote_weak(promoted.into(), DType::I64).part()),
            TypeRule::Real => Some(promoted.inexact()),
            TypeRule::Function => Some(promoted.function()),
        }
    }

    /// The type of the result.
    #[cfg(test)]
    fn output(self, promoted: RealType) -> Option<RealType> {
        if self == TypeRule::Test { Some(RealType::Bool) } else { self.compute(promoted) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, rule and what is done for a type, of every row.
    fn rows(dtype: RealType) -> Vec<(&'static str, TypeRule, Option<Rule>)> {
        let unary = Unary::ALL.iter().map(|o| (o.name(), o.entry().1, o.rule(dtype)));
        let binary = Binary::ALL.iter().map(|o| (o.name(), o.entry().1, o.rule(dtype)));
        unary.chain(binary).collect()
    }

    #[test]
    fn every_row_gives_what_its_rule_says_wherever_it_is_defined() {
        for dtype in RealType::ALL {
            for (name, of_table, rule) in rows(dtype) {
                match rule {
                    Some(rule) => assert_eq!(Some(rule.output), of_table.output(dtype), "{name}"),
                    None => {
                        let takes_all = [TypeRule::Real, TypeRule::Function].contains(&of_table);
                        assert!(!takes_all, "{name} {dtype}");
                    }
                }
            }
        }
    }

    #[test]
    fn rules_are_found_by_operation_and_type() {
        for &operation in Binary::ALL {
            for dtype in RealType::ALL {
                assert_eq!(operation.rule(dtype), operation.find_rule(dtype), "{operation:?}");
            }
        }
    }

    #[test]
    fn rows_are_defined_for_all_integers_or_none_and_for_all_floats_or_none() {
        let defined = |dtype| {
            let named = rows(dtype).into_iter().map(|(name, _, rule)| (name, rule.is_some()));
            named.collect::<Vec<_>>()
        };
        assert_eq!(defined(RealType::U8), defined(RealType::I32));
        assert_eq!(defined(RealType::I32), defined(RealType::I64));
        assert_eq!(defined(RealType::F32), defined(RealType::F64));
        assert_eq!(defined(RealType::F16), defined(RealType::F32));
        assert_eq!(defined(RealType::BF16), defined(RealType::F32));
        for ((name, integers), (_, floats)) in
            defined(RealType::I64).iter().zip(defined(RealType::F64))
        {
            assert!(*integers || floats, "{name}");
        }
    }

    #[test]
    fn numbers_are_no_bools_but_in_sums_and_products() {
        for (name, of_table, rule) in rows(RealType::Bool) {
            let taken = of_table != TypeRule::Number || ["add", "multiply"].contains(&name);
            assert!(taken || rule.is_none(), "{name}");
        }
        for operation in [Binary::Add, Binary::Mul, Binary::And, Binary::Or, Binary::Xor] {
            assert!(operation.rule(RealType::Bool).is_some(), "{operation:?}");
        }
    }

    #[test]
    fn bits_are_not_of_floats() {
        for operation in [Binary::And, Binary::Or, Binary::Xor, Binary::ShiftLeft] {
            assert!(operation.rule(RealType::F64).is_none(), "{operation:?}");
            assert!(operation.rule(RealType::I64).is_some(), "{operation:?}");
        }
        assert!(
            Unary::Not.rule(RealType::F32).is_none() && Unary::Not.rule(RealType::F16).is_none()
        );
    }
}
