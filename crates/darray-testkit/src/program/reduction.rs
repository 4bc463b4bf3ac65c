//! Reductions of programs.

use darray_core::DType;

/// Reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Sum of absolute values, in floats.
    NormOne,
    /// Root of the sum of squares, in floats.
    NormTwo,
    /// Greatest absolute value, in floats; 0 for none.
    NormInf,
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
}

impl Reduction {
    /// The method that does it, with `ddof` where it has one.
    pub fn method(self) -> String {
        let name = match self {
            Reduction::Sum => "sum",
            Reduction::Maximum => "max",
            Reduction::Minimum => "min",
            Reduction::ArgMaximum => "argmax",
            Reduction::ArgMinimum => "argmin",
            Reduction::Product => "prod",
            Reduction::Mean => "mean",
            Reduction::All => "all",
            Reduction::Any => "any",
            Reduction::Variance(ddof) => return format!("var_ddof_{ddof}"),
            Reduction::Deviation(ddof) => return format!("std_ddof_{ddof}"),
            Reduction::Range => "ptp",
            Reduction::CountNonzero => "count_nonzero",
            Reduction::NormOne => "norm_one",
            Reduction::NormTwo => "norm",
            Reduction::NormInf => "norm_inf",
            Reduction::NanSum => "nansum",
            Reduction::NanProduct => "nanprod",
            Reduction::NanMinimum => "nanmin",
            Reduction::NanMaximum => "nanmax",
            Reduction::NanMean => "nanmean",
            Reduction::NanVariance(ddof) => return format!("nanvar_ddof_{ddof}"),
            Reduction::NanDeviation(ddof) => return format!("nanstd_ddof_{ddof}"),
        };
        name.to_string()
    }

    /// The type in which an operand of type `from` is reduced.
    pub fn operand(self, from: DType) -> DType {
        use Reduction::*;
        match (self, from) {
            (Sum | Product | NanSum | NanProduct, from) if !from.is_float() => DType::I64,
            (Mean | Variance(_) | Deviation(_) | NormOne | NormTwo | NormInf, _) => real(from),
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
        matches!(
            self,
            Maximum | Minimum | ArgMaximum | ArgMinimum | Range | NanMinimum | NanMaximum
        )
    }
}

/// The type of means and roots.
fn real(from: DType) -> DType {
    if from.is_float() { from } else { DType::F64 }
}
