//! The forms of methods that return errors, of indexing, shapes and products: of each what it gives, or what it refuses.

use darray::{Bins, DArray, Fallible, PadMode, s};

#[test]
fn of_indexing() {
    {
        let error = DArray::<f64>::ones(3).try_slice(s![3]).unwrap_err();
        let text = "slice: index 3 is out of range for axis 0 of extent 3 (shape [3]) (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        assert!(DArray::<f64>::ones((2, 3)).try_permute(&[0, 0]).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_broadcast_to((3, 2)).is_err());
    }
    {
        let error = DArray::<f64>::ones((2, 3)).try_reshape(5).unwrap_err();
        let text = "reshape: cannot reshape [2, 3] (6 elements) to [5] (5 elements) (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let rows = DArray::<f64>::zeros(3).broadcast_to((2, 3));
        let error = rows.try_assign(1.0).unwrap_err();
        assert!(error.to_string().contains("reaches an element more than once"));
    }
    {
        let error = DArray::from_vec(vec![1, -2]).try_bincount(0).unwrap_err();
        assert!(error.to_string().starts_with("bincount: a key is negative: -2"));
    }
    {
        let keys = DArray::from_vec(vec![1, 2]);
        assert!(keys.try_bincount_weighted(&DArray::<f64>::ones(3), 0).is_err());
    }
    {
        let x = DArray::<f64>::ones(3);
        assert!(x.try_histogram(0).is_err() && x.try_histogram(&DArray::<f64>::ones(1)).is_err());
        let error = x.try_histogram(Bins::new(2).range(1.0, 0.0)).unwrap_err();
        assert!(error.to_string().starts_with("histogram: a range from 1 to 0"));
    }
    {
        let x = DArray::<f64>::ones(3);
        assert!(x.try_histogram_weighted(&DArray::<f64>::ones(2), 2).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_histogram_density(0).is_err());
    }
    {
        let x = DArray::<f64>::ones((2, 2));
        assert!(x.try_searchsorted(&DArray::<f64>::ones(1)).is_err());
    }
    {
        let error =
            DArray::<f64>::ones(()).try_searchsorted_right(&DArray::<f64>::ones(1)).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("searchsorted: shapes [] and [1]: expected a sorted array")
        );
    }
    {
        let x = DArray::<f64>::ones(2);
        assert!(x.try_digitize(&DArray::<f64>::ones((2, 2))).is_err());
    }
    {
        let x = DArray::<f64>::ones(2);
        assert!(x.try_digitize_right(&DArray::<f64>::ones((2, 2))).is_err());
    }
    {
        let error = DArray::<f64>::ones((2, 3)).try_get(1).unwrap_err();
        let text = "get: an element has 2 indices, one for each axis, not 1 (shape [2, 3]) (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones((2, 3)).try_set([2, 0], 0.5).unwrap_err();
        let text = "set: index 2 is out of range for axis 0 of extent 2 (shape [2, 3]) (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones((2, 3)).try_at(2).unwrap_err();
        let text = "at: index 2 is out of range for axis 0 of extent 2 (shape [2, 3]) (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let rows = DArray::<f64>::zeros(3).broadcast_to((2, 3));
        let error = rows.try_put(&DArray::from_vec(vec![0]), 1.0).unwrap_err();
        assert!(error.to_string().starts_with("put: "));
    }
    {
        let (x, indices) = (DArray::<f64>::zeros((2, 3)), DArray::<i64>::zeros((3, 1)));
        let error = x.try_put_along_axis(&indices, 1.0, 1).unwrap_err();
        let text = "put_along_axis: shapes [2, 3], [3, 1] and [] do not broadcast";
        assert!(error.to_string().starts_with(text), "{error}");
    }
    {
        let x = DArray::<f64>::ones((2, 3));
        let error = x.try_take(&DArray::from_vec(vec![0]), 2).unwrap_err();
        assert!(error.to_string().starts_with("take: axis 2 is out of range for shape [2, 3]"));
    }
    {
        let x = DArray::<f64>::ones((2, 3));
        let error = x.try_take_along_axis(&DArray::from_vec(vec![0]), 1).unwrap_err();
        assert!(error.to_string().starts_with("take_along_axis: shapes [2, 3] and [1]: expected"));
    }
    {
        let error = DArray::<f64>::ones(()).try_iter().unwrap_err();
        assert!(
            error.to_string().starts_with("iter: a 0-d array has no axis to go over (shape [])")
        );
    }
    {
        let mask = DArray::from_vec(vec![true]);
        assert!(DArray::<f64>::ones((2, 3)).try_compress(&mask, 1).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_extract(&DArray::from_vec(vec![true])).is_err());
    }
    {
        assert_eq!(DArray::from_vec(vec![0, 7]).try_flatnonzero().unwrap().to_vec(), [1]);
    }
    {
        let error = DArray::<f64>::ones(()).try_nonzero().unwrap_err();
        assert!(error.to_string().starts_with("nonzero: shapes []: expected one axis or more"));
    }
    {
        assert_eq!(DArray::from_vec(vec![0, 7]).try_argwhere().unwrap().shape(), [1, 1]);
    }
    {
        let x = DArray::<f64>::zeros(3);
        let error =
            x.try_add_at(&DArray::from_vec(vec![0, 1]), DArray::<f64>::ones(3)).unwrap_err();
        assert!(error.to_string().starts_with("add_at: shapes [2] and [3] do not broadcast"));
    }
}

#[test]
fn of_shape() {
    {
        let error = DArray::<f64>::ones(3).try_expand_dims(2).unwrap_err();
        let text = "expand_dims: axis 2 is out of range for shape [3]";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones((1, 3)).try_squeeze(1).unwrap_err();
        let text = "squeeze: shapes [1, 3]: expected extent 1 along axis 1, not 3";
        assert!(error.to_string().starts_with(text));
    }
    {
        assert!(DArray::<f64>::ones((2, 3)).try_swap_axes(0, 2).is_err());
    }
    {
        let error = DArray::<f64>::ones((2, 3)).try_moveaxis([0, 1], 0).unwrap_err();
        assert!(error.to_string().starts_with("moveaxis: 2 axes to 1 places (shape [2, 3])"));
    }
    {
        assert!(DArray::<f64>::ones((2, 3)).try_transpose([0, 0]).is_err());
    }
    {
        assert!(DArray::<f64>::ones((2, 3)).try_flip(2).is_err());
    }
    {
        let error = DArray::<f64>::ones(3).try_diagonal(0).unwrap_err();
        assert!(error.to_string().starts_with("diagonal: shapes [3]: expected at least two axes"));
    }
    {
        let (x, y) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
        let error = DArray::try_broadcast_arrays([&x, &y]).unwrap_err();
        let text = "broadcast_arrays: shapes [2] and [3] do not broadcast";
        assert!(error.to_string().starts_with(text));
    }
    {
        let (x, y) = (DArray::<f64>::ones((2, 2)), DArray::<f64>::zeros((2, 1)));
        let error = DArray::try_concatenate([&x, &y], 0).unwrap_err();
        let text = "concatenate: shapes [2, 2] and [2, 1]: expected equal shapes but along axis 0";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::try_stack(Vec::<DArray>::new(), 0).unwrap_err();
        assert!(error.to_string().starts_with("stack: shapes none: expected at least one array"));
    }
    {
        let (x, y) = (DArray::<f64>::ones(3), DArray::<f64>::zeros(2));
        assert!(DArray::try_vstack([&x, &y]).is_err());
    }
    {
        let (x, y) = (DArray::<f64>::ones((2, 1)), DArray::<f64>::zeros((3, 1)));
        assert!(DArray::try_hstack([&x, &y]).is_err());
    }
    {
        let error = DArray::<f64>::ones(0).try_pad(1, PadMode::Edge).unwrap_err();
        let text = "pad: shapes [0]: expected elements along axis 0 to fill its border from";
        assert!(error.to_string().starts_with(text));
    }
    {
        assert!(DArray::<f64>::ones(2).try_repeat(2, 1).is_err());
    }
    {
        let error = DArray::<f64>::ones(2).try_tile(-1).unwrap_err();
        assert!(error.to_string().starts_with("tile: -1 times (shape [2])"));
    }
    {
        let error = DArray::<f64>::ones((2, 2)).try_roll([1, 2, 3], [0, 1]).unwrap_err();
        assert!(error.to_string().starts_with("roll: 3 shifts for 2 axes (shape [2, 2])"));
    }
    {
        let error = DArray::<f64>::ones(5).try_split(2, 0).unwrap_err();
        let text = "split: shapes [5]: expected an extent along axis 0 that divides into 2 parts";
        assert!(error.to_string().starts_with(text));
    }
    {
        assert!(DArray::<f64>::ones(5).try_array_split(0, 0).is_err());
    }
}

#[test]
fn of_linalg() {
    {
        assert!(DArray::<f64>::ones(3).try_trace().is_err());
    }
    {
        let error = DArray::<f64>::ones((2, 3)).try_matmul(&DArray::<f64>::ones(2)).unwrap_err();
        let text = "matmul: shapes [2, 3] and [2]: expected one inner extent, not 3 and 2 (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones((2, 3)).try_dot(&DArray::<f64>::ones(2)).unwrap_err();
        assert!(
            error.to_string().starts_with("dot: shapes [2, 3] and [2]: expected one inner extent")
        );
    }
    {
        assert!(DArray::<f64>::ones(2).try_inner(&DArray::<f64>::ones(3)).is_err());
    }
    {
        let x = DArray::<f64>::ones((2, 3));
        assert_eq!(x.try_outer(&x).unwrap().shape(), [6, 6]);
    }
    {
        assert!(DArray::<f64>::ones(2).try_vdot(&DArray::<f64>::ones(3)).is_err());
    }
    {
        let a = DArray::<f64>::ones((2, 3));
        let error = a.try_tensordot(&a, 1).unwrap_err();
        let text = "tensordot: shapes [2, 3] and [2, 3]: expected equal extents of the axes";
        assert!(error.to_string().starts_with(text));
    }
}
