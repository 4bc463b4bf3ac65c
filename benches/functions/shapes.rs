//! Functions that move elements, products, and functions that make arrays.

use super::{Function, keep};
use darray::{DArray, PadMode, default_rng, np, s};

pub const FUNCTIONS: &[Function] = &[
    ("m.T.copy()", |x| keep(x.m.t().copy())),
    ("mf.T.copy()", |x| keep(x.mf.t().copy())),
    ("m[:, ::-1].copy()", |x| keep(x.m.flip(1).copy())),
    ("a[::2].copy()", |x| keep(x.a.slice(s![..;2]).copy())),
    ("a[::-1].copy()", |x| keep(x.a.slice(s![..;-1]).copy())),
    ("c.transpose(2, 0, 1).copy()", |x| keep(x.c.permute(&[2, 0, 1]).copy())),
    ("m.T.flatten()", |x| keep(x.m.t().flatten())),
    ("np.concatenate([a, b])", |x| keep(np::concatenate([&x.a, &x.b]))),
    ("np.concatenate([m, m], 1)", |x| keep(DArray::concatenate([&x.m, &x.m], 1))),
    ("np.stack([a, b], 1)", |x| keep(DArray::stack([&x.a, &x.b], 1))),
    ("np.repeat(a, 3)", |x| keep(x.a.repeat(3, 0))),
    ("np.tile(v, 1000)", |x| keep(x.v.tile(1000))),
    ("np.roll(a, 10)", |x| keep(x.a.roll(10, 0))),
    ("np.roll(m, 7, 1)", |x| keep(x.m.roll(7, 1))),
    ("np.pad(m, 3)", |x| keep(x.m.pad(3, PadMode::Constant(0.0.into())))),
    ("np.tril(m)", |x| keep(x.m.tril(0))),
    ("np.diag(v)", |x| keep(x.v.diag(0))),
    ("a[at]", |x| keep(x.a.take(&x.at, ..))),
    ("f[at]", |x| keep(x.f.take(&x.at, ..))),
    ("m[rows]", |x| keep(x.m.take(&x.rows, 0))),
    ("m[:, columns]", |x| keep(x.m.take(&x.columns, 1))),
    ("np.put(a + 0, at, b)", |x| {
        let to = x.a.copy();
        to.put(&x.at, &x.b);
        keep(to)
    }),
    ("(z := a + 0, np.copyto(z, 0, where=t))", |x| {
        let to = x.a.copy();
        to.assign_where(&x.t, 0.0);
        keep(to)
    }),
    ("a @ b", |x| keep(x.a.dot(&x.b))),
    ("f @ g", |x| keep(x.f.dot(&x.g))),
    ("i @ i", |x| keep(x.i.dot(&x.i))),
    ("m @ v", |x| keep(x.m.dot(&x.v))),
    ("m.T @ e", |x| keep(x.m.t().dot(&x.e))),
    ("e @ m", |x| keep(x.e.dot(&x.m))),
    ("mf @ vf", |x| keep(x.mf.dot(&x.vf))),
    ("mi @ vi", |x| keep(x.mi.dot(&x.vi))),
    ("ei @ mi", |x| keep(x.ei.dot(&x.mi))),
    ("s @ s", |x| keep(x.s.matmul(&x.s))),
    ("s.T @ s", |x| keep(x.s.t().matmul(&x.s))),
    ("m @ k", |x| keep(x.m.matmul(&x.k))),
    ("mf @ kf", |x| keep(x.mf.matmul(&x.kf))),
    ("m.T @ m", |x| keep(x.m.t().matmul(&x.m))),
    ("np.outer(e, v)", |x| keep(x.e.outer(&x.v))),
    ("np.tensordot(c, c, 2)", |x| keep(x.c.tensordot(&x.c, 2))),
    ("m.trace()", |x| keep(x.m.trace())),
    ("np.full(n, 3.0)", |x| keep(DArray::<f64>::full(x.a.len(), 3.0))),
    ("np.arange(n, dtype='f8')", |x| keep(DArray::<f64>::arange(x.a.len()))),
    ("np.linspace(0, 1, n)", |x| keep(DArray::<f64>::linspace(0.0, 1.0, x.a.len()))),
    ("np.eye(1000)", |_| keep(DArray::<f64>::eye(1000, 1000, 0))),
    ("rng.random(n)", |x| keep(default_rng(2).random(x.a.len()))),
    ("rng.uniform(0, 2, n)", |x| keep(default_rng(2).uniform(0.0, 2.0, x.a.len()))),
    ("rng.standard_normal(n)", |x| keep(default_rng(2).standard_normal(x.a.len()))),
    ("rng.standard_exponential(n)", |x| keep(default_rng(2).standard_exponential(x.a.len()))),
    ("rng.integers(0, 100, n)", |x| {
        let numbers: DArray<i64> = default_rng(2).integers(0, 100, x.a.len());
        keep(numbers)
    }),
    ("a.copy()", |x| keep(x.a.to_vec())),
];
