//! Which loop goes inside which, and which loops are one.

use smallvec::SmallVec;

/// A loop over one axis, or over several axes that are one in every access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loop {
    /// The innermost axis of it; its strides are the loop's.
    pub axis: u8,
    /// Iterations.
    pub extent: usize,
}

/// Orders the parallel axes so that small strides are inside, drops those of extent 1 and unites
/// neighbours that every access crosses without a gap.
///
/// `strides(axis)` are the strides of every access along an axis, in one unit. An axis in `indexed`
/// is left alone, as its index is a value. What the body of a fold accesses (`in_fold`) has the first
/// say, as it is accessed once for every reduced index.
pub fn plan_loops<'s>(
    extents: &[usize],
    indexed: &[u8],
    in_fold: impl Fn(usize) -> bool,
    strides: impl Fn(u8) -> &'s [i64],
) -> SmallVec<[Loop; 4]> {
    let mut loops: SmallVec<[Loop; 4]> = SmallVec::new();
    for (axis, &extent) in extents.iter().enumerate() {
        if extent != 1 {
            loops.push(Loop { axis: axis as u8, extent });
        }
    }
    if loops.len() < 2 {
        return loops;
    }
    // Insertion sort: an axis moves outwards past those that belong inside it.
    for at in 1..loops.len() {
        let mut at = at;
        while at > 0
            && belongs_inside(strides(loops[at - 1].axis), strides(loops[at].axis), &in_fold)
        {
            loops.swap(at - 1, at);
            at -= 1;
        }
    }
    let mut united: SmallVec<[Loop; 4]> = SmallVec::new();
    for inner in loops {
        let free = !indexed.contains(&inner.axis);
        match united.last_mut() {
            Some(outer)
                if free
                    && !indexed.contains(&outer.axis)
                    && follows(strides(outer.axis), strides(inner.axis), inner.extent) =>
            {
                *outer = Loop { axis: inner.axis, extent: outer.extent * inner.extent };
            }
            _ => united.push(inner),
        }
    }
    united
}

/// Whether most accesses move in smaller steps along the first axis than along the second: most of those in
/// the fold, or most of all where those do not decide it.
fn belongs_inside(first: &[i64], second: &[i64], in_fold: impl Fn(usize) -> bool) -> bool {
    let (mut votes, mut in_folds) = (0, 0);
    for (access, (a, b)) in first.iter().zip(second).enumerate() {
        let vote = match (a.unsigned_abs(), b.unsigned_abs()) {
            (0, _) | (_, 0) => 0,
            (a, b) => (a < b) as i32 - (a > b) as i32,
        };
        votes += vote;
        in_folds += if in_fold(access) { vote } else { 0 };
    }
    in_folds > 0 || in_folds == 0 && votes > 0
}

/// Whether a step of the outer axis is `extent` steps of the inner one, in every access.
fn follows(outer: &[i64], inner: &[i64], extent: usize) -> bool {
    outer.iter().zip(inner).all(|(&o, &i)| i.checked_mul(extent as i64) == Some(o))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(extents: &[usize], indexed: &[u8], strides: &[&[i64]]) -> Vec<(u8, usize)> {
        plan_with(extents, indexed, &[], strides)
    }

    /// With the accesses that are in a fold.
    fn plan_with(
        extents: &[usize],
        indexed: &[u8],
        in_fold: &[usize],
        strides: &[&[i64]],
    ) -> Vec<(u8, usize)> {
        let in_fold = |access: usize| in_fold.contains(&access);
        let loops = plan_loops(extents, indexed, in_fold, |axis| strides[axis as usize]);
        loops.iter().map(|l| (l.axis, l.extent)).collect()
    }

    #[test]
    fn contiguous_axes_unite() {
        let strides: &[&[i64]] = &[&[20, 20], &[5, 5], &[1, 1]];
        assert_eq!(plan(&[3, 4, 5], &[], strides), [(2, 60)]);
        assert_eq!(plan(&[3, 4, 5], &[2], strides), [(1, 12), (2, 5)]);
        assert_eq!(plan(&[3, 4, 5], &[], &[&[20, 0], &[5, 5], &[1, 1]]), [(0, 3), (2, 20)]);
        assert_eq!(plan(&[3, 1, 5], &[], &[&[10, 5], &[7, 0], &[2, 1]]), [(2, 15)]);
    }

    #[test]
    fn transposed_accesses_swap_the_loops() {
        assert_eq!(plan(&[3, 4], &[], &[&[1, 1], &[3, 3]]), [(0, 12)]);
        assert_eq!(plan(&[3, 4], &[], &[&[1, 1, 8], &[5, 5, 1]]), [(1, 4), (0, 3)]);
        assert_eq!(plan(&[3, 4], &[], &[&[4, 1], &[1, 3]]), [(0, 3), (1, 4)]);
    }

    #[test]
    fn the_body_of_a_fold_decides() {
        let strides: &[&[i64]] = &[&[1, 4, 4], &[9, 1, 1]];
        assert_eq!(plan_with(&[3, 4], &[], &[], strides), [(0, 3), (1, 4)]);
        assert_eq!(plan_with(&[3, 4], &[], &[0], strides), [(1, 4), (0, 3)]);
        let tie: &[&[i64]] = &[&[1, 4, 1], &[9, 1, 9]];
        assert_eq!(plan_with(&[3, 4], &[], &[0, 1], tie), [(1, 4), (0, 3)], "then all do");
    }

    #[test]
    fn single_points_have_no_loops() {
        assert!(plan(&[1, 1], &[], &[&[4, 1], &[1, 3]]).is_empty());
    }
}
