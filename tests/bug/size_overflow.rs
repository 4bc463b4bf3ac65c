//! The number of elements of a shape overflowed, mostly inside the runtime, which from then on
//! could not run anything else; so did the number of points of a grid.

use darray::{DArray, Fallible, Runtime, s};

const HUGE: i64 = 1 << 40;

#[test]
fn shapes_with_too_many_elements_are_refused_and_harm_nothing() {
    let runtime = Runtime::builder().build().expect("a runtime");
    runtime.scope(|| {
        let line = line!() + 1;
        let text = DArray::<f64>::try_from_shape_vec((HUGE, 0, HUGE), vec![]).expect_err("huge");
        let expected =
            "from_shape_vec: too many elements (shape [1099511627776, 0, 1099511627776])";
        assert_eq!(text.to_string(), format!("{expected} (at {}:{line}:20)", file!()));
        let refused = |result: darray::Result<DArray<f64>>| {
            let text = result.expect_err("too many elements").to_string();
            assert!(text.contains("too many elements"), "{text}");
        };
        let (one, nothing) = (DArray::<f64>::ones(1), DArray::<f64>::ones(0));
        refused(one.try_broadcast_to((HUGE, HUGE)));
        refused(nothing.try_reshape((HUGE, HUGE, 0)));
        let column = one.broadcast_to((HUGE, 1));
        let row = one.broadcast_to((1, HUGE));
        refused(column.try_add(&row));
        refused(column.try_dot(&row));
        assert!(one.try_reshape([1i64 << 62, 4, -1]).is_err());
        // What is large but can be counted is out of memory, not of range.
        let text = DArray::<f64>::zeros(HUGE).slice(s![7]).try_item().expect_err("8 TiB");
        assert!(text.to_string().starts_with("zeros: out of memory"), "{text}");
        assert_eq!(DArray::<f64>::ones(3).sum(..).item(), 3.0);
    });
}

#[test]
fn grids_with_too_many_points_are_refused() {
    for points in [&[u32::MAX, u32::MAX][..], &[1 << 10, (1 << 10) + 1]] {
        let error = Runtime::builder().grid(points).build().expect_err("too many points");
        assert!(error.to_string().starts_with("runtime: more than 1048576 points (at "), "{error}");
    }
}
