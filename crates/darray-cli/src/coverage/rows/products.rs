//! Products.

rows! {
    with x y a b v u z;

    "np.dot", np::dot(&a, &b) => "np.dot(a, b)";
    "np.inner", np::inner(&a, &b) => "np.inner(a, b)";
    "np.matmul", np::matmul(&a, &b) => "np.matmul(a, b)";
    "np.outer", np::outer(&u, &v) => "np.outer(u, v)";
    "np.tensordot", np::tensordot(&a, &b, 1) => "np.tensordot(a, b, 1)";
    "np.trace", np::trace(&a) => "np.trace(a)";
    "np.vdot", np::vdot(&z, &z) => "np.vdot(z, z)";
    "np.linalg.diagonal", np::linalg::diagonal(&x) => "np.linalg.diagonal(x)";
    "np.linalg.matmul", np::linalg::matmul(&a, &b) => "np.linalg.matmul(a, b)";
    "np.linalg.matrix_norm", np::linalg::matrix_norm(&x) => "np.linalg.matrix_norm(x)";
    "np.linalg.norm", np::linalg::norm(&v, ..) => "np.linalg.norm(v)";
    "np.linalg.outer", np::linalg::outer(&u, &v) => "np.linalg.outer(u, v)";
    "np.linalg.tensordot", np::linalg::tensordot(&a, &b, 1) => "np.linalg.tensordot(a, b, axes=1)";
    "np.linalg.trace", np::linalg::trace(&a) => "np.linalg.trace(a)";
    "np.linalg.vector_norm", np::linalg::vector_norm(&x, axis(0).ord(1)) => "np.linalg.vector_norm(x, axis=0, ord=1)";
    "np.convolve", np::convolve(&v, &u, Overlap::Full) => "np.convolve(v, u)";
    "np.correlate", np::correlate(&v, &u, Overlap::Valid) => "np.correlate(v, u)";
    "np.kron", np::kron(&a, &b) => "np.kron(a, b)";
    "np.matvec", np::matvec(&x, &DArray::from([1.0, 2.0, 3.0])) => "np.matvec(x, [1., 2, 3])";
    "np.vecdot", np::vecdot(&x, &y) => "np.vecdot(x, y)";
    "np.vecmat", np::vecmat(&DArray::from([1.0, 2.0]), &x) => "np.vecmat([1., 2], x)";
    "np.linalg.vecdot", np::linalg::vecdot(&x, &y) => "np.linalg.vecdot(x, y)";
}
