//! Reductions of programs.

use darray::Norm;
use darray_core::DType;

/// Reductions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduction {
    /// Bool counts as i64.
    Sum,
    /// NaN wins.
    Maximum,
    /// NaN wins.
    Minimum,
    /// Row-major index of the first greatest; NaN wins.
    ArgMaximum,
    /// Row-major index of the first least; NaN wins.
    ArgMinimum,
    /// Bool counts as i64.
    Product,
    /// In floats.
    Mean,
    /// Whether all differ from zero.
    All,
    /// Whether any differs from zero.
    Any,
    /// In floats, with `ddof`.
    Variance(usize),
    /// In floats, with `ddof`.
    Deviation(usize),
    /// Greatest less least; not of bool.
    Range,
    /// How many differ from zero, i64.
    CountNonzero,
    /// In floats.
    Norm(Norm),
    /// Of what is not NaN.
    NanSum,
    /// Of what is not NaN.
    NanProduct,
    /// Of what is not NaN.
    NanMinimum,
    /// Of what is not NaN.
    NanMaximum,
    /// Of what is not NaN.
    NanMean,
    /// Of what is not NaN, with `ddof`.
    NanVariance(usize),
    /// Of what is not NaN, with `ddof`.
    NanDeviation(usize),
    /// In floats.
    Median,
    /// In floats, for a share between 0 and 1.
    Quantile(f64),
}

impl Reduction {
    /// The method that does it, with `ddof` or order where it has one.
    pub fn method(self) -> String {
        let name = self.operation().name();
        match self {
            Reduction::Variance(ddof)
            | Reduction::Deviation(ddof)
            | Reduction::NanVariance(ddof)
            | Reduction::NanDeviation(ddof) => format!("{name}_ddof_{ddof}"),
            Reduction::Norm(norm) => format!("{name}_{norm:?}"),
            Reduction::Quantile(q) => format!("{name}_{q}"),
            _ => name.to_string(),
        }
    }

    /// darray's reduction.
    pub fn operation(self) -> darray::Reduction {
        use darray::Reduction as R;
        match self {
            Reduction::Sum => R::Sum,
            Reduction::Maximum => R::Max,
            Reduction::Minimum => R::Min,
            Reduction::ArgMaximum => R::ArgMax,
            Reduction::ArgMinimum => R::ArgMin,
            Reduction::Product => R::Prod,
            Reduction::Mean => R::Mean,
            Reduction::All => R::All,
            Reduction::Any => R::Any,
            Reduction::Variance(ddof) => R::Var { ddof },
            Reduction::Deviation(ddof) => R::Std { ddof },
            Reduction::Range => R::Ptp,
            Reduction::CountNonzero => R::CountNonzero,
            Reduction::Norm(norm) => R::Norm(norm),
            Reduction::NanSum => R::NanSum,
            Reduction::NanProduct => R::NanProd,
            Reduction::NanMinimum => R::NanMin,
            Reduction::NanMaximum => R::NanMax,
            Reduction::NanMean => R::NanMean,
            Reduction::NanVariance(ddof) => R::NanVar { ddof },
            Reduction::NanDeviation(ddof) => R::NanStd { ddof },
            Reduction::Median => R::Median,
            Reduction::Quantile(q) => R::Quantile { q },
        }
    }

    /// The type in which an operand of type `from` is reduced.
    pub fn operand(self, from: DType) -> DType {
        use Reduction::*;
        match (self, from) {
            (Sum | Product | NanSum | NanProduct, from) if !from.is_float() => DType::I64,
            (Mean | Variance(_) | Deviation(_) | Norm(_), _) => real(from),
            (Median | Quantile(_), _) => real(from),
            (NanMean | NanVariance(_) | NanDeviation(_), _) => real(from),
            (All | Any | CountNonzero, _) => DType::Bool,
            _ => from,
        }
    }

    /// The type of the result.
    pub fn dtype(self, from: DType) -> DType {
        match self {
            Reduction::ArgMaximum | Reduction::ArgMinimum | Reduction::CountNonzero => DType::I64,
            _ => self.operand(from),
        }
    }

    /// What it is for types that have no NaN.
    pub fn with_nan(self) -> Reduction {
        match self {
            Reduction::NanSum => Reduction::Sum,
            Reduction::NanProduct => Reduction::Product,
            Reduction::NanMinimum => Reduction::Minimum,
            Reduction::NanMaximum => Reduction::Maximum,
            Reduction::NanMean => Reduction::Mean,
            Reduction::NanVariance(ddof) => Reduction::Variance(ddof),
            Reduction::NanDeviation(ddof) => Reduction::Deviation(ddof),
            other => other,
        }
    }

    /// Whether there is no result over no elements.
    pub fn needs_elements(self) -> bool {
        use Reduction::*;
        match self {
            Norm(norm) => order(norm) == f64::NEG_INFINITY,
            Maximum | Minimum | ArgMaximum | ArgMinimum => true,
            Range | NanMinimum | NanMaximum | Quantile(_) => true,
            _ => false,
        }
    }
}

/// NumPy's `ord` of a vector's norm.
pub fn order(norm: Norm) -> f64 {
    match norm {
        Norm::Zero => 0.0,
        Norm::One => 1.0,
        Norm::Two | Norm::Frobenius => 2.0,
        Norm::Inf => f64::INFINITY,
        Norm::NegInf => f64::NEG_INFINITY,
        Norm::P(p) => p,
    }
}

/// The type of means and roots.
fn real(from: DType) -> DType {
    if from.is_float() { from } else { DType::F64 }
}
