//! A range of what sorted runs make together.

use std::ops::Range;

/// The elements of these numbers, sorted. `get` gives elements of runs; no two elements are equal.
///
/// What each run has of the range is found by binary search, so a range costs its own length and little
/// more.
pub(super) fn range<P: Copy + Ord>(
    lengths: &[usize],
    get: impl Fn(usize, usize) -> P,
    range: Range<usize>,
) -> Vec<P> {
    let mut words: Vec<P> = Vec::with_capacity(range.len());
    for (run, part) in parts(lengths, &get, range).enumerate() {
        words.extend(part.map(|i| get(run, i)));
    }
    // The stable sort finds the runs and merges them.
    words.sort();
    words
}

/// What each run has of a range; as for [`range`].
fn parts<P: Copy + Ord>(
    lengths: &[usize],
    get: impl Fn(usize, usize) -> P,
    range: Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let (from, to) = (split(lengths, &get, range.start), split(lengths, &get, range.end));
    from.into_iter().zip(to).map(|(from, to)| from..to)
}

/// How many elements of each run are among the first `count` of all.
fn split<P: Copy + Ord>(
    lengths: &[usize],
    get: &impl Fn(usize, usize) -> P,
    count: usize,
) -> Vec<usize> {
    let below = |run: usize, word: P| partition(lengths[run], |i| get(run, i) < word);
    let number = |word: P| (0..lengths.len()).map(|run| below(run, word)).sum::<usize>();
    (0..lengths.len()).map(|run| partition(lengths[run], |i| number(get(run, i)) < count)).collect()
}

/// How many of `0..n`, which begin with those that hold, hold.
fn partition(n: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_of_runs_are_those_of_the_whole() {
        let runs = [vec![1, 4, 9, 16, 25], vec![], vec![0, 2, 3], vec![30], vec![5, 6, 7, 8, 10]];
        let lengths: Vec<usize> = runs.iter().map(Vec::len).collect();
        let mut all = runs.concat();
        all.sort_unstable();
        for start in 0..=all.len() {
            for end in start..=all.len() {
                let found = range(&lengths, |run, i| runs[run][i], start..end);
                assert_eq!(found, all[start..end]);
            }
        }
    }
}
