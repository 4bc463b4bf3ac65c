//! Methods of NumPy's arrays.

rows! {
    with x a b v s n k m z;

    "ndarray.all", m.all(..) => "m.all()";
    "ndarray.any", m.any(..) => "m.any()";
    "ndarray.argmax", x.argmax(..) => "x.argmax()";
    "ndarray.argmin", x.argmin(0) => "x.argmin(0)";
    "ndarray.argsort", x.argsort(-1) => "x.argsort()";
    "ndarray.astype", x.astype::<f32>() => "x.astype(np.float32)";
    "ndarray.choose", np::choose(&DArray::from([1i64, 0, 1, 0]), &[&v, &s]) => "np.array([1, 0, 1, 0]).choose([v, s])";
    "ndarray.clip", x.clip(0.0, 2.0) => "x.clip(0, 2)";
    "ndarray.compress", n.compress(&m, ..) => "n.compress(m)";
    "ndarray.conj", z.conj() => "z.conj()";
    "ndarray.conjugate", z.conj() => "z.conjugate()";
    "ndarray.copy", x.copy() => "x.copy()";
    "ndarray.cumprod", x.cumprod(0) => "x.cumprod(0)";
    "ndarray.cumsum", x.cumsum(..) => "x.cumsum()";
    "ndarray.diagonal", x.diagonal(0) => "x.diagonal()";
    "ndarray.dot", a.dot(&b) => "a.dot(b)";
    "ndarray.fill", { let c = x.copy(); c.assign(2.5); c } => "[c := x.copy(), c.fill(2.5)][0]";
    "ndarray.flatten", x.flatten() => "x.flatten()";
    "ndarray.item", x.get([1, 2]) => "x.item(1, 2)";
    "ndarray.mean", x.mean(1) => "x.mean(1)";
    "ndarray.nonzero", k.nonzero() => "k.nonzero()";
    "ndarray.prod", x.prod(..) => "x.prod()";
    "ndarray.put", { let c = v.copy(); c.put(&DArray::from([1i64]), 9.0); c } => "[c := v.copy(), c.put([1], 9)][0]";
    "ndarray.ravel", x.ravel() => "x.ravel()";
    "ndarray.repeat", v.repeat(2, 0) => "v.repeat(2)";
    "ndarray.reshape", x.reshape((3, -1)) => "x.reshape(3, -1)";
    "ndarray.searchsorted", s.searchsorted(&v) => "s.searchsorted(v)";
    "ndarray.sort", { let c = x.copy(); c.assign(&x.sort(-1)); c } => "[c := x.copy(), c.sort()][0]";
    "ndarray.squeeze", x.slice(s![0..1]).squeeze(..) => "x[0:1].squeeze()";
    "ndarray.std", x.std(0) => "x.std(0)";
    "ndarray.sum", x.sum(..) => "x.sum()";
    "ndarray.swapaxes", x.swap_axes(0, 1) => "x.swapaxes(0, 1)";
    "ndarray.take", v.take(&DArray::from([3i64, 0]), 0) => "v.take([3, 0])";
    "ndarray.tolist", v.to_vec() => "v.tolist()";
    "ndarray.trace", a.trace() => "a.trace()";
    "ndarray.transpose", x.transpose(..) => "x.transpose()";
    "ndarray.var", x.var(axis(0).ddof(1)) => "x.var(0, ddof=1)";
    "ndarray.argpartition", s.argpartition(1, -1).get(1) => "s.argpartition(1)[1].item()";
    "ndarray.partition", v.partition(1, -1).get(1) => "[c := v.copy(), c.partition(1), c[1].item()][2]";
}
