//! Masks and arrays of indices in an index. What they choose is compared with NumPy in the suite's cases.

use crate::devices::everywhere;
use darray::{
    Argument, Binary, Complex, DArray, DynArray, ErrorKind, Fallible, Mode, Pick, Picked, Runtime,
    default_rng, np, s,
};

fn grid() -> DArray<i64> {
    DArray::arange(12).reshape((3, 4))
}

#[test]
fn one_grammar_for_views_and_choices() {
    let x = grid();
    let (mask, rows) = (x.gt(6), DArray::from([2, 0]));
    let view: DArray<i64> = x.slice(s![1.., 0]);
    let picked: Picked<i64> = x.slice(s![&mask]);
    assert_eq!((view.to_vec(), picked.to_vec()), (vec![4, 8], vec![7, 8, 9, 10, 11]));
    assert_eq!(x.slice(&mask).len(), 5);
    assert_eq!(x.slice(mask.clone()).len(), 5);
    assert_eq!(x.slice(x.gt(6) & x.lt(9)).to_vec(), [7, 8]);
    assert_eq!(x.slice(s![&rows, 1..]).to_vec(), [9, 10, 11, 1, 2, 3]);
    assert_eq!(x.slice(s![&rows, &rows]).to_vec(), [10, 0]);
    assert_eq!(x.slice(s![&rows.cast::<u8>(), -1]).to_vec(), [11, 3]);
    assert_eq!(x.slice([2, 0]).shape(), [2, 4]);
    assert_eq!(x.slice(&[2, 0]).shape(), [2, 4]);
    assert_eq!(x.slice(vec![2usize]).shape(), [1, 4]);
    assert_eq!(x.slice(s![.., vec![0, -1]]).shape(), [3, 2]);
    assert_eq!(x.slice(s![&vec![0u8][..], None]).shape(), [1, 1, 4]);
    assert_eq!(x.slice(s![[[0, 1], [1, 2]], 0]).to_vec(), [0, 4, 4, 8]);
    assert_eq!(x.slice(s![[true, false, true], ::2]).to_vec(), [0, 2, 8, 10]);
    assert_eq!(x.slice(s![..., [0]]).shape(), [3, 1]);
    let reused = s![&rows, ..];
    assert_eq!(x.slice(&reused).shape(), x.slice(reused).shape());
    // An index chosen by a mask, and by arrays that were chosen.
    let order = DArray::from([3, 1, 2, 0]);
    assert_eq!(x.slice(s![0, order.slice(order.gt(1))]).to_vec(), [3, 2]);
    assert_eq!(x.slice(s![0, &order.slice([0, 2])]).to_vec(), [3, 2]);
    // Every integer type is an index.
    let y = DArray::<f64>::arange(5);
    macro_rules! each { ($($t:ty)*) => { $(
        assert_eq!(y.slice(&DArray::<$t>::from([4, 0])).to_vec(), [4.0, 0.0]);
    )* } }
    each!(i8 u8 i16 u16 i32 u32 i64 u64);
}

#[test]
fn it_reads_as_an_array() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(8);
        let mask = x.ge(5.0);
        let (twice, sum): (DArray<f64>, f64) =
            (x.slice(&mask) * 2.0 + 1, x.slice(&mask).sum(..).item());
        assert_eq!((twice.to_vec(), sum), (vec![11.0, 13.0, 15.0], 18.0));
        let p = x.slice(&mask);
        assert_eq!((&p - &p).to_vec(), [0.0; 3]);
        assert_eq!((2.0 * &p).to_vec(), (x.slice(&mask) + &p).to_vec());
        assert_eq!((1 - x.slice([1, 2])).to_vec(), [0.0, -1.0]);
        assert_eq!((-x.slice([1, 2])).to_vec(), [-1.0, -2.0]);
        assert_eq!((!mask.slice([0, 7])).to_vec(), [true, false]);
        assert_eq!((mask.slice([0, 7]) & true).to_vec(), [false, true]);
        let z = Complex::new(0.0, 1.0) * x.slice([1]);
        assert_eq!(z.to_vec(), [Complex::new(0.0, 1.0)]);
        assert_eq!(np::exp(&x.slice([0])).to_vec(), [1.0]);
        assert_eq!(
            (x.slice([0, 3]).to_string(), format!("{:?}", x.slice([3]))),
            ("[0. 3.]".into(), "DArray<f64>[1] [3.]".into())
        );
        let array: DArray<f64> = x.slice([2, 1]).into();
        assert_eq!(
            array.to_vec(),
            p.clone().slice([0, 1]).to_vec().iter().map(|v| 7.0 - v).collect::<Vec<_>>()
        );
    });
}

/// As NumPy's `a[mask]`: what was there when the slice was made, whatever is written later, also into mask and indices.
#[test]
fn what_was_chosen_stays_as_it_was() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(6);
        let (mask, indices) = (x.gt(3), DArray::from([1, 2]));
        let (large, two) = (x.slice(&mask), x.slice(&indices));
        x.slice(&mask).assign(0);
        x.slice(1..).add_assign(10);
        mask.assign(true);
        indices.assign(0);
        assert_eq!((large.to_vec(), two.to_vec()), (vec![4, 5], vec![1, 2]));
        assert_eq!(x.to_vec(), [0, 11, 12, 13, 10, 10]);
        // A choice is written at the time of the write.
        let x = DArray::<i64>::arange(3);
        let later = x.slice([0, 1]);
        x.assign(5);
        later.add_assign(1);
        assert_eq!(x.to_vec(), [6, 6, 5]);
        // Methods of the array that it is write into that one.
        x.slice([0, 1]).set([0], 9);
        assert_eq!(x.to_vec(), [6, 6, 5]);
    });
}

#[test]
fn it_writes_into_what_was_sliced() {
    everywhere(|_| {
        let x = grid();
        x.slice(x.gt(8)).assign(0);
        x.slice(s![[0, 1], 1..3]).assign(DArray::from([7, 8]));
        x.slice(s![.., [0, 0]]).add_assign(100);
        assert_eq!(x.to_vec(), [100, 7, 8, 3, 104, 7, 8, 7, 108, 0, 0, 0]);
        // Through views, of which no reshape is a view.
        let x = grid();
        x.t().slice(s![1..3, ..2]).slice(s![[0, 1], [1, 0]]).assign(DArray::from([-1, -2]));
        assert_eq!(x.to_vec(), [0, 1, -2, 3, 4, -1, 6, 7, 8, 9, 10, 11]);
        let y = grid();
        y.slice(s![..;-1, ..;2]).slice(s![[[0], [2]], [0, 1]]).mul_assign(10);
        assert_eq!(y.to_vec(), [0, 1, 20, 3, 4, 5, 6, 7, 80, 9, 100, 11]);
        // The value may be a view of the same array.
        let z = DArray::<i64>::arange(5);
        z.slice([4, 3, 2, 1, 0]).assign(&z);
        assert_eq!(z.to_vec(), [4, 3, 2, 1, 0]);
        z.slice(z.gt(2)).assign(z.slice([0, 0]));
        assert_eq!(z.to_vec(), [4, 4, 2, 1, 0]);
        z.slice([0, 0, 1]).add_at(1);
        z.slice([0, 0, 1]).sub_assign(1);
        assert_eq!(z.to_vec(), [5, 4, 2, 1, 0]);
        let w = DArray::<f64>::ones((2, 2));
        w.slice(s![[0], [1]]).div_assign(4.0);
        w.slice(w.lt(0.5)).add_at(1.0);
        assert_eq!(w.to_vec(), [1.0, 1.25, 1.0, 1.0]);
        let c = w.cast::<Complex<f64>>();
        c.slice(w.gt(1.0)).mul_assign(Complex::new(0.0, 2.0));
        assert_eq!(c.get([0, 1]), Complex::new(0.0, 2.5));
        let m = DArray::<bool>::zeros(4);
        m.slice([1, -1]).bitor_assign(true);
        assert_eq!(m.to_vec(), [false, true, false, true]);
    });
}

/// A mask and a value of which all its elements get the same: one kernel, with what makes mask and value, and no wait.
#[test]
fn a_number_under_a_mask_is_one_kernel() {
    for devices in [1, 3] {
        let rt =
            Runtime::builder().threads(1).cpu_devices(devices).mode(Mode::Fused).build().unwrap();
        rt.scope(|| {
            let x = default_rng(3).random((300, 30));
            let row = default_rng(4).random(30);
            rt.sync();
            rt.reset_stats();
            x.slice(x.gt(0.5)).assign(0.0);
            x.slice(x.lt(0.25)).add_assign(2.0);
            x.slice(s![.., 1..-1]).slice(x.slice(s![.., 1..-1]).gt(1.5)).mul_assign(0.5);
            rt.sync();
            let stats = rt.stats();
            assert_eq!((stats.extents_read, stats.builtins, stats.bytes_copied), (0, 0, 0));
            assert_eq!(stats.flushes, 1);
            assert!(stats.kernels <= 2 * devices as u64, "{}", stats.kernels);
            rt.reset_stats();
            // Each row that a mask of rows holds gets the same row.
            let rows = DArray::<i64>::arange(300).ge(150);
            x.slice(&rows).assign(&row);
            rt.sync();
            let stats = rt.stats();
            assert_eq!((stats.extents_read, stats.builtins), (0, 0));
            assert_eq!(x.slice(s![-1]).to_vec(), row.to_vec());
            rt.reset_stats();
            // By indices it is written in place, also while what was chosen before is still held.
            let (line, held) = (x.at(0), x.slice(s![0, [1, 2]]));
            assert_eq!(held.len(), 2);
            rt.sync();
            rt.reset_stats();
            line.slice([3, 4]).assign(0.5);
            rt.sync();
            let stats = rt.stats();
            assert_eq!((stats.builtins, stats.kernels), (1, 1), "a fill and a scatter");
            // A value for each of them has to be counted.
            rt.reset_stats();
            x.slice(&rows).assign(DArray::<f64>::ones((150, 30)));
            assert_eq!(rt.stats().extents_read, 1);
            assert!(x.slice(&rows).try_assign(DArray::<f64>::ones((149, 30))).is_err());
            assert_eq!(x.slice(s![150..]).sum(..).item(), 4500.0);
        });
    }
}

#[test]
fn it_runs_on_all_devices_and_waits_once_for_a_mask() {
    for devices in [1, 3] {
        let rt = Runtime::builder().threads(1).cpu_devices(devices).build().unwrap();
        rt.scope(|| {
            let x = default_rng(1).random(9000);
            rt.sync();
            rt.reset_stats();
            let held = x.slice(x.gt(0.5));
            assert_eq!(rt.stats().extents_read, 0, "nothing is counted before it is read");
            let count = held.len();
            assert_eq!((rt.stats().extents_read, rt.stats().flushes), (1, 1));
            assert_eq!((held.to_vec().len(), rt.stats().extents_read), (count, 1));
            assert_eq!(rt.stats().builtins, devices as u64);
            // Two lookups of indices and one of elements.
            let y = x.reshape((3000, 3));
            let i = DArray::<i64>::arange(3000);
            let j = &i % 3;
            rt.sync();
            rt.reset_stats();
            let found = y.slice(s![&i, &j]).to_vec();
            assert_eq!(rt.stats().extents_read, 0);
            assert_eq!(rt.stats().builtins, 3 * devices as u64);
            assert_eq!(found, x.take(&(&i * 3 + &j), ..).to_vec());
        });
    }
}

#[test]
fn errors_name_index_axis_and_line() {
    everywhere(|runtime| {
        let x = DArray::<f64>::ones((2, 3, 4));
        let (good, bad) = (DArray::from([0, 1]), DArray::from([[0, 3], [-1, -4]]));
        let text = |result: darray::Result<Vec<f64>>, line: u32| {
            let error = result.expect_err("an error");
            assert_eq!(error.place().line(), line, "{error}");
            error.to_string()
        };
        let line = line!() + 1;
        let found = text(x.slice(s![0, .., &good.slice([1, 1]) * 4]).try_to_vec(), line);
        assert!(
            found.starts_with("slice: index 4 at [0] is out of range for axis 2 of extent 4"),
            "{found}"
        );
        let line = line!() + 1;
        let found = text(x.slice(s![&good, &bad]).try_to_vec(), line);
        assert!(
            found.starts_with("slice: index 3 at [0, 1] is out of range for axis 1 of extent 3"),
            "{found}"
        );
        let line = line!() + 1;
        x.slice(s![.., &bad, 0]).assign(2.0);
        let found = text(x.try_to_vec(), line);
        assert!(
            found.starts_with("assign: index 3 at [0, 1] is out of range for axis 1 of extent 3"),
            "{found}"
        );
        let line = line!() + 1;
        x.slice(s![.., 0, [1, 7]]).add_assign(2.0);
        let found = text(x.try_to_vec(), line);
        assert!(
            found.starts_with("add: index 7 at [1] is out of range for axis 2 of extent 4"),
            "{found}"
        );
        assert_eq!(x.to_vec(), [1.0; 24], "what failed changed nothing");
        let row = DArray::<f64>::ones(3);
        row.slice([0, -4]).assign(2.0);
        let found = text(row.try_to_vec(), line!() - 1);
        assert!(
            found.starts_with("assign: index -4 at [1] is out of range for axis 0 of extent 3"),
            "{found}"
        );
        assert!(runtime.try_sync().is_err());
    });
}

#[test]
fn what_is_wrong_at_once() {
    let x = DArray::<f64>::ones((2, 3));
    let mask = |shape: &[usize]| DArray::<bool>::ones(shape);
    let text = |result: darray::Result<Picked<f64>>| result.expect_err("an error").to_string();
    let line = line!() + 1;
    let error = x.try_slice(s![.., mask(&[2])]).unwrap_err();
    assert_eq!((error.operation(), error.place().line()), ("slice", line));
    let expected =
        "slice: shapes [2, 3] and [2]: expected a mask with the extents of the axes from axis 1 on";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(
        text(x.try_slice(mask(&[2, 3, 1])))
            .starts_with("slice: 3 indices for 2 axes (shape [2, 3])")
    );
    assert!(text(x.try_slice(s![[0], 0, 0])).starts_with("slice: 3 indices for 2 axes"));
    let found = text(x.try_slice(s![[0, 1], [0, 1, 2]]));
    assert!(
        found.starts_with("slice: shapes [2] and [3]: expected arrays of indices that broadcast"),
        "{found}"
    );
    let found = text(x.try_slice(s![3, [0]]));
    assert!(
        found.starts_with("slice: index 3 is out of range for axis 0 of extent 2 (shape [2, 3])"),
        "{found}"
    );
    assert!(text(x.try_slice(s![..., [0], ...])).contains("at most one `...`"));
    let found = text(x.try_slice(s![DArray::<i64>::zeros([1; 8])]));
    assert!(found.starts_with("slice: 9 axes, at most 8"), "{found}");
    let other = Runtime::builder().build().unwrap();
    let foreign = other.scope(|| DArray::<i64>::zeros(1));
    assert!(matches!(x.try_slice(&foreign).unwrap_err().kind(), ErrorKind::Runtime { .. }));
    // Lists become arrays of the runtime of what is sliced.
    assert_eq!(foreign.slice([0, 0]).to_vec(), [0, 0]);
    let floats = DynArray::from(DArray::<f64>::ones(1));
    let error = x.as_dyn().slice(&floats).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "slice: element types f64: expected indices of an integer type, or a mask"
        ),
        "{error}"
    );
    // When it is read.
    let error = x.slice(s![[true, true], [0, 1, 2]]).try_array().unwrap_err().to_string();
    assert!(error.starts_with("slice: shapes [2] and [3] do not broadcast"), "{error}");
    let error = DArray::<f64>::ones((2, 0)).slice(s![.., [0]]).try_array().unwrap_err().to_string();
    assert!(error.starts_with("slice: indices into axis 1 of extent 0"), "{error}");
    // When it is written.
    let error = x.slice([[0, 1]]).try_assign(DArray::<f64>::ones((3, 1))).unwrap_err().to_string();
    assert!(error.starts_with("assign: shapes [1, 2, 3] and [3, 1] do not broadcast"), "{error}");
    let rows = DArray::<f64>::ones(3).broadcast_to((2, 3));
    for result in [rows.slice([0, 1]).try_assign(1.0), rows.slice(mask(&[2])).try_assign(1.0)] {
        assert!(matches!(result.unwrap_err().kind(), ErrorKind::Overlap { .. }));
    }
    let error = x.cast::<u8>().slice([0]).try_assign(300).unwrap_err().to_string();
    assert!(error.starts_with("assign: the integer 300"), "{error}");
    let whole = x.cast::<i64>();
    let error = whole.as_dyn().slice(s![[0]]).unwrap().update(Binary::Add, 0.5).unwrap_err();
    assert!(error.to_string().starts_with("add: "), "{error}");
}

/// An index that is only known at run time.
#[test]
fn untyped_indices() {
    let x = DynArray::from(grid());
    let ints = |array: DynArray| DArray::<i64>::try_from(array).unwrap().to_vec();
    let items: Vec<Pick> =
        vec![darray::Ix::from(1..).into(), Pick::from(vec![true, false, false, true])];
    assert_eq!(ints(x.slice(&items[..]).unwrap().array().unwrap()), [4, 7, 8, 11]);
    x.slice(items).unwrap().assign(Argument::from(0)).unwrap();
    // Without arrays it is what the items say.
    let row = vec![Pick::from(darray::Ix::At(0))];
    x.slice(row.clone()).unwrap().update(Binary::Mul, 2).unwrap();
    assert_eq!(ints(x.slice(row).unwrap().array().unwrap()), [0, 2, 4, 6]);
    assert_eq!(ints(x), [0, 2, 4, 6, 0, 5, 6, 0, 0, 9, 10, 0]);
}
