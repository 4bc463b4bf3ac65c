//! Functions that have a shorter form for arguments near zero, which gives the same bits.

use darray_core::{Compute, RealType};
use darray_kernel::function::trace::Trace;
use darray_kernel::function::trigonometric;
use darray_kernel::operator::Operator;
use std::sync::OnceLock;

macro_rules! define_near_trace {
    ($(($operator:ident, $compute:ident, $element:ident, $function:ident))*) => {
        /// The steps of the shorter form of an operator of a type, if there is one.
        pub(super) fn near_trace(operator: Operator, dtype: RealType) -> Option<&'static Trace> {
            match (operator, dtype.as_compute()) {
                $((Operator::$operator, Some(Compute::$compute)) => {
                    static TRACE: OnceLock<Trace> = OnceLock::new();
                    let record = || {
                        Trace::record::<$element>(1, |x| trigonometric::$function::<_, true>(x[0]))
                    };
                    Some(TRACE.get_or_init(record))
                })*
                _ => None,
            }
        }
    };
}

define_near_trace! {
    (Sin, F64, f64, sin_f64)
    (Cos, F64, f64, cos_f64)
    (Tan, F64, f64, tan_f64)
    (Sin, F32, f32, sin_f32)
    (Cos, F32, f32, cos_f32)
    (Tan, F32, f32, tan_f32)
}
