//! A result beside NumPy's.

use crate::table::Case;
use darray::{DynArray, Scalar};

/// Nothing where element type, shape and elements are as expected; else what differs.
pub fn compare(case: &Case, array: &DynArray) -> Result<(), String> {
    let expected = &case.expected;
    if array.dtype() != expected.dtype || array.shape() != expected.shape {
        let (shape, dtype) = (&expected.shape, expected.dtype);
        return Err(format!("{dtype} {shape:?} expected, {} {:?}", array.dtype(), array.shape()));
    }
    let bytes = array.to_bytes().map_err(|error| error.to_string())?;
    let mut elements = bytes.chunks_exact(expected.dtype.part().size()).map(|chunk| {
        let mut bits = [0; 8];
        bits[..chunk.len()].copy_from_slice(chunk);
        Scalar::from_bits(expected.dtype.part(), u64::from_le_bytes(bits))
    });
    for (at, &wanted) in expected.elements.iter().enumerate() {
        let Some(found) = elements.next() else { return Err(format!("no element {at}")) };
        if distance(wanted, found) > case.ulp {
            let distance = distance(wanted, found);
            return Err(format!("element {at}: {wanted} expected, {found}, {distance} ulp apart"));
        }
    }
    elements.next().map_or(Ok(()), |more| Err(format!("{more} too much")))
}

/// How many numbers of their type lie between two elements; 0 for two NaNs, or for equal bits.
fn distance(a: Scalar, b: Scalar) -> u64 {
    if !a.dtype().is_float() {
        return if a == b { 0 } else { u64::MAX };
    }
    match (a.to_f64().is_nan(), b.to_f64().is_nan()) {
        (true, true) => 0,
        (false, false) => place(a).abs_diff(place(b)),
        _ => u64::MAX,
    }
}

/// The number's place among all of its type, both zeros apart.
fn place(a: Scalar) -> i64 {
    let unused = 64 - 8 * a.dtype().size();
    let bits = (a.bits() << unused) as i64 >> unused;
    let lowest = i64::MIN >> unused;
    if bits < 0 { lowest.wrapping_sub(bits).wrapping_sub(1) } else { bits }
}
