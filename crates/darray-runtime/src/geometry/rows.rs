//! Rows of rectangles, one after the other.

use crate::geometry::Rectangle;
use darray_core::Shape;
use smallvec::SmallVec;

/// Calls `visit` with the index of the first element of every row of a non-empty rectangle.
pub(crate) fn for_each_row(extents: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut rows: SmallVec<[usize; 4]> = extents.iter().copied().collect();
    if let Some(last) = rows.last_mut() {
        *last = 1;
    }
    for_each_index(&rows, &mut visit);
}

/// Calls `visit` with every index, row-major.
pub(crate) fn for_each_index(extents: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, extents.len());
    loop {
        visit(&index);
        let mut axis = extents.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < extents[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// The row-major bytes of a part of a rectangle, out of those of the rectangle.
pub(crate) fn rectangle_bytes(
    bytes: &[u8],
    rectangle: &Rectangle,
    part: &Rectangle,
    size: usize,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.size() * size);
    let strides = Shape::new(&rectangle.extents()).strides();
    for_each_row(&part.extents(), |index| {
        let starts = part.spans.iter().zip(&rectangle.spans).map(|(p, r)| p.lo - r.lo);
        let at = starts.zip(index).zip(&strides).map(|((lo, &i), s)| (lo + i as i64) * s);
        let at = at.sum::<i64>() as usize * size;
        let row = part.spans.last().map_or(1, |s| s.extent());
        out.extend_from_slice(&bytes[at..at + row * size]);
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Span;
    use smallvec::smallvec;

    #[test]
    fn bytes_of_a_part() {
        let bytes: Vec<u8> = (0..24).collect();
        let rectangle = |spans: [(i64, i64); 2]| Rectangle {
            spans: spans.into_iter().map(|(lo, hi)| Span { lo, hi }).collect(),
        };
        let part = rectangle([(1, 3), (2, 4)]);
        let whole = rectangle([(0, 4), (0, 6)]);
        assert_eq!(rectangle_bytes(&bytes, &whole, &part, 1), [8, 9, 14, 15]);
        let around = rectangle([(1, 4), (1, 5)]);
        assert_eq!(rectangle_bytes(&bytes, &around, &part, 2), [2, 3, 4, 5, 10, 11, 12, 13]);
        let scalar = Rectangle { spans: smallvec![] };
        assert_eq!(rectangle_bytes(&[1, 2], &scalar, &scalar, 2), [1, 2]);
    }
}
