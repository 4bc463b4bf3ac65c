//! Clocks around work that several threads share.

use std::sync::Barrier;
use std::time::Instant;

/// Seconds from the first start to the last end of `work`, called with each of `parts` on a thread of
/// its own. Starting the threads is not counted.
pub(crate) fn seconds<P: Send>(parts: Vec<P>, work: impl Fn(P) + Sync) -> f64 {
    let together = Barrier::new(parts.len());
    let run = |part: P| {
        together.wait();
        let start = Instant::now();
        work(part);
        (start, Instant::now())
    };
    let spans: Vec<(Instant, Instant)> = if parts.len() == 1 {
        parts.into_iter().map(run).collect()
    } else {
        std::thread::scope(|scope| {
            let run = &run;
            let threads: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || run(part))).collect();
            threads.into_iter().map(|thread| thread.join().expect("work does not panic")).collect()
        })
    };
    let start = spans.iter().map(|span| span.0).min();
    let end = spans.iter().map(|span| span.1).max();
    end.zip(start).map_or(0.0, |(end, start)| (end - start).as_secs_f64())
}

/// The value in the middle, or the mean of the two there.
///
/// ```
/// use darray_benches::timing::median;
/// assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
/// assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
/// ```
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

/// Cuts a slice into `parts` pieces of nearly the same length.
pub(crate) fn cut<T>(slice: &[T], parts: usize) -> Vec<&[T]> {
    bounds(slice.len(), parts).map(|(from, to)| &slice[from..to]).collect()
}

/// Cuts a slice that is written into the pieces that [`cut`] makes.
pub(crate) fn cut_mut<T>(mut slice: &mut [T], parts: usize) -> Vec<&mut [T]> {
    let lengths: Vec<usize> = bounds(slice.len(), parts).map(|(from, to)| to - from).collect();
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, rest) = slice.split_at_mut(length);
        pieces.push(piece);
        slice = rest;
    }
    pieces
}

/// Bounds at multiples of a cache line's elements.
fn bounds(length: usize, parts: usize) -> impl Iterator<Item = (usize, usize)> {
    let at = move |part: usize| {
        if part == parts { length } else { length * part / parts / 16 * 16 }
    };
    (0..parts).map(move |part| (at(part), at(part + 1)))
}

#[cfg(test)]
mod tests {
    use super::{cut, cut_mut, seconds};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_part_is_worked_on_once() {
        let mut numbers: Vec<usize> = (0..1001).collect();
        for parts in [1, 2, 3] {
            assert_eq!(cut(&numbers, parts).concat(), numbers);
            let sum = AtomicUsize::new(0);
            let pieces = cut_mut(&mut numbers, parts);
            assert_eq!(pieces.len(), parts);
            let spent = seconds(pieces, |piece| {
                sum.fetch_add(piece.iter().sum::<usize>(), Ordering::Relaxed);
            });
            assert!(spent > 0.0);
            assert_eq!(sum.into_inner(), 500_500);
        }
    }
}
