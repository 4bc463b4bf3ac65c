//! A reducer by itself, for kernels that are not generated.

use super::literal::c_type;
use super::operators::Functions;
use darray_core::RealType;
use darray_kernel::ir::Reducer;

/// CUDA C definitions for a reducer of values of `dtype`:
///
/// | name | what it is |
/// |---|---|
/// | `darray_value`, `darray_accumulator` | types of values and of accumulators |
/// | `darray_combine(a, b)` | two accumulators as one, the earlier one first |
/// | `darray_pair(value, index)` | an accumulator; without arg-reducers the index is ignored |
/// | `darray_value_of(a)`, `darray_index_of(a)` | its parts |
///
/// ```
/// use darray_codegen::cuda::reducer;
/// use darray_core::RealType;
/// use darray_kernel::ir::Reducer;
/// let text = reducer(Reducer::Sum, RealType::F64);
/// assert!(text.contains("return __dadd_rn(a, b);"));
/// ```
///
/// # Panics
///
/// If the reducer is not defined for the type.
pub fn reducer(reducer: Reducer, dtype: RealType) -> String {
    let mut functions = Functions::default();
    let accumulator = functions.accumulator(reducer, dtype);
    let combined = functions.combine(reducer, dtype, "a", "b");
    let value = c_type(dtype);
    let (pair, value_of, index_of) = match reducer.has_index() {
        true => ("darray_arg_of(value, index)", "a.value", "a.index"),
        false => ("value", "a", "0"),
    };
    let function = |head: &str, result: &str| {
        format!("__device__ __forceinline__ {head} {{\n    return {result};\n}}\n\n")
    };
    [
        functions.definitions(),
        format!("typedef {value} darray_value;\ntypedef {accumulator} darray_accumulator;\n\n"),
        function(
            "darray_accumulator darray_combine(darray_accumulator a, darray_accumulator b)",
            &combined,
        ),
        function("darray_accumulator darray_pair(darray_value value, long long index)", pair),
        function("darray_value darray_value_of(darray_accumulator a)", value_of),
        function("long long darray_index_of(darray_accumulator a)", index_of),
    ]
    .concat()
}
