//! Other shapes and parts.

rows! {
    with x y a v s n;

    "np.array_split", np::array_split(&n, 2, 0) => "np.array_split(n, 2)";
    "np.broadcast_arrays", np::broadcast_arrays(&[&x, &x.at(0)]) => "np.broadcast_arrays(x, x[0])";
    "np.broadcast_to", np::broadcast_to(&v, (2, 4)) => "np.broadcast_to(v, (2, 4))";
    "np.concat", DArray::concatenate([&x, &y], 1) => "np.concat([x, y], axis=1)";
    "np.concatenate", np::concatenate([&x, &y]) => "np.concatenate([x, y])";
    "np.diagonal", np::diagonal(&x) => "np.diagonal(x)";
    "np.expand_dims", np::expand_dims(&x, 1) => "np.expand_dims(x, 1)";
    "np.flip", np::flip(&x, ..) => "np.flip(x)";
    "np.hstack", np::hstack(&[&x, &y]) => "np.hstack([x, y])";
    "np.moveaxis", np::moveaxis(&x, 0, 1) => "np.moveaxis(x, 0, 1)";
    "np.ndim", np::ndim(&x) => "np.ndim(x)";
    "np.pad", np::pad(&x, 1, PadMode::Edge) => "np.pad(x, 1, mode='edge')";
    "np.permute_dims", np::permute_dims(&x, [1, 0]) => "np.permute_dims(x, (1, 0))";
    "np.ravel", np::ravel(&x) => "np.ravel(x)";
    "np.repeat", np::repeat(&v, 2, 0) => "np.repeat(v, 2)";
    "np.reshape", np::reshape(&x, (3, 2)) => "np.reshape(x, (3, 2))";
    "np.roll", np::roll(&v, 1, 0) => "np.roll(v, 1)";
    "np.shape", x.shape() => "np.shape(x)";
    "np.split", np::split(&v, 2, 0) => "np.split(v, 2)";
    "np.squeeze", np::squeeze(&x.slice(s![0..1]), ..) => "np.squeeze(x[0:1])";
    "np.stack", DArray::stack([&x, &y], 1) => "np.stack([x, y], axis=1)";
    "np.swapaxes", np::swapaxes(&x, 0, 1) => "np.swapaxes(x, 0, 1)";
    "np.tile", np::tile(&x, (2, 1)) => "np.tile(x, (2, 1))";
    "np.transpose", np::transpose(&x, ..) => "np.transpose(x)";
    "np.vstack", np::vstack(&[&x, &y]) => "np.vstack([x, y])";
    "np.append", np::append(&v, &n, ..) => "np.append(v, n)";
    "np.atleast_1d", np::atleast_1d(&x.sum(..)) => "np.atleast_1d(x.sum())";
    "np.atleast_2d", np::atleast_2d(&v) => "np.atleast_2d(v)";
    "np.atleast_3d", np::atleast_3d(&v) => "np.atleast_3d(v)";
    "np.column_stack", np::column_stack(&[&v, &s]) => "np.column_stack([v, s])";
    "np.delete", np::delete(&v, &[1], 0) => "np.delete(v, 1)";
    "np.dsplit", np::dsplit(&x.reshape((1, 2, 3)), 3) => "np.dsplit(x.reshape(1, 2, 3), 3)";
    "np.dstack", np::dstack(&[&v, &s]) => "np.dstack([v, s])";
    "np.ediff1d", np::ediff1d(&x) => "np.ediff1d(x)";
    "np.fill_diagonal", { let c = a.copy(); np::fill_diagonal(&c, 9.0); c } => "[c := a.copy(), np.fill_diagonal(c, 9)][0]";
    "np.fliplr", np::fliplr(&x) => "np.fliplr(x)";
    "np.flipud", np::flipud(&x) => "np.flipud(x)";
    "np.hsplit", np::hsplit(&x, 3) => "np.hsplit(x, 3)";
    "np.insert", np::insert(&x, 1, 7.0, 1) => "np.insert(x, 1, 7, axis=1)";
    "np.matrix_transpose", np::matrix_transpose(&x) => "np.matrix_transpose(x)";
    "np.linalg.matrix_transpose", np::linalg::matrix_transpose(&x) => "np.linalg.matrix_transpose(x)";
    "np.resize", np::resize(&v, (2, 3)) => "np.resize(v, (2, 3))";
    "np.rollaxis", np::rollaxis(&x, 1, 0) => "np.rollaxis(x, 1)";
    "np.rot90", np::rot90(&x, 1) => "np.rot90(x)";
    "np.row_stack", np::row_stack(&[&x, &y]) => "np.row_stack([x, y])";
    "np.unstack", np::unstack(&x, 0) => "np.unstack(x)";
    "np.vsplit", np::vsplit(&x, 2) => "np.vsplit(x, 2)";
}
