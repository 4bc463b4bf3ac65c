//! Arrays of more than 2³¹ elements, and operations over more than 2³² points, in every mode and on several devices.

use darray::{DArray, Mode, Runtime, s};

/// Elements, not a multiple of any lane.
const COUNT: usize = (1 << 31) + 1_003;
/// Rows and columns of more than 2³² points.
const SIDE: usize = 65_537;

/// Runtimes with fused and with unfused operations, and one of three devices.
fn runtimes() -> impl Iterator<Item = Runtime> {
    [(Mode::Fused, 1), (Mode::Unfused, 1), (Mode::Fused, 3)].into_iter().map(|(mode, devices)| {
        Runtime::builder().mode(mode).cpu_devices(devices).build().expect("a runtime")
    })
}

#[test]
#[cfg_attr(not(feature = "long"), ignore = "takes minutes and 6 GiB")]
fn elements_beyond_2_31_are_read_written_folded_and_searched() {
    for rt in runtimes() {
        rt.scope(|| {
            let mut x = DArray::<u8>::zeros(COUNT);
            x.set([COUNT - 2], 7);
            x.slice(s![-700..-690]).assign(3);
            x.set([5], 2);
            assert_eq!((x.get([COUNT - 2]), x.get([COUNT - 700]), x.get([COUNT - 1])), (7, 3, 0));
            assert_eq!(x.sum(..).item(), 7 + 30 + 2);
            assert_eq!(x.max(..).item(), 7);
            assert_eq!(x.argmax(..).item(), (COUNT - 2) as i64);
            assert_eq!(x.count_nonzero(..).item(), 12);
            assert_eq!(x.flatnonzero().sum(..).item(), {
                let run: usize = (COUNT - 700..COUNT - 690).sum();
                (run + COUNT - 2 + 5) as i64
            });
            x += 1;
            assert_eq!(x.sum(..).item(), (COUNT + 39) as u64);
            assert_eq!(x.slice(s![-701..;-1]).at(0).item(), 1);
            assert_eq!(x.slice(s![..;-1]).argmax(..).item(), 1);
            let rows = x.slice(s![..COUNT - 1_003]).reshape((2, 1 << 30));
            assert_eq!(rows.sum(1).to_vec(), [(1 << 30) + 2, 1 << 30]);
        });
    }
}

#[test]
#[cfg_attr(not(feature = "long"), ignore = "takes minutes and 18 GiB")]
fn scans_go_beyond_2_31_elements() {
    let rt = Runtime::builder().build().expect("a runtime");
    rt.scope(|| {
        let x = DArray::<u8>::zeros(COUNT);
        x.set([5], 2);
        x.set([COUNT - 2], 7);
        let greatest = x.cummax(0);
        let at = [4, 5, COUNT - 3, COUNT - 2, COUNT - 1].map(|index| greatest.get([index]));
        assert_eq!(at, [0, 2, 2, 7, 7]);
    });
}

#[test]
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
fn domains_beyond_2_32_points_are_broadcast_and_folded() {
    for devices in [1, 3] {
        let rt = Runtime::builder().cpu_devices(devices).build().expect("a runtime");
        rt.scope(|| {
            let x = DArray::<i32>::arange(SIDE);
            let each = SIDE as i64;
            // Each has a name before it is read, so that what it is made of is not.
            let column = x.slice(s![.., None]);
            let below = x.lt(&column).sum(..);
            assert_eq!(below.item(), each * (each - 1) / 2);
            let least = (&column - &x).argmin(..);
            assert_eq!(least.item(), each - 1);
            // The only one of its value, behind 2^32 others.
            let far = (&column + &x).argmax(..);
            assert_eq!(far.item(), each * each - 1);
        });
        // What is folded is never stored.
        assert!(rt.stats().bytes_peak < 1 << 30, "{}", rt.stats().bytes_peak);
    }
}

#[test]
#[cfg_attr(not(feature = "long"), ignore = "takes minutes and 6 GiB")]
fn masks_beyond_2_32_elements_are_stored_and_folded() {
    let rt = Runtime::builder().build().expect("a runtime");
    rt.scope(|| {
        let x = DArray::<i32>::arange(SIDE);
        let below = x.lt(x.slice(s![.., None]));
        below.set([SIDE - 1, SIDE - 1], true);
        assert!(below.get([SIDE - 1, SIDE - 1]) && !below.get([SIDE - 2, SIDE - 2]));
        let each = SIDE as i64;
        assert_eq!(below.sum(..).item(), each * (each - 1) / 2 + 1);
        assert_eq!(below.sum(1).at(-1).item(), each);
        assert_eq!(below.sum(0).at(0).item(), each - 1);
    });
}
