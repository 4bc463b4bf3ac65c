//! Broadcasting of shapes.

use crate::reindex::check_shape;
use crate::{ErrorKind, Shape};

/// The shape to which two shapes broadcast: aligned at the last axis, an extent of 1 or a missing
/// axis takes the other's extent.
///
/// ```
/// use darray_core::{Shape, broadcast_shapes};
/// let (a, b) = (Shape::from([3, 1]), Shape::from([4]));
/// assert_eq!(broadcast_shapes(&a, &b).unwrap(), Shape::from([3, 4]));
/// let error = broadcast_shapes(&Shape::from([3]), &b).unwrap_err();
/// assert_eq!(error.to_string(), "shapes [3] and [4] do not broadcast");
/// ```
pub fn broadcast_shapes(a: &Shape, b: &Shape) -> Result<Shape, ErrorKind> {
    if a == b {
        return Ok(a.clone());
    }
    let (long, short) = if a.rank() >= b.rank() { (a, b) } else { (b, a) };
    let mut result = long.clone();
    let new = long.rank() - short.rank();
    for (extent, &other) in result[new..].iter_mut().zip(short.iter()) {
        match (*extent, other) {
            (n, m) if n == m || m == 1 => {}
            (1, m) => *extent = m,
            _ => return Err(ErrorKind::Broadcast { shapes: vec![a.clone(), b.clone()] }),
        }
    }
    check_shape(&result)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_broadcast_as_numpys() {
        type Extents = &'static [usize];
        let cases: [(Extents, Extents, Option<Extents>); 9] = [
            (&[], &[], Some(&[])),
            (&[], &[2, 3], Some(&[2, 3])),
            (&[3], &[2, 3], Some(&[2, 3])),
            (&[2, 1], &[1, 3], Some(&[2, 3])),
            (&[2, 1], &[3], Some(&[2, 3])),
            (&[0], &[1], Some(&[0])),
            (&[0], &[2], None),
            (&[2], &[2, 3], None),
            (&[4, 1, 2], &[3, 1], Some(&[4, 3, 2])),
        ];
        for (a, b, expected) in cases {
            let (a, b) = (Shape::new(a), Shape::new(b));
            let expected = expected.map(Shape::new);
            assert_eq!(broadcast_shapes(&a, &b).ok(), expected, "{a} {b}");
            assert_eq!(broadcast_shapes(&b, &a).ok(), expected, "{b} {a}");
        }
    }
}
