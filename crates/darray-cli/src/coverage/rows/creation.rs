//! New arrays.

rows! {
    with x v u n;

    "np.arange", np::arange((1, 9, 3)) => "np.arange(1, 9, 3)";
    "np.array", np::array([[1.0, 2.0], [3.0, 4.0]]) => "np.array([[1., 2], [3, 4]])";
    "np.asarray", DArray::from(vec![1.0, 2.0]) => "np.asarray([1., 2])";
    "np.copy", np::copy(&x) => "np.copy(x)";
    "np.diag", np::diag(&v) => "np.diag(v)";
    "np.empty", np::empty((2, 3)).shape() => "np.empty((2, 3)).shape";
    "np.empty_like", np::empty_like(&x).shape() => "np.empty_like(x).shape";
    "np.eye", DArray::<f64>::eye(2, 3, 1) => "np.eye(2, 3, 1)";
    "np.fromiter", (0..4).map(f64::from).collect::<DArray<f64>>() => "np.fromiter(range(4), dtype=float)";
    "np.frombuffer", DArray::<f32>::try_from(DynArray::from_bytes(4, DType::F32, vec![0; 16]).unwrap()).unwrap() => "np.frombuffer(bytes(16), dtype=np.float32)";
    "np.full", np::full((2, 2), 7.5) => "np.full((2, 2), 7.5)";
    "np.full_like", np::full_like(&x, 7.5) => "np.full_like(x, 7.5)";
    "np.identity", np::identity(3) => "np.identity(3)";
    "np.linspace", np::linspace(0, 1, 5) => "np.linspace(0, 1, 5)";
    "np.logspace", np::logspace(0, 2, 3) => "np.logspace(0, 2, 3)";
    "np.meshgrid", Vec::from(np::meshgrid([&u, &v])) => "np.meshgrid(u, v)";
    "np.ndarray", DArray::<f64>::empty(3).shape() => "np.ndarray(3).shape";
    "np.ones", np::ones((2, 3)) => "np.ones((2, 3))";
    "np.ones_like", np::ones_like(&x) => "np.ones_like(x)";
    "np.tri", np::tri(3) => "np.tri(3)";
    "np.tril", np::tril(&x) => "np.tril(x)";
    "np.triu", x.triu(1) => "np.triu(x, 1)";
    "np.zeros", np::zeros((2, 3)) => "np.zeros((2, 3))";
    "np.zeros_like", np::zeros_like(&x) => "np.zeros_like(x)";
    "np.bartlett", np::bartlett(5) => "np.bartlett(5)";
    "np.blackman", np::blackman(5) => "np.blackman(5)";
    "np.diagflat", np::diagflat(&v, 0) => "np.diagflat(v)";
    "np.geomspace", np::geomspace(1.0, 1000.0, 4) => "np.geomspace(1, 1000, 4)";
    "np.hamming", np::hamming(5) => "np.hamming(5)";
    "np.hanning", np::hanning(5) => "np.hanning(5)";
    "np.indices", np::indices((2, 3)) => "np.indices((2, 3))";
    "np.vander", np::vander(&n, 3) => "np.vander(n, 3)";
}
