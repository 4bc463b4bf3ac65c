//! Arrays piece by piece, as files are written and read: what a piece takes is used again, and stays in the caches, while
//! memory for a whole array is written for the first time.

use std::ops::Range;

/// Bytes of a piece at most: so few that the allocator keeps the memory of a piece for the next one, and does not give it back
/// to the system, which takes as long as all else.
const MOST: usize = 1 << 18;

/// Pieces that follow one another in row-major order: the spans along each axis, in elements of so many bytes. Of empty
/// arrays there are none.
///
/// ```text
/// (2, 5, 100), at most 300 elements:  [0, 0..3, ..] [0, 3..5, ..] [1, 0..3, ..] [1, 3..5, ..]
/// ```
pub fn pieces(shape: &[usize], size: usize) -> impl Iterator<Item = Vec<Range<usize>>> {
    pieces_of(shape, MOST / size)
}

fn pieces_of(shape: &[usize], most: usize) -> impl Iterator<Item = Vec<Range<usize>>> {
    // What is behind the axis that is cut fits as a whole.
    let (mut cut, mut behind) = (shape.len(), 1);
    while cut > 0 && behind * shape[cut - 1] <= most {
        cut -= 1;
        behind *= shape[cut];
    }
    let cut = cut.saturating_sub(1);
    let whole: Vec<Range<usize>> = shape.iter().map(|&extent| 0..extent).collect();
    let behind: usize = shape.iter().skip(cut + 1).product();
    let extent = shape.get(cut).copied().unwrap_or(1);
    // Of those that there have to be, each is about as long as the others.
    let longest = (most / behind.max(1)).max(1);
    let step = extent.div_ceil(extent.div_ceil(longest).max(1)).max(1);
    let before: usize = shape.iter().take(cut).product();
    let starts = (0..extent).step_by(step);
    let count = if behind == 0 { 0 } else { before };
    (0..count).flat_map(move |index| {
        let mut piece = whole.clone();
        let mut rest = index;
        for span in piece.iter_mut().take(cut).rev() {
            let at = rest % span.end;
            rest /= span.end;
            *span = at..at + 1;
        }
        starts.clone().map(move |start| {
            let mut piece = piece.clone();
            if let Some(span) = piece.get_mut(cut) {
                *span = start..(start + step).min(extent);
            }
            piece
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_elements_in_their_order() {
        let shapes: [&[usize]; 13] = [
            &[],
            &[1],
            &[7],
            &[0],
            &[3, 0],
            &[0, 3],
            &[2, 5, 3],
            &[5, 1, 1],
            &[1, 1, 9],
            &[2, 2, 2, 2],
            &[4, 31],
            &[31, 4],
            &[1, 3, 1, 11],
        ];
        for shape in shapes {
            for most in [1, 2, 3, 4, 5, 8, 30, 1000] {
                let mut next = 0;
                for piece in pieces_of(shape, most) {
                    let size: usize = piece.iter().map(|span| span.len()).product();
                    assert!((1..=most).contains(&size), "{shape:?} {most}: {piece:?}");
                    let first =
                        piece.iter().zip(shape).fold(0, |at, (span, n)| at * n + span.start);
                    let last =
                        piece.iter().zip(shape).fold(0, |at, (span, n)| at * n + span.end - 1);
                    assert_eq!(
                        (first, last),
                        (next, next + size - 1),
                        "{shape:?} {most}: {piece:?}"
                    );
                    next += size;
                }
                assert_eq!(next, shape.iter().product(), "{shape:?} {most}");
            }
        }
        assert_eq!(pieces_of(&[1000], 300).count(), 4);
        assert!(pieces_of(&[1001], 1000).all(|piece| piece[0].len() >= 500), "about alike");
    }
}
