//! The `try_` twins of what panics: errors with the name of the function, and the caller's line.

use darray::{DArray, Fallible, Norm, Runtime, axes, axis, default_rng, s};

/// The error's text without its place, which is this line of the caller.
#[track_caller]
fn text<T>(result: darray::Result<T>) -> String {
    let line = std::panic::Location::caller().line();
    let Err(error) = result else { panic!("no error at line {line}") };
    let text = error.to_string();
    let (text, place) = text.split_once(" (at ").expect("a place");
    assert!(place.contains(&format!("twins.rs:{line}:")), "{place} is not line {line}");
    text.to_string()
}

#[test]
fn of_creations() {
    type Array = DArray<f64>;
    let many = 1 << 31;
    assert_eq!(
        text(DArray::try_from_fn((2, -1), |_| 0.5)),
        "from_fn: extent -1 is negative (shape [2, -1])"
    );
    let nine = ndarray::ArrayD::<f64>::zeros(vec![1; 9]);
    assert!(text(DArray::try_from_ndarray(&nine)).starts_with("from_ndarray: 9 axes, at most 8"));
    assert_eq!(
        text(Array::try_identity(many)),
        "identity: too many elements (shape [2147483648, 2147483648])"
    );
    assert_eq!(
        text(Array::try_tri(many, 2 * many, 0)),
        "tri: too many elements (shape [2147483648, 4294967296])"
    );
    let too_many = "too many elements (shape [18446744073709551615])";
    let count = usize::MAX;
    assert_eq!(text(DArray::try_linspace(0.0, 1.0, count)), format!("linspace: {too_many}"));
    assert_eq!(text(DArray::try_linspace_open(0.0, 1.0, count)), format!("linspace: {too_many}"));
    assert_eq!(text(DArray::try_logspace(0.0, 1.0, count)), format!("logspace: {too_many}"));
    assert!(
        text(DArray::<u8>::ones(2).try_full_like(-1))
            .starts_with("full_like: the integer -1 is out of")
    );
    let mut rng = default_rng(1);
    assert_eq!(
        text(rng.try_standard_normal((-3, 2))),
        "standard_normal: extent -3 is negative (shape [-3, 2])"
    );
    assert_eq!(text(rng.try_standard_exponential([1; 9])).find("standard_exponential: 9"), Some(0));
    let random = rng.try_standard_normal(2).unwrap();
    assert_eq!(random.to_vec(), default_rng(1).standard_normal(2).to_vec(), "nothing was drawn");
    let small = Runtime::builder().threads(1).memory_limit(1 << 10).build().unwrap();
    small.scope(|| {
        assert!(text(DArray::try_from_vec(vec![0.5; 1000])).starts_with("from_vec: "));
        assert_eq!(DArray::try_from_vec(vec![0.5, 1.5]).unwrap().to_vec(), [0.5, 1.5]);
    });
    let twins = [
        (DArray::try_from_fn(2, |index| index[0] as f64).unwrap(), [0.0, 1.0]),
        (DArray::try_from_ndarray(&ndarray::array![3.0, 4.0]).unwrap(), [3.0, 4.0]),
        (DArray::try_linspace_open(0.0, 1.0, 2).unwrap(), [0.0, 0.5]),
        (DArray::try_logspace(0.0, 2.0, 2).unwrap(), [1.0, 100.0]),
        (Array::zeros(2).try_full_like(7.0).unwrap(), [7.0, 7.0]),
        (Array::try_identity(2).unwrap().slice(s![1]), [0.0, 1.0]),
        (Array::try_tri(2, 2, 0).unwrap().slice(s![0]), [1.0, 0.0]),
    ];
    for (array, expected) in twins {
        assert_eq!(array.to_vec(), expected);
    }
}

#[test]
fn of_reductions() {
    let none = DArray::<f64>::zeros((0, 3));
    let nothing = "shapes [0, 3]: expected at least one element to reduce";
    assert_eq!(text(none.try_min(..)), format!("min: {nothing}"));
    assert_eq!(text(none.try_max(..)), format!("max: {nothing}"));
    assert_eq!(text(none.try_argmin(..)), format!("argmin: {nothing}"));
    assert_eq!(text(none.try_argmax(..)), format!("argmax: {nothing}"));
    assert_eq!(text(none.try_ptp(..)), format!("ptp: {nothing}"));
    assert_eq!(text(none.try_nanmin(..)), format!("nanmin: {nothing}"));
    assert_eq!(text(none.try_nanmax(..)), format!("nanmax: {nothing}"));
    assert_eq!(text(none.try_norm(axes(..).ord(Norm::NegInf))), format!("norm: {nothing}"));
    assert_eq!(text(none.try_norm(axis(0).ord(f64::NEG_INFINITY))), format!("norm: {nothing}"));
    assert_eq!(text(none.try_norm(2)), "norm: axis 2 is out of range for shape [0, 3]");
    assert_eq!(
        text(none.try_norm(axis(0).ord(Norm::Frobenius))),
        "norm: the Frobenius norm is over two axes, not 1"
    );
    let row = DArray::<f64>::ones(3);
    assert_eq!(text(row.try_trace()), "trace: shapes [3]: expected at least two axes");
    assert_eq!(text(row.try_diagonal(1)), "diagonal: shapes [3]: expected at least two axes");
    let x = DArray::from_shape_vec((2, 2), vec![4, 1, 9, 6]);
    let found = [x.try_min(..), x.try_max(..), x.try_ptp(..), x.try_nanmin(..), x.try_nanmax(..)];
    assert_eq!(found.map(|found| found.unwrap().item()), [1, 9, 8, 1, 9]);
    let found = [x.try_argmin(..), x.try_argmax(..), x.try_trace()];
    assert_eq!(found.map(|found| found.unwrap().item()), [1, 2, 10]);
    assert_eq!(x.try_diagonal(1).unwrap().to_vec(), [1]);
    assert_eq!(x.try_norm(0).unwrap().to_vec(), [97.0f64.sqrt(), 37.0f64.sqrt()]);
}

#[test]
fn of_bitwise_operators() {
    let (x, y) = (DArray::from_vec(vec![6, 5]), DArray::<i32>::ones(3));
    let shapes = "shapes [2] and [3] do not broadcast";
    assert_eq!(text(x.try_bitand(&y)), format!("bitwise_and: {shapes}"));
    assert_eq!(text(x.try_bitor(&y)), format!("bitwise_or: {shapes}"));
    assert_eq!(text(x.try_bitxor(&y)), format!("bitwise_xor: {shapes}"));
    assert_eq!(text(x.try_bitand_assign(&y)), format!("bitwise_and: {shapes}"));
    assert_eq!(text(x.try_bitor_assign(&y)), format!("bitwise_or: {shapes}"));
    assert_eq!(text(x.try_bitxor_assign(&y)), format!("bitwise_xor: {shapes}"));
    let rows = DArray::<i32>::ones(2).broadcast_to((3, 2));
    assert!(text(rows.try_bitand_assign(1)).starts_with("bitwise_and: "), "it repeats elements");
    assert!(
        text(DArray::<u8>::ones(2).try_bitor(300))
            .starts_with("bitwise_or: the integer 300 is out")
    );
    let found = [x.try_bitand(4), x.try_bitor(8), x.try_bitxor(&x)].map(|r| r.unwrap().to_vec());
    assert_eq!(found, [[4, 4], [14, 13], [0, 0]]);
    x.slice(s![0]).try_bitor_assign(1).unwrap();
    x.try_bitand_assign(DArray::from_vec(vec![3, 4])).unwrap();
    x.try_bitxor_assign(1).unwrap();
    assert_eq!(x.to_vec(), [2, 5]);
    let mask = DArray::from_vec(vec![true, false]);
    mask.try_bitxor_assign(true).unwrap();
    assert_eq!(mask.to_vec(), [false, true]);
}

#[test]
fn clip_is_named_after_itself() {
    let (x, wrong) = (DArray::<f64>::ones(3), DArray::<f64>::ones(2));
    let shapes = "clip: shapes [3] and [2] do not broadcast";
    assert_eq!(text(x.try_clip(&wrong, ())), shapes);
    assert_eq!(text(x.try_clip((), &wrong)), shapes);
    assert_eq!(text(x.try_clip(0.0, &wrong)), shapes);
    assert_eq!(text(x.try_clip(&wrong, 1.0)), shapes);
    assert!(
        text(DArray::<u8>::ones(2).try_clip(0, -1)).starts_with("clip: the integer -1 is out of")
    );
    // What fails while it runs also says what failed.
    let small = Runtime::builder().threads(1).memory_limit(1 << 10).build().unwrap();
    small.scope(|| {
        let failure = |x: DArray| x.try_to_vec().unwrap_err().to_string();
        let line = DArray::<f64>::ones(1).broadcast_to(1000);
        assert!(
            failure(line.clip(0.0, 1.0)).starts_with("clip: "),
            "{}",
            failure(line.clip(0.0, 1.0))
        );
        assert!(failure(line.clip(0.0, ())).starts_with("clip: "));
        assert!(failure(line.nan_to_num()).starts_with("nan_to_num: "));
        assert!(failure(line.round_to(2)).starts_with("round: "));
        assert!(failure(line.round()).starts_with("round: "));
    });
}
