//! Why nothing stands for a name.

/// Reasons, and names as among the rows.
const ABSENT: &[(&str, &str)] = &[
    (
        "linear algebra beyond products and norms is not there yet",
        "np.einsum np.einsum_path np.cross np.poly np.polyfit np.roots np.linalg.LinAlgError np.linalg.cholesky \
         np.linalg.cond np.linalg.cross np.linalg.det np.linalg.eig np.linalg.eigh np.linalg.eigvals np.linalg.eigvalsh \
         np.linalg.inv np.linalg.lstsq np.linalg.matrix_power np.linalg.matrix_rank \
         np.linalg.multi_dot np.linalg.pinv np.linalg.qr np.linalg.slogdet np.linalg.solve np.linalg.svd \
         np.linalg.svdvals np.linalg.tensorinv np.linalg.tensorsolve",
    ),
    (
        "there are no Fourier transforms yet",
        "np.fft.fft np.fft.fft2 np.fft.fftfreq np.fft.fftn np.fft.fftshift np.fft.hfft np.fft.ifft np.fft.ifft2 \
         np.fft.ifftn np.fft.ifftshift np.fft.ihfft np.fft.irfft np.fft.irfft2 np.fft.irfftn np.fft.rfft np.fft.rfft2 \
         np.fft.rfftfreq np.fft.rfftn",
    ),
    (
        "NumPy's old interface: `Generator` has `random`, `integers`, `uniform`, `normal` and so on",
        "np.random.RandomState np.random.get_bit_generator np.random.get_state np.random.rand np.random.randint \
         np.random.randn np.random.random_integers np.random.random_sample np.random.ranf np.random.sample np.random.seed \
         np.random.set_bit_generator np.random.set_state",
    ),
    (
        "there are the bit generators PCG64 and Philox",
        "np.random.BitGenerator np.random.MT19937 np.random.PCG64DXSM np.random.SFC64 np.random.SeedSequence",
    ),
    (
        "the distribution is not there yet",
        "np.random.beta np.random.binomial np.random.bytes np.random.chisquare np.random.dirichlet np.random.f \
         np.random.gamma np.random.geometric np.random.gumbel np.random.hypergeometric np.random.laplace \
         np.random.logistic np.random.lognormal np.random.logseries np.random.multinomial np.random.multivariate_normal \
         np.random.negative_binomial np.random.noncentral_chisquare np.random.noncentral_f np.random.pareto \
         np.random.poisson np.random.power np.random.rayleigh np.random.standard_cauchy np.random.standard_gamma \
         np.random.standard_t np.random.triangular np.random.vonmises np.random.wald np.random.weibull np.random.zipf",
    ),
    (
        "there are no elements that are dates",
        "np.busday_count np.busday_offset np.busdaycalendar np.datetime64 np.datetime_as_string np.datetime_data \
         np.is_busday np.isnat np.timedelta64",
    ),
    (
        "there are no elements that are texts, records or objects of Python",
        "np.bytes_ np.character np.flexible np.object_ np.str_ np.void np.recarray np.record ndarray.getfield \
         ndarray.setfield",
    ),
    (
        "there are no floats longer than f64",
        "np.clongdouble np.complex256 np.float128 np.longdouble",
    ),
    (
        "a trait stands for it: `Element`, `Number`, `Real`, `Float`, `Integral`, `ComplexNumber`",
        "np.complexfloating np.floating np.generic np.inexact np.integer np.number np.signedinteger np.unsignedinteger \
         np.issubdtype np.common_type np.mintypecode np.min_scalar_type np.typename np.isscalar",
    ),
    (
        "how elements lie in memory is darray's own affair",
        "np.ascontiguousarray np.asfortranarray np.require np.isfortran np.may_share_memory np.shares_memory \
         ndarray.byteswap ndarray.setflags ndarray.view",
    ),
    (
        "a protocol or class of Python",
        "np.asanyarray np.asarray_chkfinite np.asmatrix np.matrix np.bmat np.poly1d np.ufunc np.from_dlpack \
         __array_namespace_info__ __array_api_version__ array.__array_namespace__ array.__dlpack__ \
         array.__dlpack_device__ ndarray.dump ndarray.dumps np.broadcast np.flatiter np.memmap",
    ),
    (
        "it calls a function of the program for each element; iterators and a task of the program's own do that",
        "np.apply_along_axis np.apply_over_axes np.frompyfunc np.fromfunction np.piecewise np.vectorize np.ndenumerate \
         np.ndindex np.nditer np.nested_iters",
    ),
    (
        "where an array lies is the runtime's affair: `Runtime::builder().devices(..)`",
        "info.default_device info.devices array.device array.to_device ndarray.to_device",
    ),
    (
        "element types are Rust's types: `DType::ALL`",
        "info.capabilities info.default_dtypes info.dtypes",
    ),
    (
        "floating-point exceptions are never raised",
        "np.errstate np.geterr np.geterrcall np.seterr np.seterrcall np.getbufsize np.setbufsize",
    ),
    ("about Python's own build and help", "np.get_include np.info np.show_config np.show_runtime"),
    (
        "Rust's formatting does it",
        "np.array_repr np.base_repr np.binary_repr np.format_float_positional np.format_float_scientific",
    ),
    ("the element type of its result depends on data", "np.real_if_close"),
    (
        "not there yet",
        "np.bitwise_count np.block np.diag_indices np.diag_indices_from np.frexp np.fromfile np.fromregex np.fromstring \
         np.gcd np.genfromtxt np.get_printoptions np.histogram2d np.histogramdd np.i0 np.ix_ np.kaiser np.lcm np.ldexp \
         np.mask_indices np.packbits np.place np.polydiv np.printoptions np.putmask np.set_printoptions np.sort_complex \
         np.tril_indices np.tril_indices_from np.trim_zeros np.triu_indices np.triu_indices_from np.unpackbits \
         ndarray.resize ndarray.tobytes ndarray.tofile",
    ),
];

pub fn reason(name: &str) -> Option<&'static str> {
    let has = |names: &str| names.split_whitespace().any(|other| other == name);
    ABSENT.iter().find(|(_, names)| has(names)).map(|(reason, _)| *reason)
}

pub fn reasons() -> impl Iterator<Item = &'static str> {
    ABSENT.iter().map(|(reason, _)| *reason)
}

#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    ABSENT.iter().flat_map(|(_, names)| names.split_whitespace())
}
