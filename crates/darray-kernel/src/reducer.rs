//! How values of a fold combine.

mod table;

use crate::element::Element;
use crate::operator::Operator;
use darray_core::{RealType, Scalar};
use std::fmt;

/// What a fold holds between elements: a value and, for `ArgMin` and `ArgMax`, where it stands
/// (otherwise 0).
pub type Accumulator = (Scalar, i64);

/// Semantics of one reducer for one element type.
struct FoldRow {
    element: RealType,
    identity: fn() -> Accumulator,
    empty: fn() -> Option<Scalar>,
    combine: fn(Accumulator, Accumulator) -> Accumulator,
}

/// Rust types that accumulate: an element, or an element and its index.
trait Accumulate {
    fn from_pair(pair: Accumulator) -> Self;
    fn into_pair(self) -> Accumulator;
}

impl<T: Element> Accumulate for T {
    fn from_pair(pair: Accumulator) -> T {
        T::from_scalar(pair.0)
    }
    fn into_pair(self) -> Accumulator {
        (self.into_scalar(), 0)
    }
}

impl<T: Element> Accumulate for (T, i64) {
    fn from_pair(pair: Accumulator) -> (T, i64) {
        (T::from_scalar(pair.0), pair.1)
    }
    fn into_pair(self) -> Accumulator {
        (self.0.into_scalar(), self.1)
    }
}

/// `identity` as a pair; its type is what `combine` takes.
fn pair_for<A: Accumulate>(_combine: fn(A, A) -> A, identity: A) -> Accumulator {
    identity.into_pair()
}

/// How two values combine: what stands in brackets in the table.
enum Combination {
    Running(Operator),
    Decided(bool, Operator),
    First(Operator),
}

macro_rules! combination {
    (running $operator:ident) => {
        Combination::Running(Operator::$operator)
    };
    (decided $value:literal $operator:ident) => {
        Combination::Decided($value, Operator::$operator)
    };
    (first $operator:ident) => {
        Combination::First(Operator::$operator)
    };
}

/// Turns the rows of the table into the enum and its methods' data.
macro_rules! define_reducers {
    ($($(#[$doc:meta])+ $reducer:ident = $name:literal [$($how:tt)+] => {
        $(($element:ident, $identity:expr, $empty:expr, $combine:path))+
    })+) => {
        /// How values of a fold combine. Every reducer is associative up to rounding; the order of
        /// combination is fixed by [`crate::tree`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reducer {
            $($(#[$doc])+ $reducer,)+
        }

        impl Reducer {
            /// Every reducer, in table order.
            pub const ALL: &'static [Reducer] = &[$(Reducer::$reducer),+];

            /// The name used in texts: `sum`, `argmin`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Reducer::$reducer => $name,)+
                }
            }

            fn combination(self) -> Combination {
                match self {
                    $(Reducer::$reducer => combination!($($how)+),)+
                }
            }

            fn rows(self) -> &'static [FoldRow] {
                match self {
                    $(Reducer::$reducer => &[$(FoldRow {
                        element: <$element as Element>::DTYPE,
                        identity: || pair_for($combine, $identity),
                        empty: || {
                            let empty: Option<$element> = $empty;
                            empty.map(Element::into_scalar)
                        },
                        combine: |a, b| Accumulate::into_pair(
                            $combine(Accumulate::from_pair(a), Accumulate::from_pair(b))
                        ),
                    }),+],)+
                }
            }
        }
    };
}

crate::reducer_table! { [define_reducers] }

impl Reducer {
    /// The reducer with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Reducer> {
        Reducer::ALL.iter().copied().find(|r| r.name() == name)
    }

    /// The operator that combines two values; none for `ArgMin` and `ArgMax`.
    pub fn operator(self) -> Option<Operator> {
        match self.combination() {
            Combination::Running(operator) | Combination::Decided(_, operator) => Some(operator),
            Combination::First(_) => None,
        }
    }

    /// Whether there is a running fold, a scan.
    ///
    /// ```
    /// use darray_kernel::reducer::Reducer;
    /// assert!(Reducer::Max.has_scan() && !Reducer::ArgMax.has_scan());
    /// ```
    pub fn has_scan(self) -> bool {
        matches!(self.combination(), Combination::Running(_))
    }

    /// How the value that is kept with its index compares with the others; none where no index is.
    pub fn better(self) -> Option<Operator> {
        match self.combination() {
            Combination::First(operator) => Some(operator),
            _ => None,
        }
    }

    /// The value that no other changes any more; none where there is none that is reached early.
    ///
    /// ```
    /// use darray_kernel::reducer::Reducer;
    /// assert_eq!([Reducer::Any, Reducer::All, Reducer::Sum].map(Reducer::decides), [Some(true), Some(false), None]);
    /// ```
    pub fn decides(self) -> Option<bool> {
        match self.combination() {
            Combination::Decided(value, _) => Some(value),
            _ => None,
        }
    }

    /// Whether this is `ArgMin` or `ArgMax`: accumulators carry an index.
    pub fn has_index(self) -> bool {
        self.better().is_some()
    }

    /// The type of the folded value's result for values of `dtype`, or none if the reducer is not
    /// defined for it. The index result of `ArgMin` and `ArgMax` is i64.
    pub fn result(self, dtype: RealType) -> Option<RealType> {
        self.rows().iter().any(|r| r.element == dtype).then_some(dtype)
    }

    /// What every accumulator starts from.
    ///
    /// # Panics
    ///
    /// If the reducer is not defined for `dtype`; so do the functions below.
    ///
    /// ```
    /// use darray_core::RealType;
    /// use darray_kernel::reducer::Reducer;
    /// assert_eq!(Reducer::Sum.identity(RealType::F64), ((-0.0).into(), 0));
    /// assert_eq!(Reducer::Sum.empty(RealType::F64), Some(0.0.into()));
    /// ```
    pub fn identity(self, dtype: RealType) -> Accumulator {
        (self.row(dtype).identity)()
    }

    /// The result over no elements; none where there is none (`Min`, `Max`, `ArgMin`, `ArgMax`).
    pub fn empty(self, dtype: RealType) -> Option<Scalar> {
        (self.row(dtype).empty)()
    }

    /// What the accumulators of a leaf start from: the identity, or where the whole domain is empty
    /// the value of the empty fold (the identity where there is none).
    pub fn start(self, dtype: RealType, domain_is_empty: bool) -> Accumulator {
        let identity = self.identity(dtype);
        match self.empty(dtype) {
            Some(value) if domain_is_empty => (value, identity.1),
            _ => identity,
        }
    }

    /// Combines two accumulators, the earlier one first.
    ///
    /// ```
    /// use darray_kernel::reducer::Reducer;
    /// let first = (2.0.into(), 3);
    /// let later = (2.0.into(), 7);
    /// assert_eq!(Reducer::ArgMin.combine(later, first), first);
    /// ```
    pub fn combine(self, a: Accumulator, b: Accumulator) -> Accumulator {
        (self.row(a.0.dtype()).combine)(a, b)
    }

    fn row(self, dtype: RealType) -> &'static FoldRow {
        match self.rows().iter().find(|r| r.element == dtype) {
            Some(row) => row,
            None => panic!("{self} is not defined for {dtype}"),
        }
    }
}

impl fmt::Display for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The pair that [`Reducer::ArgMin`] keeps. Branch-free.
#[inline(always)]
pub fn argmin<T: PartialOrd + Copy>(a: (T, i64), b: (T, i64)) -> (T, i64) {
    prefer(a, b, b.0 < a.0)
}

/// The pair that [`Reducer::ArgMax`] keeps. Branch-free.
#[inline(always)]
pub fn argmax<T: PartialOrd + Copy>(a: (T, i64), b: (T, i64)) -> (T, i64) {
    prefer(a, b, b.0 > a.0)
}

/// `b` if it is NaN and `a` is not, or `better`, or as good with a lower index.
#[inline(always)]
fn prefer<T: PartialOrd + Copy>(a: (T, i64), b: (T, i64), better: bool) -> (T, i64) {
    let (a_nan, b_nan) = (a.0.partial_cmp(&a.0).is_none(), b.0.partial_cmp(&b.0).is_none());
    let tie = (a.0 == b.0) | (a_nan & b_nan);
    let take = (!a_nan & (better | b_nan)) | (tie & (b.1 < a.1));
    (if take { b.0 } else { a.0 }, if take { b.1 } else { a.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(dtype: RealType) -> Vec<Scalar> {
        let floats = [0.0, -0.0, 1.5, -7.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        match dtype {
            RealType::Bool => vec![false.into(), true.into()],
            _ if dtype.is_integer() => {
                [0, 5, i64::MIN, i64::MAX].map(|v| Scalar::from(v).cast(dtype)).to_vec()
            }
            _ => floats.map(|v| Scalar::from(v).cast(dtype)).to_vec(),
        }
    }

    fn same(a: Accumulator, b: Accumulator) -> bool {
        let nan = a.0.to_f64().is_nan() && b.0.to_f64().is_nan();
        (a.0 == b.0 || nan) && a.1 == b.1
    }

    #[test]
    fn identities_leave_every_value_alone_on_both_sides() {
        for reducer in Reducer::ALL {
            let mut checked = 0;
            assert_eq!(Reducer::from_name(reducer.name()), Some(*reducer));
            for dtype in RealType::ALL {
                if reducer.result(dtype).is_none() {
                    continue;
                }
                let identity = reducer.identity(dtype);
                for value in samples(dtype) {
                    let v = (value, if reducer.has_index() { 9 } else { 0 });
                    assert!(same(reducer.combine(identity, v), v), "{reducer} {v:?}");
                    assert!(same(reducer.combine(v, identity), v), "{reducer} {v:?}");
                    checked += 1;
                }
            }
            assert!(checked > 0, "{reducer}");
        }
    }

    #[test]
    fn combining_is_the_operator() {
        for reducer in Reducer::ALL {
            let Some(operator) = reducer.operator() else { continue };
            for dtype in RealType::ALL {
                if reducer.result(dtype).is_none() {
                    continue;
                }
                for a in samples(dtype) {
                    for b in samples(dtype) {
                        let combined = reducer.combine((a, 0), (b, 0));
                        assert!(same(combined, (operator.apply(&[a, b]), 0)), "{reducer}");
                    }
                }
            }
        }
    }

    #[test]
    fn arg_reducers_prefer_nan_then_extremum_then_lowest_index() {
        let p = |v: f64, i: i64| (Scalar::from(v), i);
        for (reducer, a, b, best) in [
            (Reducer::ArgMin, p(1.0, 0), p(2.0, 1), 0),
            (Reducer::ArgMax, p(1.0, 0), p(2.0, 1), 1),
            (Reducer::ArgMin, p(f64::NAN, 5), p(-1.0, 1), 5),
            (Reducer::ArgMax, p(f64::NAN, 5), p(f64::NAN, 1), 1),
            (Reducer::ArgMin, p(0.0, 2), p(-0.0, 3), 2),
            (Reducer::ArgMax, p(-0.0, 2), p(0.0, 3), 2),
        ] {
            assert_eq!(reducer.combine(a, b).1, best, "{reducer} {a:?} {b:?}");
            assert_eq!(reducer.combine(b, a).1, best, "{reducer} {b:?} {a:?}");
        }
    }

    #[test]
    fn empty_folds() {
        assert_eq!(Reducer::Sum.empty(RealType::F32), Some(0f32.into()));
        assert_eq!(Reducer::Prod.empty(RealType::I64), Some(1i64.into()));
        assert_eq!(Reducer::All.empty(RealType::Bool), Some(true.into()));
        assert_eq!(Reducer::Any.empty(RealType::Bool), Some(false.into()));
        assert_eq!(Reducer::Min.empty(RealType::F64), None);
        assert_eq!(Reducer::ArgMax.empty(RealType::F64), None);
        assert_eq!(Reducer::Sum.result(RealType::Bool), None);
        assert_eq!(Reducer::All.result(RealType::I64), None);
    }
}
