//! `logical_and` and its like rounded a scalar to the array's type before they asked whether it is zero.
//! NumPy asks first.

use darray::{Argument, Binary, DArray, DType, DynArray};

/// What `and`, `or`, `xor` of {0, 1} and something that is zero or is not give.
fn expected(operation: Binary, nonzero: bool) -> [bool; 2] {
    [false, true].map(|x| match operation {
        Binary::LogicalAnd => x & nonzero,
        Binary::LogicalOr => x | nonzero,
        _ => x ^ nonzero,
    })
}

fn bits(array: DynArray) -> Vec<bool> {
    DArray::<bool>::try_from(array).unwrap().to_vec()
}

#[test]
fn scalars_that_the_type_rounds_to_zero_are_not_zero() {
    // f16 makes zeros of the second to the fourth, f32 of the third and fourth.
    let floats = [0.5, 1e-30, 1e-50, -5e-324, f64::NAN, f64::INFINITY, 0.0, -0.0, 2.0];
    let integers = [0, 1, -1, 256, 1 << 16, 1 << 32, i64::MIN];
    let scalars = floats.map(|v| (Argument::from(v), v != 0.0)).into_iter();
    let scalars = scalars.chain(integers.map(|v| (Argument::from(v), v != 0)));
    for (scalar, nonzero) in scalars.chain([(true.into(), true), (false.into(), false)]) {
        for dtype in DType::ALL {
            let x = DynArray::from(DArray::from_vec(vec![false, true])).cast(dtype).unwrap();
            for operation in [Binary::LogicalAnd, Binary::LogicalOr, Binary::LogicalXor] {
                let want = expected(operation, nonzero);
                let told = format!("{operation:?} of {dtype} and {scalar:?}");
                assert_eq!(bits(x.binary(operation, scalar).unwrap()), want, "{told}");
                assert_eq!(bits(x.binary_reversed(operation, scalar).unwrap()), want, "{told}");
                if dtype == DType::Bool {
                    let y = x.clone();
                    y.update(operation, scalar).unwrap();
                    assert_eq!(bits(y), want, "{told}, in place");
                }
            }
        }
    }
}
