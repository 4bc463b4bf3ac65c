//! Indices, sorting, sets, counts.

rows! {
    with x v s n k m;

    "np.argsort", np::argsort(&x, 1) => "np.argsort(x)";
    "np.argwhere", np::argwhere(&k) => "np.argwhere(k)";
    "np.bincount", np::bincount(&n, 0) => "np.bincount(n)";
    "np.compress", np::compress(&m, &n, ..) => "np.compress(m, n)";
    "np.digitize", np::digitize(&v, &s) => "np.digitize(v, s)";
    "np.extract", np::extract(&m, &n) => "np.extract(m, n)";
    "np.flatnonzero", np::flatnonzero(&k) => "np.flatnonzero(k)";
    "np.gradient", np::gradient(&s, 0.5, 0) => "np.gradient(s, 0.5)";
    "np.histogram", np::histogram(&v, 4) => "np.histogram(v, 4)";
    "np.nonzero", np::nonzero(&k) => "np.nonzero(k)";
    "np.put", { let c = v.copy(); np::put(&c, &DArray::from([0i64, 2]), 9.0); c } => "[c := v.copy(), np.put(c, [0, 2], 9)][0]";
    "np.put_along_axis", { let c = x.copy(); np::put_along_axis(&c, &DArray::from([[1i64], [0]]), 9.0, 1); c } => "[c := x.copy(), np.put_along_axis(c, np.array([[1], [0]]), 9, 1)][0]";
    "np.searchsorted", np::searchsorted(&s, &v) => "np.searchsorted(s, v)";
    "np.sort", np::sort(&x, -1) => "np.sort(x)";
    "np.take", np::take(&v, &DArray::from([3i64, 0]), ..) => "np.take(v, [3, 0])";
    "np.take_along_axis", np::take_along_axis(&x, &x.argsort(1), 1) => "np.take_along_axis(x, np.argsort(x), 1)";
    "np.unique", np::unique(&n) => "np.unique(n)";
    "np.unique_all", { let all = np::unique_all(&n); vec![all.values, all.indices, all.inverse, all.counts] } => "np.unique_all(n)";
    "np.unique_counts", np::unique_counts(&n) => "np.unique_counts(n)";
    "np.unique_inverse", np::unique_inverse(&n) => "np.unique_inverse(n)";
    "np.unique_values", np::unique_values(&n) => "np.sort(np.unique_values(n))";
    "np.argpartition", np::argpartition(&v, 2, -1).get(2) => "np.argpartition(v, 2)[2].item()";
    "np.choose", np::choose(&DArray::from([1i64, 0, 1, 0]), &[&v, &s]) => "np.choose([1, 0, 1, 0], [v, s])";
    "np.histogram_bin_edges", np::histogram_bin_edges(&v, 4) => "np.histogram_bin_edges(v, 4)";
    "np.intersect1d", np::intersect1d(&n, &k) => "np.intersect1d(n, k)";
    "np.isin", np::isin(&n, &k) => "np.isin(n, k)";
    "np.lexsort", np::lexsort(&[n.as_dyn(), k.as_dyn()]) => "np.lexsort((n, k))";
    "np.partition", np::partition(&v, 1, -1).get(1) => "np.partition(v, 1)[1].item()";
    "np.ravel_multi_index", np::ravel_multi_index(&[&k, &k], (4, 5)) => "np.ravel_multi_index((k, k), (4, 5))";
    "np.select", np::select(&[&n.gt(5), &n.lt(2)], &[&k, &n], 0) => "np.select([n > 5, n < 2], [k, n], 0)";
    "np.setdiff1d", np::setdiff1d(&n, &k) => "np.setdiff1d(n, k)";
    "np.setxor1d", np::setxor1d(&n, &k) => "np.setxor1d(n, k)";
    "np.union1d", np::union1d(&n, &k) => "np.union1d(n, k)";
    "np.unravel_index", np::unravel_index(&n, (2, 5)) => "np.unravel_index(n, (2, 5))";
}
