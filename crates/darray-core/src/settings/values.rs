//! Values of settings, from their texts.

use super::MAX_DEVICES;
use std::path::PathBuf;

/// Numbers of CPU devices and of GPUs: `cpu`, `cpu:4`, `cuda:0`, `cuda:0,cuda:1`.
pub(super) fn devices(text: &str) -> Option<(usize, Vec<usize>)> {
    match text.split_once(':') {
        None if text == "cpu" => Some((1, Vec::new())),
        Some(("cpu", n)) => {
            let count = n.parse().ok().filter(|n| (1..=MAX_DEVICES).contains(n))?;
            Some((count, Vec::new()))
        }
        _ => {
            let gpu = |name: &str| name.trim().strip_prefix("cuda:")?.parse().ok();
            let gpus = text.split(',').map(gpu).collect::<Option<Vec<usize>>>()?;
            (gpus.len() <= MAX_DEVICES).then_some((gpus.len(), gpus))
        }
    }
}

/// `0`, `1`.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// A path that is not empty.
pub(super) fn path(text: &str) -> Option<PathBuf> {
    (!text.is_empty()).then(|| PathBuf::from(text))
}

/// `1024`, `64K`, `2G`.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let (digits, power) = match text.char_indices().last()? {
        (at, 'K') => (&text[..at], 1),
        (at, 'M') => (&text[..at], 2),
        (at, 'G') => (&text[..at], 3),
        (at, 'T') => (&text[..at], 4),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << (10 * power))
}

/// The name that is so near to this one that it is likely meant: with one letter in four of what follows
/// `DARRAY_` wrong at most, but always one.
///
/// `DARRAY_WINDOWS` is near `DARRAY_WINDOW`, `DARRAY_FOO` is near nothing.
pub(super) fn near(names: impl Iterator<Item = &'static str>, name: &str) -> Option<&'static str> {
    let nearest = names.map(|known| (distance(known, name), known)).min()?;
    let letters = nearest.1.len().max(name.len()).saturating_sub("DARRAY_".len());
    (nearest.0 <= (letters / 4).max(1)).then_some(nearest.1)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
