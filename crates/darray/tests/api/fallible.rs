//! The forms of methods that return errors: of each what it gives, or what it refuses.

use darray::{DArray, Fallible, Indexing, Norm, Reduction, Runtime, Tolerance, axis};

#[test]
fn of_array() {
    {
        let error = DArray::<f64>::ones((2, 3)).try_dims::<1>().unwrap_err();
        let text = "dims: 1 extents are wanted here, and the shape is [2, 3] (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        assert_eq!(DArray::<f64>::arange(3).try_to_string().unwrap(), "[0. 1. 2.]");
    }
}

#[test]
fn of_creation() {
    {
        let error = DArray::<f64>::try_zeros((2, -1)).unwrap_err();
        assert!(error.to_string().starts_with("zeros: extent -1 is negative (shape [2, -1])"));
    }
    {
        assert!(DArray::<f64>::try_ones([1; 9]).is_err());
    }
    {
        assert!(DArray::<i64>::try_indices((2, -2)).is_err());
    }
    {
        assert!(DArray::<f64>::try_full(-1, 0.5).is_err());
    }
    {
        let runtime = Runtime::builder().memory_limit(1 << 10).build().unwrap();
        assert!(runtime.scope(|| DArray::try_from_vec(vec![0.5; 1000])).is_err());
    }
    {
        let error = DArray::try_from_shape_vec((2, 2), vec![1, 2, 3]).unwrap_err().to_string();
        assert!(error.starts_with("from_shape_vec: shapes [2, 2]: expected 4 elements, not 3"));
    }
    {
        let error = DArray::try_from_fn((2, -1), |_| 0.5).unwrap_err();
        assert!(error.to_string().starts_with("from_fn: extent -1 is negative"));
    }
    {
        assert_eq!(DArray::<f64>::ones(1).try_to_vec().unwrap(), [1.0]);
    }
    {
        let error = DArray::<f64>::ones(2).try_item().unwrap_err();
        assert!(error.to_string().starts_with("item: shapes [2]: expected one element"));
    }
    {
        assert_eq!(DArray::<f64>::ones((2, 3)).try_to_ndarray().unwrap().shape(), [2, 3]);
    }
    {
        let error =
            DArray::try_from_ndarray(&ndarray::ArrayD::<f64>::zeros(vec![1; 9])).unwrap_err();
        assert!(error.to_string().starts_with("from_ndarray: 9 axes, at most 8"));
    }
    {
        let x = DArray::<f64>::ones(2);
        assert!(DArray::try_meshgrid([&x; 9], Indexing::Ij).is_err());
    }
    {
        assert!(DArray::<f64>::try_empty(-1).is_err());
    }
    {
        let error = DArray::<u8>::ones(2).try_full_like(300).unwrap_err();
        assert!(
            error.to_string().starts_with("full_like: the integer 300 is out of bounds for u8")
        );
    }
    {
        assert!(DArray::<f64>::try_eye(usize::MAX, 2, 0).is_err());
    }
    {
        let error = DArray::<f64>::try_identity(1 << 31).unwrap_err();
        assert!(error.to_string().starts_with("identity: too many elements"));
    }
    {
        let error = DArray::<f64>::try_tri(1 << 31, 1 << 31, 0).unwrap_err();
        assert!(error.to_string().starts_with("tri: too many elements"));
    }
    {
        let error = DArray::<f64>::ones(()).try_tril(0).unwrap_err();
        assert!(error.to_string().starts_with("tril: shapes []: expected at least one axis"));
    }
    {
        assert!(DArray::<f64>::ones(()).try_triu(0).is_err());
    }
    {
        let error = DArray::<f64>::ones(()).try_diag(0).unwrap_err();
        assert!(error.to_string().starts_with("diag: shapes []: expected one or two axes"));
    }
    {
        let error = DArray::<f64>::try_array(vec![vec![1.0], vec![]]).unwrap_err();
        assert!(
            error.to_string().starts_with(
                "array: rows of one level differ in length; the first ones make [2, 1]"
            )
        );
    }
    {
        assert!(DArray::<f64>::try_arange(usize::MAX).is_err());
    }
    {
        let error = DArray::try_range(0.0, 1.0, 0.0).unwrap_err();
        assert!(error.to_string().starts_with("arange: no finite range from 0.0 to 1.0 by 0.0"));
    }
    {
        assert!(DArray::try_linspace(0.0, 1.0, usize::MAX).is_err());
    }
    {
        let error = DArray::try_linspace_open(0.0, 1.0, usize::MAX).unwrap_err();
        assert!(error.to_string().starts_with("linspace: too many elements"));
    }
    {
        let error = DArray::try_logspace(0.0, 1.0, usize::MAX).unwrap_err();
        assert!(error.to_string().starts_with("logspace: too many elements"));
    }
    {
        assert!(DArray::try_logspace_of(0.0, 1.0, usize::MAX, 2.0).is_err());
    }
}

#[test]
fn of_elementwise() {
    {
        assert!(DArray::from_vec(vec![2]).try_powi(-1).is_err());
    }
    {
        let (mask, x) = (DArray::<bool>::full(2, true), DArray::<f64>::ones(3));
        assert!(mask.try_select(&x, 0.0).is_err());
    }
    {
        let error = DArray::try_from_parts(DArray::<f64>::ones(2), DArray::<f64>::ones(3));
        let text = error.unwrap_err().to_string();
        assert!(text.starts_with("from_parts: shapes [2] and [3]: expected one shape"));
    }
    {
        let (r, theta) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
        assert!(DArray::try_from_polar(&r, &theta).is_err());
    }
    {
        let (x, mask) = (DArray::<f64>::ones(3), DArray::<bool>::ones(2));
        let error = x.try_assign_where(&mask, 0.0).unwrap_err();
        let text = "assign_where: shapes [3] and [2] do not broadcast";
        assert!(error.to_string().starts_with(text));
    }
    {
        assert!(DArray::<f64>::ones(3).try_clip(DArray::<f64>::ones(2), ()).is_err());
    }
    {
        let error = DArray::<f64>::ones(3).try_diff(1, 1).unwrap_err();
        assert!(error.to_string().starts_with("diff: axis 1 is out of range for shape [3]"));
    }
    {
        assert!(DArray::<f64>::ones((2, 1)).try_gradient(1.0, 1).is_err());
    }
    {
        assert!(DArray::<f64>::ones((2, 1)).try_gradients(1.0, ..).is_err());
    }
    {
        let (x, y) = (DArray::<f64>::ones(3), DArray::<f64>::ones(2));
        assert!(x.try_mul_add(&y, 1.0).is_err());
    }
    {
        let error = DArray::<f64>::ones(3).try_add(DArray::<f64>::ones(4)).unwrap_err();
        assert!(error.to_string().starts_with("add: shapes [3] and [4] do not broadcast (at "));
    }
    {
        let mask = DArray::<bool>::full(3, true);
        let error = mask.try_sub(&mask).unwrap_err();
        assert!(error.to_string().starts_with("subtract: element types bool and bool"));
    }
    {
        assert!(DArray::<f64>::ones((2, 3)).try_mul(DArray::<f64>::ones(2)).is_err());
    }
    {
        let half = DArray::<i64>::ones(1).try_div(2).unwrap();
        assert_eq!(half.to_vec(), [0.5]);
    }
    {
        let x = DArray::from_vec(vec![-7, 7]);
        assert_eq!(x.try_rem(3).unwrap().to_vec(), [2, 1]);
    }
    {
        let x = DArray::<f64>::ones(2);
        x.try_add_assign(0.5).unwrap();
        assert_eq!(x.to_vec(), [1.5, 1.5]);
        let error = x.try_add_assign(DArray::<f64>::ones(3)).unwrap_err();
        assert!(error.to_string().starts_with("add: shapes [2] and [3] do not broadcast"));
    }
    {
        assert!(DArray::<bool>::ones(2).try_sub_assign(true).is_err());
    }
    {
        let x = DArray::<f64>::ones(2).broadcast_to((3, 2));
        assert!(x.try_mul_assign(2.0).is_err());
    }
    {
        let x = DArray::<f64>::arange(3);
        x.try_rem_assign(2.0).unwrap();
        assert_eq!(x.to_vec(), [0.0, 1.0, 0.0]);
    }
    {
        let x = DArray::<f64>::ones(2);
        x.try_div_assign(4.0).unwrap();
        assert_eq!(x.to_vec(), [0.25, 0.25]);
    }
    {
        let x = DArray::from_vec(vec![6, 5]);
        assert_eq!(x.try_bitand(3).unwrap().to_vec(), [2, 1]);
        let error = x.try_bitand(DArray::<i32>::ones(3)).unwrap_err();
        assert!(error.to_string().starts_with("bitwise_and: shapes [2] and [3] do not broadcast"));
    }
    {
        let x = DArray::from_vec(vec![6, 5]);
        assert_eq!(x.try_bitor(3).unwrap().to_vec(), [7, 7]);
        let error = x.try_bitor(DArray::<i32>::ones(3)).unwrap_err();
        assert!(error.to_string().starts_with("bitwise_or: shapes [2] and [3] do not broadcast"));
    }
    {
        let x = DArray::from_vec(vec![6, 5]);
        assert_eq!(x.try_bitxor(3).unwrap().to_vec(), [5, 6]);
        let error = x.try_bitxor(DArray::<i32>::ones(3)).unwrap_err();
        assert!(error.to_string().starts_with("bitwise_xor: shapes [2] and [3] do not broadcast"));
    }
    {
        let x = DArray::from_vec(vec![6, 5]);
        x.try_bitand_assign(3).unwrap();
        assert_eq!(x.to_vec(), [2, 1]);
        assert!(x.try_bitand_assign(DArray::<i32>::ones(3)).is_err());
    }
    {
        let x = DArray::from_vec(vec![6, 5]);
        x.try_bitor_assign(3).unwrap();
        assert_eq!(x.to_vec(), [7, 7]);
        assert!(x.try_bitor_assign(DArray::<i32>::ones(3)).is_err());
    }
    {
        let x = DArray::from_vec(vec![6, 5]);
        x.try_bitxor_assign(3).unwrap();
        assert_eq!(x.to_vec(), [5, 6]);
        assert!(x.try_bitxor_assign(DArray::<i32>::ones(3)).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_lt(DArray::<f64>::ones(2)).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_le(DArray::<f64>::ones(2)).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_gt(DArray::<f64>::ones(2)).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_ge(DArray::<f64>::ones(2)).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_eq(DArray::<f64>::ones(2)).is_err());
    }
    {
        assert!(DArray::<f64>::ones(3).try_ne(DArray::<f64>::ones(2)).is_err());
    }
}

#[test]
fn of_reduction() {
    {
        let error = DArray::<f64>::ones(4).try_accumulate(0, |a, _| a.sum(..)).unwrap_err();
        assert!(
            error.to_string().starts_with("accumulate: shapes [2] and []: expected an operation")
        );
    }
    {
        assert!(DArray::<f64>::ones(2).try_isclose(&DArray::<f64>::ones(3)).is_err());
    }
    {
        let (x, y) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
        let error = x.try_isclose_within(&y, Tolerance::default()).unwrap_err();
        assert!(error.to_string().starts_with("isclose: shapes [2] and [3] do not broadcast"));
    }
    {
        assert!(DArray::<f64>::ones(2).try_allclose(&DArray::<f64>::ones(3)).is_err());
    }
    {
        let (x, y) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
        assert!(x.try_allclose_within(&y, Tolerance::default()).is_err());
    }
    {
        let other = Runtime::builder().build().unwrap().scope(|| DArray::<f64>::ones(2));
        assert!(DArray::<f64>::ones(2).try_array_equal(&other).is_err());
    }
    {
        let error = DArray::<f64>::ones((2, 2, 2)).try_cov(-1).unwrap_err();
        assert!(error.to_string().starts_with("cov: shapes [2, 2, 2]: expected one axis or two"));
    }
    {
        let (x, target) = (DArray::<f64>::ones(3), DArray::<f64>::zeros(3));
        let error = x.try_reduce_into(Reduction::Sum, 0, &target).unwrap_err();
        assert!(
            error.to_string().starts_with("sum: shapes [3] and [3]: expected a target of shape []")
        );
    }
    {
        let error = DArray::<f64>::ones((2, 2)).try_norm(axis(1).ord(Norm::Frobenius)).unwrap_err();
        assert!(error.to_string().starts_with("norm: the Frobenius norm is over two axes, not 1"));
    }
    {
        let error = DArray::<f64>::ones((2, 2)).try_cumsum(2).unwrap_err();
        let text = "cumsum: axis 2 is out of range for shape [2, 2] (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones((2, 2)).try_cumprod(2).unwrap_err();
        let text = "cumprod: axis 2 is out of range for shape [2, 2] (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones((2, 2)).try_cummax(2).unwrap_err();
        let text = "cummax: axis 2 is out of range for shape [2, 2] (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones((2, 2)).try_cummin(2).unwrap_err();
        let text = "cummin: axis 2 is out of range for shape [2, 2] (at ";
        assert!(error.to_string().starts_with(text));
    }
    {
        let error = DArray::<f64>::ones(2).try_quantile(1.5, 0).unwrap_err();
        assert!(error.to_string().starts_with("quantile: a quantile is between 0 and 1, not 1.5"));
    }
    {
        let error = DArray::<f64>::ones(2).try_quantile([1.5], 0).unwrap_err();
        assert!(error.to_string().starts_with("quantile: a quantile is between 0 and 1, not 1.5"));
    }
    {
        assert!(DArray::<f64>::ones(2).try_percentile(101.0, 0).is_err());
    }
}

#[test]
fn of_sorting() {
    {
        let error = DArray::<f64>::ones((2, 2)).try_sort(2).unwrap_err();
        assert!(error.to_string().starts_with("sort: axis 2 is out of range for shape [2, 2]"));
    }
    {
        let error = DArray::<f64>::ones((2, 2)).try_argsort(-3).unwrap_err();
        assert!(error.to_string().starts_with("argsort: axis -3 is out of range for shape [2, 2]"));
    }
    {
        let error = DArray::<f64>::ones(2).try_topk(3).unwrap_err();
        assert!(error.to_string().starts_with("topk: shapes [2]: expected 3 elements or more"));
    }
    {
        let error = DArray::<f64>::ones(3).try_partition(3, ..).unwrap_err();
        assert!(error.to_string().starts_with("partition: there is no element 3 among 3"));
    }
    {
        assert!(DArray::<f64>::ones(3).try_argpartition(-4, ..).is_err());
    }
    {
        assert_eq!(DArray::from_vec(vec![2, 2]).try_unique().unwrap().to_vec(), [2]);
    }
    {
        assert_eq!(DArray::from_vec(vec![2, 2]).try_unique_counts().unwrap().1.to_vec(), [2]);
    }
    {
        assert_eq!(DArray::from_vec(vec![2, 2]).try_unique_inverse().unwrap().1.to_vec(), [0, 0]);
    }
    {
        let unique = DArray::from_vec(vec![2, 2]).try_unique_all().unwrap();
        assert_eq!(unique.counts.to_vec(), [2]);
    }
}
