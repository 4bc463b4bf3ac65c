//! Elements by arrays of indices.

use crate::devices::everywhere;
use darray::{DArray, DynArray, ErrorKind, Fallible, Mode, Runtime, axis, default_rng, s};
use darray_cpu::{CpuDevices, CpuOptions};
use darray_testdevices::{AdversarialDevice, Adversity};

#[test]
fn taken_along_every_axis_of_every_layout() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(24).reshape((2, 3, 4));
        let indices = DArray::from_shape_vec((2, 2), vec![-1i64, 0, 1, 1]);
        for view in [x.clone(), x.slice(s![.., ..;-1, ..]), x.t(), x.t().t()] {
            let (shape, host) = (view.shape().to_vec(), view.to_vec());
            for axis in 0..3 {
                let mut expected = Vec::new();
                let inner: usize = shape[axis + 1..].iter().product();
                for outer in 0..shape[..axis].iter().product() {
                    for index in [shape[axis] - 1, 0, 1, 1] {
                        let first = (outer * shape[axis] + index) * inner;
                        expected.extend_from_slice(&host[first..first + inner]);
                    }
                }
                let found = view.take(&indices, axis as isize);
                let mut wanted = shape.clone();
                wanted.splice(axis..=axis, [2, 2]);
                assert_eq!((found.shape(), found.to_vec()), (&wanted[..], expected), "axis {axis}");
            }
            let flat = view.take(&indices, ..).to_vec();
            assert_eq!(flat, [host[23], host[0], host[1], host[1]]);
        }
        let row = DArray::from_vec(vec![1.5, 2.5]).broadcast_to((3, 2));
        assert_eq!(row.take(&DArray::from_vec(vec![1i32]), 1).to_vec(), [2.5; 3]);
        let point = DArray::from_shape_vec((), vec![1u8]);
        assert_eq!(x.take(&point, 2).shape(), [2, 3]);
        assert_eq!(DArray::from_vec(vec![3, 4]).take(&point, 0).item(), 4);
        assert_eq!(x.take(&DArray::<i64>::zeros((0, 5)), 1).shape(), [2, 0, 5, 4]);
        assert_eq!(DArray::<f64>::zeros((0, 5)).take(&indices, 1).shape(), [0, 2, 2]);
    });
}

#[test]
fn taken_along_an_axis_with_indices_of_their_own() {
    everywhere(|_| {
        let x = default_rng(2).random((5, 40));
        let sorted = x.take_along_axis(&x.argsort(-1), 1);
        assert_eq!(sorted.to_vec(), x.sort(-1).to_vec());
        let sorted = x.t().take_along_axis(&x.t().argsort(0), 0);
        assert_eq!(sorted.to_vec(), x.sort(-1).t().to_vec());
        let largest = x.take_along_axis(&x.argmax(axis(1).keepdims()), -1);
        assert_eq!(largest.to_vec(), x.max(1).to_vec());
        // Broadcast on both sides.
        let column = DArray::from_shape_vec((3, 1), vec![7, 8, 9]);
        let indices = DArray::from_shape_vec((1, 4), vec![2, 0, -1, 1]);
        let found = column.take_along_axis(&indices, 0);
        assert_eq!((found.shape(), found.to_vec()), (&[1, 4][..], vec![9, 7, 9, 8]));
        let flat = column.as_dyn().take_along_axis(&DynArray::from(indices.reshape(4)), None);
        assert_eq!(DArray::<i32>::try_from(flat.unwrap()).unwrap().to_vec(), [9, 7, 9, 8]);
    });
}

#[test]
fn the_last_value_wins() {
    everywhere(|_| {
        let n = 500;
        let indices = default_rng(5).integers(-60, 60, n);
        let x = DArray::<i64>::zeros(60);
        x.put(&indices, DArray::<i64>::arange(n));
        let mut expected = vec![0; 60];
        for (value, index) in indices.to_vec().into_iter().enumerate() {
            expected[index.rem_euclid(60) as usize] = value as i64;
        }
        assert_eq!(x.to_vec(), expected);
        // Through a view without one stride.
        let grid = DArray::<i64>::zeros((12, 10));
        grid.t().slice(s![..;2, ..]).put(&indices, DArray::<i64>::arange(n));
        let seen = grid.t().slice(s![..;2, ..]).to_vec();
        assert_eq!(seen, expected);
        assert_eq!(grid.t().slice(s![1..;2, ..]).sum(..).item(), 0);
        // Fewer values than indices, and more.
        let x = DArray::<i64>::zeros(5);
        x.put(&DArray::from_vec(vec![0, 1, 2, 3, 4]), DArray::from_vec(vec![7i64, 8]));
        assert_eq!(x.to_vec(), [7, 8, 7, 8, 7]);
        x.put(&DArray::from_vec(vec![-1]), DArray::<i64>::arange(3));
        x.put(&DArray::from_vec(vec![0, 1]), DArray::<i64>::zeros(0));
        assert_eq!(x.to_vec(), [7, 8, 7, 8, 0]);
    });
}

#[test]
fn put_along_every_axis_of_every_layout() {
    everywhere(|_| {
        for axis in 0..3usize {
            let shape = [3, 4, 5];
            let base = DArray::<f64>::zeros((6, 4, 5));
            let view = base.slice(s![..;-2, .., ..]);
            let mut span = shape;
            span[axis] = 7;
            let n = shape[axis] as i64;
            let indices = default_rng(axis as u64).integers(-n, n, &span[..]);
            let values = DArray::<f64>::arange(420 / shape[axis]).reshape(&span[..]);
            view.put_along_axis(&indices, &values, axis as isize);
            let mut expected = vec![0.0; 60];
            let (indices, values) = (indices.to_vec(), values.to_vec());
            for at in 0..indices.len() {
                let mut index = [at / (span[1] * span[2]), at / span[2] % span[1], at % span[2]];
                index[axis] = indices[at].rem_euclid(n) as usize;
                expected[(index[0] * 4 + index[1]) * 5 + index[2]] = values[at];
            }
            assert_eq!(view.to_vec(), expected, "axis {axis}");
            assert_eq!(base.slice(s![..;2, .., ..]).sum(..).item(), 0.0);
        }
        // One index for each row, and one value for all.
        let x = DArray::<f64>::zeros((3, 4));
        x.put_along_axis(&DArray::from_shape_vec((1, 2), vec![3, 0]), 2.0, 1);
        assert_eq!(x.to_vec(), [2.0, 0.0, 0.0, 2.0].repeat(3));
    });
}

/// NumPy's `put_along_axis` with indices that repeat axes of extent 1, and values with more axes.
#[test]
fn put_along_axis_broadcasts_as_in_numpy() {
    everywhere(|runtime| {
        let put = |shape: &[usize], indices: &DArray<i64>, values: &DArray, axis| {
            let x = DArray::<f64>::zeros(shape);
            x.put_along_axis(indices, values, axis);
            x.to_vec()
        };
        let numbers =
            |shape: &[usize]| DArray::<f64>::arange(shape.iter().product()).reshape(shape) + 1.0;
        let zeros = DArray::<i64>::zeros((5, 3));
        assert_eq!(put(&[5, 1], &zeros, &numbers(&[1]), 0), [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(put(&[5, 1], &zeros, &numbers(&[5, 3]), 0), [15.0, 0.0, 0.0, 0.0, 0.0]);
        let indices = DArray::from_shape_vec((3, 3), vec![0, 1, 2, 3, 0, 0, 1, 1, 4]).cast();
        assert_eq!(put(&[5, 1], &indices, &numbers(&[3, 3]), 0), [6.0, 8.0, 3.0, 4.0, 9.0]);
        assert_eq!(put(&[1, 5], &indices, &numbers(&[3, 3]), 1), [6.0, 8.0, 3.0, 4.0, 9.0]);
        let pairs = DArray::from_shape_vec((2, 2), vec![0, 1, 0, 2]).cast();
        assert_eq!(put(&[1, 3], &pairs, &numbers(&[2, 1]), 1), [2.0, 1.0, 2.0]);
        assert_eq!(put(&[5, 1], &DArray::zeros((5, 0)), &numbers(&[1]), 0), [0.0; 5]);
        let two = DArray::<i64>::zeros(2);
        assert_eq!(put(&[2], &two, &numbers(&[1, 2]), 0), [2.0, 0.0]);
        assert_eq!(put(&[2], &two, &numbers(&[1, 1, 1]), 0), [1.0, 0.0]);
        let x = DArray::<f64>::zeros((2, 1));
        assert!(
            x.try_put_along_axis(&DArray::<i64>::zeros((2, 1)), numbers(&[2, 2, 1]), 0).is_err()
        );
        // Axes before and behind the one written along, and one that the indices lack.
        let indices = default_rng(3).integers(-7, 7, (3, 4, 5, 1));
        let values = numbers(&[3, 4, 5, 2]);
        let found = put(&[1, 7, 1, 2], &indices, &values, 1);
        let (indices, values) = (indices.to_vec(), values.to_vec());
        let mut expected = [0.0; 14];
        for at in 0..values.len() {
            expected[2 * indices[at / 2].rem_euclid(7) as usize + at % 2] = values[at];
        }
        assert_eq!(found, expected);
        let y = DArray::<f64>::zeros((5, 1));
        y.put_along_axis(&DArray::from_shape_vec((2, 2), vec![0, 1, 5, 2]), 1.0, 0);
        let error = y.try_to_vec().unwrap_err().to_string();
        let text = "put_along_axis: index 5 at [2, 0] is out of range for axis 0 of extent 5";
        assert!(error.starts_with(text), "{error}");
        assert!(runtime.try_sync().is_err());
    });
}

#[test]
fn all_is_read_before_anything_is_written() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(50);
        x.put(&x.slice(s![..;-1]), &x);
        assert_eq!(x.to_vec(), (0..50).rev().collect::<Vec<i64>>());
        let y = x.clone();
        x.put(&DArray::from_vec(vec![0]), 99);
        assert_eq!((x.to_vec()[0], y.to_vec()[0]), (99, 49), "clones are values");
        let (rows, before) = (y.reshape((5, 10)), y.to_vec());
        rows.slice(s![1..]).put_along_axis(
            &DArray::from_shape_vec((4, 1), vec![0, 1, 2, 3]),
            rows.slice(s![..-1, 5..6]),
            1,
        );
        let after = y.to_vec();
        for row in 1..5 {
            assert_eq!(after[10 * row + row - 1], before[10 * row - 5], "row {row}");
        }
    });
}

#[test]
fn an_index_out_of_range_is_an_error_of_what_it_concerns() {
    everywhere(|runtime| {
        let (x, good) = (DArray::<f64>::ones((4, 6)), DArray::<f64>::ones(3));
        let indices = DArray::from_shape_vec((2, 2), vec![0, 5, -7, 6]);
        let line = line!() + 1;
        let taken = x.take(&indices, 1) + 1.0;
        let error = taken.try_to_vec().unwrap_err();
        let text = "take: index -7 at [1, 0] is out of range for axis 1 of extent 6";
        assert!(error.to_string().starts_with(text), "{error}");
        assert_eq!((error.operation(), error.place().line()), ("take", line));
        assert!(matches!(error.kind(), ErrorKind::Execution { .. }));
        let y = DArray::<f64>::zeros(5);
        let line = line!() + 1;
        y.put(&DArray::from_vec(vec![1, 5, 9]), 1.0);
        let error = (&y * 2.0).sum(..).try_to_vec().unwrap_err();
        let text = "put: index 5 at [1] is out of range for axis 0 of extent 5";
        assert!(error.to_string().starts_with(text), "{error}");
        assert_eq!(error.place().line(), line);
        let z = DArray::<f64>::zeros((3, 5));
        z.put_along_axis(&DArray::from_shape_vec((3, 1), vec![4, -5, -6]), 1.0, 1);
        let error = z.try_to_vec().unwrap_err().to_string();
        let text = "put_along_axis: index -6 at [2, 0] is out of range for axis 1 of extent 5";
        assert!(error.starts_with(text), "{error}");
        let along = x.take_along_axis(&DArray::from_shape_vec((1, 6), vec![0, 0, 0, 0, 4, 0]), 0);
        let error = along.try_to_vec().unwrap_err().to_string();
        let text = "take_along_axis: index 4 at [0, 4] is out of range for axis 0 of extent 4";
        assert!(error.starts_with(text), "{error}");
        assert_eq!((&x + 1.0).sum(..).item(), 48.0, "what was read is as usable as before");
        assert_eq!(good.sum(..).item(), 3.0);
        assert!(runtime.try_sync().is_err());
    });
}

#[test]
fn what_is_wrong_at_once() {
    let x = DArray::<f64>::ones((2, 3));
    let text = |result: darray::Result<DArray<f64>>| result.expect_err("an error").to_string();
    let at = |indices: Vec<i64>| DArray::from_vec(indices);
    assert!(text(x.try_take(&at(vec![0]), -3)).starts_with("take: axis -3 is out of range"));
    let empty = DArray::<f64>::zeros((2, 0));
    let error = text(empty.try_take(&at(vec![0]), 1));
    assert!(error.starts_with("take: indices into axis 1 of extent 0 (shape [2, 0])"), "{error}");
    assert_eq!(empty.take(&at(vec![]), 1).shape(), [2, 0]);
    let wide = DArray::<i64>::zeros([1; 8]);
    assert!(text(x.try_take(&wide, 1)).starts_with("take: 9 axes, at most 8"));
    let error = text(x.try_take_along_axis(&DArray::<i64>::zeros((3, 1)), 1));
    let expected = "take_along_axis: shapes [2, 3] and [3, 1] do not broadcast";
    assert!(error.starts_with(expected), "{error}");
    let floats = DynArray::from(DArray::<f64>::zeros(1));
    let error = DynArray::from(x.clone()).take(&floats, None).expect_err("an error");
    let expected = "take: element types f64: expected indices of an integer type";
    assert!(error.to_string().starts_with(expected), "{error}");
    let mask = DynArray::from(DArray::<bool>::ones(1));
    assert!(DynArray::from(x.clone()).put(&mask, 1.0).is_err());
    let error = empty.try_put(&at(vec![0]), 1.0).unwrap_err().to_string();
    assert!(error.starts_with("put: indices into axis 0 of extent 0"), "{error}");
    empty.put(&at(vec![]), 1.0);
    let bytes = DArray::<u8>::zeros(2);
    let error = bytes.try_put(&at(vec![0]), 300).unwrap_err().to_string();
    assert!(error.starts_with("put: the integer 300"), "{error}");
    let other = Runtime::builder().build().unwrap().scope(|| DArray::<i64>::zeros(1));
    let error = text(x.try_take(&other, ..));
    assert!(error.starts_with("take: the operands belong to two runtimes"), "{error}");
    assert!(x.try_put(&other, 1.0).is_err());
    let rows = DArray::<f64>::zeros(3).broadcast_to((2, 3));
    let error = rows.try_put_along_axis(&DArray::<i64>::zeros((2, 1)), 1.0, 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Overlap { .. }), "{error}");
}

#[test]
fn each_device_makes_its_part() {
    let rt = Runtime::builder().threads(1).cpu_devices(4).mode(Mode::Fused).build().unwrap();
    rt.scope(|| {
        let x = DArray::<f64>::ones((400, 32));
        let indices = DArray::<i64>::arange(400);
        rt.sync();
        rt.reset_stats();
        let taken = x.take(&indices, 0);
        rt.sync();
        let stats = rt.stats();
        // Every device has all rows, but only its indices.
        assert_eq!((stats.builtins, stats.kernels), (4, 0));
        let rows = 3 * 400 * 32 * 8;
        assert!((rows..rows + 400 * 8).contains(&stats.bytes_copied), "{}", stats.bytes_copied);
        drop(taken);
        rt.reset_stats();
        x.put_along_axis(&indices.reshape((400, 1)), 2.0, 0);
        rt.sync();
        let stats = rt.stats();
        assert_eq!((stats.builtins, x.sum(..).item()), (4, 2.0 * 400.0 * 32.0));
        // Every device has all indices, of which it had some.
        let indices = 3 * (400 * 8 + 8);
        assert!(
            (indices - 400 * 8..=indices).contains(&stats.bytes_copied),
            "{}",
            stats.bytes_copied
        );
    });
}

/// Devices that run what is queued in any legal order: results and failures are the same.
#[test]
fn in_any_order_of_execution() {
    for seed in 0..30 {
        let adversity = Adversity { seed, ..Adversity::default() };
        let devices = 1 + seed as usize % 4;
        let devices = CpuDevices::new(devices, CpuOptions::default());
        let builder = Runtime::builder().devices(AdversarialDevice::set(devices, adversity));
        builder.build().unwrap().scope(|| {
            let x = default_rng(9).integers(0, 50, 200);
            let order = x.argsort(-1);
            let mut expected = x.to_vec();
            expected.sort();
            assert_eq!(
                (x.sort(-1).to_vec(), x.take(&order, ..).to_vec()),
                (expected.clone(), expected)
            );
            let inverse = DArray::<i64>::zeros(200);
            inverse.put(&order, DArray::<i64>::arange(200));
            assert_eq!(x.sort(-1).take(&inverse, ..).to_vec(), x.to_vec(), "seed {seed}");
            let bad = inverse.clone();
            bad.put(&DArray::from_vec(vec![5, 200]), 0);
            let error = x.take(&bad, ..).sort(-1).try_to_vec().unwrap_err().to_string();
            let text = "put: index 200 at [1] is out of range for axis 0 of extent 200";
            assert!(error.starts_with(text), "seed {seed}: {error}");
            assert_eq!(inverse.take(&order, ..).to_vec(), (0..200).collect::<Vec<i64>>());
        });
    }
}
