//! What programs write every day: elements, extents, updates of views, loops over rows, conversions.

use crate::devices::everywhere;
use crate::panics::shown;
use darray::{Complex, DArray, DType, DynArray, Fallible, NewAxis, Runtime, f16, s};

/// The text with which this panics, without its place, which is the line given in this file.
#[track_caller]
fn panics_at(line: u32, f: impl FnOnce()) -> String {
    placed(&shown(f), line)
}

/// The text of an error, without its place, which is the line of the caller.
#[track_caller]
fn text<T>(result: darray::Result<T>) -> String {
    let line = std::panic::Location::caller().line();
    placed(&result.err().expect("an error").to_string(), line)
}

#[track_caller]
fn placed(text: &str, line: u32) -> String {
    let (text, place) = text.split_once(" (at ").expect("a place");
    assert!(place.contains(&format!("everyday.rs:{line}:")), "{place} is not line {line}");
    text.to_string()
}

#[test]
fn one_element_is_read_and_written() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(6).reshape((2, 3));
        let (i, j, k) = (1usize, 2isize, 1i32);
        assert_eq!([x.get([i, 0]), x.get([j - 1, j]), x.get([k, -1])], [3.0, 5.0, 5.0]);
        assert_eq!([x.get((i, j)), x.get((0u8, -3)), x.get(&[k, 1][..])], [5.0, 0.0, 4.0]);
        assert_eq!(x.get(&x.shape().iter().map(|n| n - 1).collect::<Vec<_>>()[..]), 5.0);
        assert_eq!((x.t().get([2, 0]), x.ravel().get(4), x.sum(..).get(())), (2.0, 4.0, 15.0));
        x.set([0, -1], 9.0);
        x.t().set((1usize, 0), 0.5);
        x.slice(1).set(2, x.get([0, 0]) - 1.0);
        x.sum(..).set((), 7.0);
        assert_eq!(x.to_vec(), [0.0, 0.5, 9.0, 3.0, 4.0, -1.0]);
        let y = x.clone();
        y.set([0, 0], 100.0);
        assert_eq!((x.get([0, 0]), y.get([0, 0])), (0.0, 100.0));
    });
}

#[test]
fn elements_of_every_type_are_written_as_they_are() {
    fn written<T: darray::Element>(value: T) -> T {
        let x = DArray::<T>::zeros((2, 2));
        x.set([1, 0], value);
        assert_eq!(x.get([0, 0]), DArray::<T>::zeros(1).get(0));
        x.get([1, 0])
    }
    everywhere(|_| {
        assert!(written(true));
        assert_eq!((written(i8::MIN), written(u8::MAX)), (i8::MIN, u8::MAX));
        assert_eq!((written(i16::MIN), written(u16::MAX)), (i16::MIN, u16::MAX));
        assert_eq!((written(i32::MIN), written(u32::MAX)), (i32::MIN, u32::MAX));
        assert_eq!((written(i64::MIN), written(u64::MAX)), (i64::MIN, u64::MAX));
        assert_eq!(written(f16::from_f32(0.1)), f16::from_f32(0.1));
        assert_eq!((written(0.1f32), written(f64::MIN_POSITIVE)), (0.1, f64::MIN_POSITIVE));
        assert!(written(-0.0f64).is_sign_negative() && written(f32::NAN).is_nan());
        assert_eq!(written(Complex::new(0.1f32, -0.2)), Complex::new(0.1f32, -0.2));
        assert_eq!(written(Complex::new(1.5, f64::INFINITY)), Complex::new(1.5, f64::INFINITY));
    });
}

#[test]
fn wrong_places_of_elements_are_refused_at_the_line() {
    let x = DArray::<f64>::ones((2, 3));
    let number = "an element has 2 indices, one for each axis, not";
    let row = "index -3 is out of range for axis 0 of extent 2 (shape [2, 3])";
    let column = "index 3 is out of range for axis 1 of extent 3 (shape [2, 3])";
    let found = panics_at(line!() + 1, || {
        x.get(1);
    });
    assert_eq!(found, format!("get: {number} 1 (shape [2, 3])"));
    let found = panics_at(line!() + 1, || {
        x.get([0, 3]);
    });
    assert_eq!(found, format!("get: {column}"));
    let found = panics_at(line!(), || x.set([0, 0, 0], 1.0));
    assert_eq!(found, format!("set: {number} 3 (shape [2, 3])"));
    let found = panics_at(line!(), || x.set((-3, 0), 1.0));
    assert_eq!(found, format!("set: {row}"));
    let found = panics_at(line!() + 1, || {
        let _ = x.at(-3);
    });
    assert_eq!(found, format!("at: {row}"));
    assert_eq!(text(x.try_get([0, 3])), format!("get: {column}"));
    assert_eq!(text(x.try_set([-3, 0], 0.0)), format!("set: {row}"));
    assert_eq!(text(x.try_at(-3)), format!("at: {row}"));
    assert_eq!(text(DynArray::from(x.alias()).at(-3)), format!("at: {row}"));
    assert_eq!(text(x.sum(..).try_at(0)), "at: 1 indices for 0 axes (shape [])");
    let beyond = format!("at: an index of {} or more is out of range for axis 0", isize::MAX);
    assert!(text(x.try_at(usize::MAX)).starts_with(&beyond));
    assert_eq!(x.to_vec(), [1.0; 6]);
}

/// Reading waits, writing does not; and what fails while it runs is told where it is read.
#[test]
fn writing_an_element_is_recorded() {
    let runtime = Runtime::builder().threads(1).memory_limit(1 << 12).build().unwrap();
    runtime.scope(|| {
        let x = DArray::<f64>::zeros(8);
        runtime.sync();
        let before = runtime.stats().kernels;
        x.set(3, 1.0);
        assert_eq!(runtime.stats().kernels, before);
        assert_eq!(x.get(3), 1.0);
        assert!(runtime.stats().kernels > before);
        let line = line!() + 1;
        let large = DArray::<f64>::ones(1 << 12);
        let found = panics_at(line, || {
            large.get(0);
        });
        assert!(found.starts_with("ones: out of memory"), "{found}");
    });
}

#[test]
fn extents_are_taken_apart() {
    let x = DArray::<f64>::ones((2, 3));
    let [h, w] = x.dims();
    assert_eq!((h, w, x.at(0).dims(), x.size()), (2, 3, [3], 6));
    let [] = x.sum(..).dims();
    let wanted = "extents are wanted here, and the shape is [2, 3]";
    let found = panics_at(line!() + 1, || {
        let [_] = x.dims();
    });
    assert_eq!(found, format!("dims: 1 {wanted}"));
    assert_eq!(text(x.try_dims::<3>()), format!("dims: 3 {wanted}"));
    assert_eq!(text(DynArray::from(x).dims::<0>()), format!("dims: 0 {wanted}"));
}

#[test]
fn views_without_a_name_are_updated() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(6).reshape((2, 3));
        x.slice(s![.., 1..]).add_assign(DArray::from([10.0, 20.0]));
        x.at(0).sub_assign(1.0);
        x.slice(s![.., ::2]).mul_assign(2);
        x.t().at(1).div_assign(4.0);
        x.slice(s![1:, :]).rem_assign(5.0);
        assert_eq!(x.to_vec(), [-2.0, 2.5, 42.0, 1.0, 3.5, 0.0]);
        let n = DArray::from([6, 5, 3]);
        n.at(0).bitand_assign(3);
        n.slice(1..).bitor_assign(8);
        n.slice(s![::-1]).bitxor_assign(DArray::from([1, 2, 4]));
        assert_eq!(n.to_vec(), [6, 15, 10]);
        let mut named = x.at(0);
        named += 1.0;
        assert_eq!(x.at(0).to_vec(), [-1.0, 3.5, 43.0]);
    });
    let x = DArray::<f64>::ones(3);
    let (wrong, shapes) = (DArray::<f64>::ones(2), "shapes [3] and [2] do not broadcast");
    assert_eq!(panics_at(line!(), || x.add_assign(&wrong)), format!("add: {shapes}"));
    assert_eq!(panics_at(line!(), || x.sub_assign(&wrong)), format!("subtract: {shapes}"));
    assert_eq!(panics_at(line!(), || x.mul_assign(&wrong)), format!("multiply: {shapes}"));
    assert_eq!(panics_at(line!(), || x.div_assign(&wrong)), format!("divide: {shapes}"));
    assert_eq!(panics_at(line!(), || x.rem_assign(&wrong)), format!("remainder: {shapes}"));
    let (n, wrong) = (DArray::from([1, 2, 3]), DArray::from([1, 2]));
    assert_eq!(panics_at(line!(), || n.bitand_assign(&wrong)), format!("bitwise_and: {shapes}"));
    assert_eq!(panics_at(line!(), || n.bitor_assign(&wrong)), format!("bitwise_or: {shapes}"));
    assert_eq!(panics_at(line!(), || n.bitxor_assign(&wrong)), format!("bitwise_xor: {shapes}"));
}

#[test]
fn rows_are_gone_over() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(6).reshape((3, 2));
        let mut seen = vec![];
        for row in &x {
            row.add_assign(1);
            seen.push(row.sum(..).item());
        }
        assert_eq!(seen, [3, 7, 11]);
        for (k, column) in (0..).zip(x.t()) {
            column.mul_assign(k);
        }
        assert_eq!(x.to_vec(), [0, 2, 0, 4, 0, 6]);
        let mut rows = x.iter();
        assert_eq!((rows.len(), rows.nth(1).unwrap().to_vec()), (3, vec![0, 4]));
        assert_eq!(rows.next_back().unwrap().to_vec(), [0, 6]);
        assert!(rows.next().is_none() && rows.next_back().is_none());
        assert_eq!(DArray::<f64>::zeros((0, 2)).iter().count(), 0);
        assert_eq!(x.at(1).iter().map(|element| element.item()).collect::<Vec<_>>(), [0, 4]);
    });
    let point = DArray::<f64>::ones(());
    let no_axis = "iter: a 0-d array has no axis to go over (shape [])";
    assert_eq!(text(point.try_iter()), no_axis);
    let found = panics_at(line!() + 1, || {
        point.iter();
    });
    assert_eq!(found, no_axis);
    let found = panics_at(line!(), || for _ in &point {});
    assert_eq!(found, no_axis);
    let found = panics_at(line!(), || for _ in point {});
    assert_eq!(found, no_axis);
}

#[test]
fn arrays_add_up() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(6).reshape((3, 2));
        let total: DArray = x.iter().sum();
        assert_eq!(total.to_vec(), [6.0, 9.0]);
        let arrays = vec![DArray::from([1, 2]), DArray::from([10]), DArray::from([100, 200])];
        assert_eq!(arrays.iter().sum::<DArray<i32>>().to_vec(), [111, 212]);
        assert_eq!(arrays.into_iter().rev().sum::<DArray<i32>>().to_vec(), [111, 212]);
        let none: DArray = std::iter::empty::<DArray>().sum();
        assert_eq!((none.shape(), none.item()), (&[][..], 0.0));
        // A sum of one array is not that array.
        let mut one: DArray = x.slice(..1).iter().sum();
        one += 5.0;
        let mut same: DArray = [x.alias()].iter().sum();
        same += 5.0;
        assert_eq!((one.to_vec(), x.get([0, 0])), (vec![5.0, 6.0], 0.0));
    });
}

#[test]
fn values_of_the_host_become_arrays() {
    #[derive(Default)]
    struct Model {
        weights: DArray<f32>,
        seen: DArray<u8>,
    }
    let model = Model::default();
    assert_eq!((model.weights.shape(), model.seen.dtype()), (&[0][..], DType::U8));
    let x: DArray = vec![1.0, 2.0].into();
    assert_eq!((x + DArray::from([0.5, 0.5])).to_vec(), [1.5, 2.5]);
    let m = DArray::from([[1, 2], [3, 4], [5, 6]]);
    assert_eq!((m.shape(), m.t().at(1).to_vec()), (&[3, 2][..], vec![2, 4, 6]));
    let z = DArray::<f32>::from([[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]);
    assert_eq!((z.shape(), z.get([1, 0, 2])), (&[2, 1, 3][..], 6.0));
    assert_eq!(DArray::from([[true; 2]; 0]).shape(), [0, 2]);
    let squares: DArray<i64> = (0..4).map(|i| i * i).collect();
    assert_eq!(squares.to_vec(), [0, 1, 4, 9]);
    assert_eq!(squares.astype::<u8>().dtype(), DType::U8);
}

#[test]
fn slices_are_written_as_numpy_writes_them() {
    let x = DArray::<i64>::arange(24).reshape((4, 6));
    let (w, i) = (2usize, 1u8);
    assert_eq!(x.slice(s![..-w, w..]).to_vec(), x.slice(s![..2, 2..]).to_vec());
    assert_eq!(x.slice(s![-w - 1.., -w]).to_vec(), [10, 16, 22]);
    assert_eq!(x.slice(s![1:-1, ::-2]).to_vec(), [11, 9, 7, 17, 15, 13]);
    assert_eq!(x.slice(s![..., None, 0:w]).shape(), [4, 1, 2]);
    assert_eq!(x.slice(s![w - 1..x.shape()[0] - 1, i]).to_vec(), [7, 13]);
    assert_eq!((x.slice(0..3).shape(), x.slice(..=1).shape()), (&[3, 6][..], &[2, 6][..]));
    assert_eq!((x.slice(-1).get(0), x.slice(w..).get([0, 0])), (18, 12));
    assert_eq!((x.slice(..).shape(), x.slice(NewAxis).shape()), (&[4, 6][..], &[1, 4, 6][..]));
    assert_eq!(DynArray::from(x.alias()).slice(1..3).unwrap().shape(), [2, 6]);
    let index = [darray::Ix::from(..), darray::Ix::At(2)];
    assert_eq!(x.slice(&index[..]).to_vec(), x.slice(index.to_vec()).to_vec());
    let found = "slice: index 4 is out of range for axis 0 of extent 4 (shape [4, 6])";
    assert_eq!(text(x.try_slice(4)), found);
}

#[test]
fn arguments_are_written_as_numpy_writes_them() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(6).reshape((1, 2, 3));
        assert_eq!(x.sum((1, 2)).to_vec(), x.sum([1, 2]).to_vec());
        assert_eq!(x.var((0, -1)).to_vec(), x.var([0, -1]).to_vec());
        assert_eq!(x.sum(None).item(), 15.0);
        assert_eq!(x.norm(None).item(), x.norm(..).item());
        assert_eq!(x.transpose((2usize, 0, 1)).shape(), [3, 1, 2]);
        assert_eq!(x.at([0, 1]).to_vec(), [3.0, 4.0, 5.0]);
        assert_eq!(x.at((0, -1, 2usize)).item(), 5.0);
        x.at([0, 0]).assign(-1.0);
        assert_eq!(x.to_vec(), [-1.0, -1.0, -1.0, 3.0, 4.0, 5.0]);
        assert_eq!(x.at(0).at(0).pad((1, 0), 7).to_vec(), [7.0, -1.0, -1.0, -1.0]);
        assert_eq!(x.gt(0).at([0, 0]).pad(1, true).to_vec(), [true, false, false, false, true]);
        let keys = DArray::from([1, 3]);
        assert_eq!(keys.bincount(5i64).to_vec(), keys.bincount(5usize).to_vec());
    });
    let x = DArray::<f64>::ones((2, 3));
    assert_eq!(text(x.try_at([0, 1, 2])), "at: 3 indices for 2 axes (shape [2, 3])");
    assert_eq!(
        text(x.try_at((1, 3))),
        "at: index 3 is out of range for axis 1 of extent 3 (shape [2, 3])"
    );
}
