//! Counts, masks, and what is found in order; those whose extent depends on data wait for it.

use super::{Function, keep};

pub const FUNCTIONS: &[Function] = &[
    ("a[t]", |x| keep(x.a.compress(&x.t, ..))),
    ("np.compress(t, a)", |x| keep(x.a.compress(&x.t, ..))),
    ("f[t]", |x| keep(x.f.compress(&x.t, ..))),
    ("np.flatnonzero(t)", |x| keep(x.t.flatnonzero())),
    ("a[a > 0.99]", |x| keep(x.a.compress(&x.a.gt(0.99), ..))),
    ("np.unique(a)", |x| keep(x.a.unique())),
    ("np.unique(i)", |x| keep(x.i.unique())),
    ("np.unique_all(i)", |x| keep(x.i.unique_all())),
    ("np.sort(np.partition(a, a.size - 10)[a.size - 10:])", |x| keep(x.a.topk(10))),
    ("np.sort(np.partition(a, a.size - 1000)[a.size - 1000:])", |x| keep(x.a.topk(1000))),
    ("np.bincount(i)", |x| keep(x.i.bincount(0))),
    ("np.bincount(i, a)", |x| keep(x.i.bincount_weighted(&x.a, 0))),
    ("np.histogram(a, 100)", |x| keep(x.a.histogram(100))),
    ("np.searchsorted(np.sort(v), a)", |x| keep(x.v.sort(-1).searchsorted(&x.a))),
    ("np.searchsorted(ordered, b)", |x| keep(x.ordered.searchsorted(&x.b))),
    ("np.maximum.accumulate(a)", |x| keep(x.a.cummax(..))),
    ("np.diff(a)", |x| keep(x.a.diff(1, -1))),
    ("np.gradient(a, 0.5)", |x| keep(x.a.gradient(0.5, -1))),
    ("np.allclose(a, b)", |x| keep(x.a.allclose(&x.b))),
    ("np.quantile(a, [0.1, 0.5, 0.9])", |x| keep(x.a.quantile([0.1, 0.5, 0.9], ..))),
    ("np.cov(m)", |x| keep(x.m.cov(..))),
];
