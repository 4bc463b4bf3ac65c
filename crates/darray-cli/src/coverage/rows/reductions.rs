//! Reductions and scans.

rows! {
    with x y v s w k m;

    "np.all", np::all(&m, ..) => "np.all(m)";
    "np.allclose", np::allclose(&x, &y) => "np.bool(np.allclose(x, y))";
    "np.amax", np::amax(&x, ..) => "np.amax(x)";
    "np.amin", np::amin(&x, 1) => "np.amin(x, axis=1)";
    "np.any", np::any(&m, ..) => "np.any(m)";
    "np.argmax", np::argmax(&x, 0) => "np.argmax(x, axis=0)";
    "np.argmin", np::argmin(&x, ..) => "np.argmin(x)";
    "np.array_equal", np::array_equal(&x, &y) => "np.bool(np.array_equal(x, y))";
    "np.count_nonzero", np::count_nonzero(&k, 0) => "np.count_nonzero(k, axis=0)";
    "np.cov", np::cov(&x) => "np.cov(x)";
    "np.cumprod", np::cumprod(&x, 1) => "np.cumprod(x, axis=1)";
    "np.cumsum", np::cumsum(&x, ..) => "np.cumsum(x)";
    "np.diff", np::diff(&x, 1, 1) => "np.diff(x)";
    "np.mean", np::mean(&x, 0) => "np.mean(x, axis=0)";
    "np.median", np::median(&x, ..) => "np.median(x)";
    "np.nanmax", np::nanmax(&w, ..) => "np.nanmax(w)";
    "np.nanmean", np::nanmean(&w.slice(s![..3]), ..) => "np.nanmean(w[:3])";
    "np.nanmin", np::nanmin(&w, ..) => "np.nanmin(w)";
    "np.nanprod", np::nanprod(&w, ..) => "np.nanprod(w)";
    "np.nanstd", np::nanstd(&w.slice(s![..3]), ..) => "np.nanstd(w[:3])";
    "np.nansum", np::nansum(&w, ..) => "np.nansum(w)";
    "np.nanvar", np::nanvar(&w.slice(s![..3]), ..) => "np.nanvar(w[:3])";
    "np.percentile", np::percentile(&x, 30.0, 0) => "np.percentile(x, 30, axis=0)";
    "np.prod", np::prod(&x, 0) => "np.prod(x, axis=0)";
    "np.ptp", np::ptp(&x, 1) => "np.ptp(x, axis=1)";
    "np.quantile", np::quantile(&x, 0.3, ..) => "np.quantile(x, 0.3)";
    "np.std", np::std(&x, axis(0).ddof(1)) => "np.std(x, axis=0, ddof=1)";
    "np.sum", np::sum(&x, axis(1).keepdims()) => "np.sum(x, axis=1, keepdims=True)";
    "np.var", np::var(&x, ..) => "np.var(x)";
    "np.array_equiv", np::array_equiv(&x, &x) => "np.bool(np.array_equiv(x, x))";
    "np.average", np::average(&v, &s, ..) => "np.average(v, weights=s)";
    "np.corrcoef", np::corrcoef(&x) => "np.corrcoef(x)";
    "np.cumulative_prod", np::cumulative_prod(&v, 0) => "np.cumulative_prod(v)";
    "np.cumulative_sum", np::cumulative_sum(&v, 0) => "np.cumulative_sum(v)";
    "np.nanargmax", np::nanargmax(&w, ..) => "np.nanargmax(w)";
    "np.nanargmin", np::nanargmin(&w, ..) => "np.nanargmin(w)";
    "np.nancumprod", np::nancumprod(&w, 0) => "np.nancumprod(w)";
    "np.nancumsum", np::nancumsum(&w, 0) => "np.nancumsum(w)";
    "np.nanmedian", np::nanmedian(&w, ..) => "np.nanmedian(w)";
    "np.nanpercentile", np::nanpercentile(&w.slice(s![..3]), 30.0, ..) => "np.nanpercentile(w[:3], 30)";
    "np.nanquantile", np::nanquantile(&w.slice(s![..3]), 0.3, ..) => "np.nanquantile(w[:3], 0.3)";
    "np.trapezoid", np::trapezoid(&v, &s, -1) => "np.trapezoid(v, s)";
}
