//! Data that was moved to the host for want of memory.

use crate::geometry::{Rectangle, RectangleSet, rectangle_bytes};
use darray_core::RealType;
use std::sync::Arc;

/// The parts of a store whose bytes the host holds, each as one device held it.
#[derive(Debug, Default)]
#[expect(clippy::box_collection, reason = "every store has one, and hardly any has parts")]
pub(crate) struct Staged(Option<Box<Vec<Part>>>);

#[derive(Debug)]
struct Part {
    device: usize,
    bounds: Rectangle,
    /// What has not been overwritten since.
    valid: RectangleSet,
    /// Row-major, of all of `bounds`.
    bytes: Arc<Vec<u8>>,
}

/// A rectangle with its row-major bytes.
type Bytes = (Rectangle, Arc<Vec<u8>>);

impl Staged {
    /// Keeps a rectangle that a device held.
    pub(crate) fn insert(&mut self, device: usize, bounds: Rectangle, bytes: Vec<u8>) {
        let mut valid = RectangleSet::default();
        valid.insert(&bounds);
        let part = Part { device, bounds, valid, bytes: Arc::new(bytes) };
        self.0.get_or_insert_default().push(part);
    }

    /// Forgets a rectangle that is overwritten.
    pub(crate) fn remove(&mut self, rectangle: &Rectangle) {
        let Some(parts) = &mut self.0 else { return };
        parts.iter_mut().for_each(|part| part.valid.remove(rectangle));
        parts.retain(|part| !part.valid.is_empty());
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0 = None;
    }

    /// Of how many rectangles it is.
    pub(crate) fn count(&self) -> usize {
        self.parts().iter().map(|part| part.valid.rectangles().len()).sum()
    }

    /// What is here, with the device that held it.
    pub(crate) fn rectangles(&self) -> impl Iterator<Item = (usize, &Rectangle)> {
        self.parts()
            .iter()
            .flat_map(|part| part.valid.rectangles().iter().map(|r| (part.device, r)))
    }

    fn parts(&self) -> &[Part] {
        self.0.as_ref().map_or(&[], |parts| &parts[..])
    }

    /// The bytes of what is here of some disjoint rectangles, and what is not.
    pub(crate) fn find(
        &self,
        wanted: &[Rectangle],
        dtype: RealType,
    ) -> (Vec<Bytes>, Vec<Rectangle>) {
        let (mut found, mut missing) = (Vec::new(), wanted.to_vec());
        let mut rest = Vec::new();
        for part in self.parts() {
            for held in part.valid.rectangles() {
                for wanted in &missing {
                    if let Some(common) = wanted.intersect(held) {
                        let bytes = part.bytes_of(&common, dtype.size());
                        found.push((common, bytes));
                    }
                    wanted.subtract(held, &mut rest);
                }
                std::mem::swap(&mut missing, &mut rest);
                rest.clear();
            }
        }
        (found, missing)
    }
}

impl Part {
    fn bytes_of(&self, rectangle: &Rectangle, size: usize) -> Arc<Vec<u8>> {
        if *rectangle == self.bounds {
            return self.bytes.clone();
        }
        Arc::new(rectangle_bytes(&self.bytes, &self.bounds, rectangle, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Span;
    use smallvec::smallvec;

    fn rectangle(rows: (i64, i64), columns: (i64, i64)) -> Rectangle {
        let span = |(lo, hi)| Span { lo, hi };
        Rectangle { spans: smallvec![span(rows), span(columns)] }
    }

    #[test]
    fn what_was_not_overwritten_is_found_with_its_bytes() {
        let mut staged = Staged::default();
        // Rows 2..4 of three columns: elements 20 to 22 and 30 to 32.
        staged.insert(1, rectangle((2, 4), (0, 3)), vec![20, 21, 22, 30, 31, 32]);
        let find = |staged: &Staged, wanted: Rectangle| {
            let (found, missing) = staged.find(&[wanted], RealType::U8);
            (found.into_iter().map(|(_, bytes)| bytes.to_vec()).collect::<Vec<_>>(), missing)
        };
        let (found, missing) = find(&staged, rectangle((3, 5), (1, 3)));
        assert_eq!((found, missing), (vec![vec![31, 32]], vec![rectangle((4, 5), (1, 3))]));
        staged.remove(&rectangle((2, 3), (0, 2)));
        let (found, missing) = find(&staged, rectangle((2, 3), (0, 3)));
        assert_eq!((found, missing), (vec![vec![22]], vec![rectangle((2, 3), (0, 2))]));
        staged.remove(&rectangle((0, 9), (0, 9)));
        assert_eq!(staged.rectangles().count(), 0);
    }
}
