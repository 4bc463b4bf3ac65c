//! THE operator table: what every element-wise operator is called, takes, gives and costs, and its
//! scalar semantics, written once in `operator/table.rs` and the files of
//! `operator/table/`.
//!
//! Executors instantiate their loops from [`for_each_primitive!`](crate::for_each_primitive); the
//! interpreter and constant folding call [`Operator::apply`]. Both reach the same functions in
//! [`scalar`], so they give the same bits (all NaNs count as equal).

#[cfg(test)]
mod accuracy;
mod division;
mod integer_power;
mod table;
#[cfg(test)]
mod tests;

use crate::element::{Element, bf16, f16};
use crate::function::trace::Trace;
use crate::function::*;
use darray_core::{Kind, RealType, Scalar};
use smallvec::SmallVec;
use std::fmt;
use std::sync::{LazyLock, OnceLock};

/// What the table says about an operator.
#[derive(Debug)]
pub struct OperatorRow {
    /// The operator.
    pub operator: Operator,
    /// Its name in texts: `add`, `to_f64`.
    pub name: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// Whether swapping the two operands gives the same bits.
    pub commutative: bool,
    /// How far a result may be from the true one, in units in the last place; 0: it is the true one,
    /// correctly rounded.
    pub ulp: u32,
    /// The dtype rule: every combination of operand types that it is defined for.
    pub signatures: &'static [Signature],
}

/// One combination of operand types of an operator.
pub struct Signature {
    /// Operand types.
    pub inputs: &'static [RealType],
    /// Result type.
    pub output: RealType,
    /// The semantics, for operands of these types.
    pub evaluate: fn(&[Scalar]) -> Scalar,
    /// Its steps, recorded at the first call, where it is one of the functions of
    /// [`function`](crate::function).
    pub trace: Option<fn() -> &'static Trace>,
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} -> {:?}", self.inputs, self.output)
    }
}

/// The body of a primitive: as it stands in the table, or a function generic over numbers.
macro_rules! body_of {
    ([$($arg:ident),+] $body:block) => { $body };
    ([$($arg:ident),+] $generic:path) => { $generic($(Native($arg)),+).0 };
}

/// How to trace a primitive, if it is a function generic over numbers.
macro_rules! trace_of {
    ([$($arg:ident: $input:ident),+]) => {
        None
    };
    ([$first:ident: $format:ident] $generic:path) => {
        Some(|| {
            static TRACE: OnceLock<Trace> = OnceLock::new();
            TRACE.get_or_init(|| Trace::record::<$format>(1, |x| $generic(x[0])))
        })
    };
    ([$first:ident: $format:ident, $second:ident: $_:ident] $generic:path) => {
        Some(|| {
            static TRACE: OnceLock<Trace> = OnceLock::new();
            TRACE.get_or_init(|| Trace::record::<$format>(2, |x| $generic(x[0], x[1])))
        })
    };
}

/// Turns the rows of the table into the enum, its rows and the scalar functions.
macro_rules! define_operators {
    ($(#[$doc:meta] $operator:ident = $name:literal
        (arity $arity:literal, cost $cost:literal, commutative $commutative:literal
            $(, ulp $ulp:literal)?) {
            $(fn $function:ident($($arg:ident: $input:ident),+) -> $output:ident
                $(= $generic:path;)? $($body:block)?)+
    })+) => {
        /// An element-wise operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Operator {
            $(#[$doc] $operator,)+
        }

        impl Operator {
            /// Every operator, in table order.
            pub const ALL: &'static [Operator] = &[$(Operator::$operator),+];

            /// Time per element in cache, relative to `add`.
            pub const fn cost(self) -> u32 {
                match self {
                    $(Operator::$operator => $cost,)+
                }
            }
        }

        static ROWS: &[OperatorRow] = &[$(OperatorRow {
            operator: Operator::$operator,
            name: $name,
            arity: $arity,
            commutative: $commutative,
            ulp: 0 $(+ $ulp)?,
            signatures: &[$(Signature {
                inputs: &[$(<$input as Element>::DTYPE),+],
                output: <$output as Element>::DTYPE,
                evaluate: |args| match *args {
                    [$($arg),+] => {
                        scalar::$function($(<$input as Element>::from_scalar($arg)),+).into_scalar()
                    }
                    _ => panic!("{} takes {} operands, got {args:?}", $name, $arity),
                },
                trace: trace_of! { [$($arg: $input),+] $($generic)? },
            }),+],
        }),+];

        /// The primitives: what each operator does to one element of each type.
        pub mod scalar {
            use super::{division, integer_power};
            use crate::element::{bf16, f16};
            use crate::function::*;
            use darray_core::{
                bf16_from_f32, bf16_from_f64, f16_from_f32, f16_from_f64, f32_from_bf16, f32_from_f16,
            };
            $($(
                #[$doc]
                #[inline(always)]
                pub fn $function($($arg: $input),+) -> $output {
                    body_of! { [$($arg),+] $($generic)? $($body)? }
                }
            )+)+
        }
    };
}

crate::operator_table! { [define_operators] }

impl Operator {
    /// The operator's row of the table.
    pub fn row(self) -> &'static OperatorRow {
        &ROWS[self as usize]
    }

    /// The name used in texts.
    ///
    /// ```
    /// use darray_kernel::operator::Operator;
    /// assert_eq!(Operator::ToF64.name(), "to_f64");
    /// assert_eq!(Operator::from_name("to_f64"), Some(Operator::ToF64));
    /// ```
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operator with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Operator> {
        ROWS.iter().find(|r| r.name == name).map(|r| r.operator)
    }

    /// Number of operands.
    pub fn arity(self) -> usize {
        self.row().arity
    }

    /// The entry of the dtype rule for these operand types, or none if the operator is not defined
    /// for them.
    pub fn signature(self, operands: &[RealType]) -> Option<&'static Signature> {
        self.row().signatures.iter().find(|s| s.inputs == operands)
    }

    /// The result type for these operand types, or none if the operator is not defined for them.
    ///
    /// ```
    /// use darray_core::RealType::{F64, I64};
    /// use darray_kernel::operator::Operator;
    /// assert_eq!(Operator::Lt.result(&[I64, I64]), Some(darray_core::RealType::MASK));
    /// assert_eq!(Operator::Add.result(&[I64, F64]), None);
    /// ```
    pub fn result(self, operands: &[RealType]) -> Option<RealType> {
        self.signature(operands).map(|s| s.output)
    }

    /// The operators that convert from one type to another, one after the other: none, one, or by way of the types that kernels
    /// compute in. A type that only lies in memory converts to its own type of computation, and from that and the types that would
    /// be rounded or cut twice.
    ///
    /// ```
    /// use darray_core::RealType;
    /// use darray_kernel::operator::Operator;
    /// let names = |from, to| Operator::conversion(from, to).iter().map(|o| o.name()).collect::<Vec<_>>();
    /// assert_eq!(names(RealType::I64, RealType::U8), ["to_i32", "to_u8"]);
    /// assert_eq!(names(RealType::U8, RealType::F16), ["to_i32", "to_f32", "to_f16"]);
    /// assert_eq!(names(RealType::F64, RealType::F16), ["to_f16"]);
    /// ```
    pub fn conversion(from: RealType, to: RealType) -> SmallVec<[Operator; 3]> {
        let mut path = SmallVec::new();
        let mut at = from;
        let mut go = |at: &mut RealType, to: RealType| {
            if *at != to {
                path.push(Operator::cast_to(to));
                *at = to;
            }
        };
        if from != to {
            go(&mut at, from.compute());
            if Operator::cast_to(to).result(&[at]).is_none() {
                go(&mut at, to.compute());
            }
            go(&mut at, to);
        }
        path
    }

    /// The operator that converts to `dtype`, from the types that there is a [conversion](Self::conversion) of one step from: the
    /// row that is called `to_` and the name of the type.
    pub fn cast_to(dtype: RealType) -> Operator {
        static CASTS: LazyLock<[Operator; RealType::ALL.len()]> = LazyLock::new(|| {
            RealType::ALL.map(|to| {
                Operator::from_name(&format!("to_{to}")).expect("a conversion to every type")
            })
        });
        CASTS[dtype as usize]
    }

    /// Whether values that a narrow type has give one that it has, computed in its type of computation: then the conversion to it
    /// changes nothing. Masks do not count.
    ///
    /// ```
    /// use darray_core::RealType;
    /// use darray_kernel::operator::Operator;
    /// assert!(Operator::Maximum.is_closed(RealType::U8) && !Operator::Add.is_closed(RealType::U8));
    /// ```
    pub fn is_closed(self, narrow: RealType) -> bool {
        use Operator::*;
        match self {
            Select | Minimum | Maximum | And | Or | Xor | Sign | Fmod => true,
            Floor | Ceil | Trunc | Rint => true,
            Neg | CopySign => narrow.is_float(),
            Abs => narrow.is_float() || narrow.kind() == Kind::Unsigned,
            Rem | ShiftRight => narrow.is_integer(),
            Not => narrow.kind() == Kind::Signed,
            FloorDivide => narrow.kind() == Kind::Unsigned,
            _ => false,
        }
    }

    /// The result for these operands.
    ///
    /// # Panics
    ///
    /// If the operator is not defined for operands of these types.
    ///
    /// ```
    /// use darray_kernel::operator::Operator;
    /// assert_eq!(Operator::Rem.apply(&[(-7i64).into(), 3i64.into()]), 2i64.into());
    /// ```
    pub fn apply(self, args: &[Scalar]) -> Scalar {
        let dtypes: SmallVec<[RealType; 4]> = args.iter().map(|a| a.dtype()).collect();
        match self.signature(&dtypes) {
            Some(signature) => (signature.evaluate)(args),
            None => panic!("{} is not defined for {dtypes:?}", self.name()),
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
