//! Texts, as NumPy prints the same arrays.

use crate::devices::everywhere;
use darray::{DArray, DynArray, Element, PrintOptions, RealType, Scalar, bf16, f16, s};

/// The array of a golden case.
fn array(dtype: RealType, shape: &[usize], source: &str) -> DynArray {
    let size: usize = shape.iter().product();
    let scalars: Vec<Scalar> = match source {
        "arange" => (0..size as i64).map(|i| Scalar::from(i).cast(dtype)).collect(),
        _ => source.split_whitespace().map(|w| Scalar::parse(dtype, w).unwrap()).collect(),
    };
    let bytes = scalars.iter().flat_map(|s| s.bits().to_ne_bytes()[..dtype.size()].to_vec());
    DynArray::from_bytes(shape, dtype.into(), bytes.collect()).unwrap()
}

fn text<T: Element>(array: DynArray) -> String {
    DArray::<T>::try_from(array).unwrap().to_string()
}

/// Of a golden case, what is printed and what NumPy prints.
fn printed(head: &str) -> String {
    let mut words = head.splitn(3, ' ');
    let dtype = RealType::from_name(words.next().unwrap()).unwrap();
    let extents = words.next().unwrap().split(',');
    let shape: Vec<usize> = extents.filter_map(|n| n.parse().ok()).collect();
    let array = array(dtype, &shape, words.next().unwrap_or(""));
    match dtype {
        RealType::Bool => text::<bool>(array),
        RealType::I8 => text::<i8>(array),
        RealType::U8 => text::<u8>(array),
        RealType::I16 => text::<i16>(array),
        RealType::U16 => text::<u16>(array),
        RealType::I32 => text::<i32>(array),
        RealType::U32 => text::<u32>(array),
        RealType::I64 => text::<i64>(array),
        RealType::U64 => text::<u64>(array),
        RealType::F16 => text::<f16>(array),
        RealType::BF16 => text::<bf16>(array),
        RealType::F32 => text::<f32>(array),
        RealType::F64 => text::<f64>(array),
    }
}

/// The cases of a file: a line, and what NumPy prints.
fn cases(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.split("\n----\n").filter_map(|case| case.split_once('\n'))
}

#[test]
fn arrays_print_as_numpys() {
    everywhere(|_| {
        let mut seen = 0;
        for (head, expected) in cases(include_str!("../numpy/display.txt")) {
            assert_eq!(printed(head), expected, "{head}");
            seen += 1;
        }
        assert!(seen > 70, "{seen} cases");
    });
}

#[test]
fn options_print_as_numpys() {
    let mut seen = 0;
    for (head, expected) in cases(include_str!("../numpy/display_options.txt")) {
        let (options, head) = head.split_once(' ').unwrap();
        let options: Vec<usize> = options.split(',').map(|n| n.parse().unwrap()).collect();
        let [precision, suppress, threshold, edge_items, line_width] = options[..] else {
            panic!()
        };
        let options = PrintOptions::new().precision(precision).suppress(suppress == 1);
        let options = options.threshold(threshold).edge_items(edge_items).line_width(line_width);
        assert_eq!(options.scope(|| printed(head)), expected, "{options:?} {head}");
        seen += 1;
    }
    assert!(seen > 90, "{seen} cases");
}

#[test]
fn options_end_with_their_scope() {
    let x = DArray::from([0.125]);
    let options = PrintOptions::new();
    options.precision(1).scope(|| {
        assert_eq!(options.precision(2).scope(|| x.to_string()), "[0.12]");
        assert_eq!(x.to_string(), "[0.1]");
    });
    let panicked = std::panic::catch_unwind(|| options.precision(1).scope(|| panic!("on purpose")));
    assert!(panicked.is_err());
    assert_eq!(x.to_string(), "[0.125]");
}

#[test]
fn precision_is_numpys_option() {
    // With numpy.printoptions(precision=..).
    let x = DArray::from_vec(vec![1.0, 2.5, 3.24159]);
    assert_eq!(format!("{x:.2}"), "[1.   2.5  3.24]");
    assert_eq!(format!("{x:.0}"), "[1. 2. 3.]");
    assert_eq!(format!("{x:>40.1}"), "[1.  2.5 3.2]");
    assert_eq!(format!("{:.2}", DArray::from_vec(vec![1e-10, 1.0])), "[1.e-10 1.e+00]");
    let x = DArray::from_vec(vec![1.0 / 3.0, -1000.125]);
    assert_eq!(format!("{x:.2}"), "[ 3.33e-01 -1.00e+03]");
    assert_eq!(format!("{:.2}", DArray::from_vec(vec![2.675f32, 1.005])), "[2.67 1.  ]");
    assert_eq!(format!("{:.2}", DArray::from_vec(vec![1i64, 20])), "[ 1 20]");
}

#[test]
fn an_array_without_axes_is_printed_as_a_number() {
    fn one<T: Element>(value: T) -> DArray<T> {
        DArray::from_shape_vec((), vec![value])
    }
    assert_eq!(
        format!("{:.2}|{:8.3}|{:<7.1}|", one(3.24159), one(-0.5f32), one(2.25)),
        "3.24|  -0.500|2.2    |"
    );
    assert_eq!(
        format!("{:6}|{:*^7}|{:06}|{:+}", one(1.5), one(-1.5), one(-2.5), one(4i64)),
        "   1.5|*-1.5**|-002.5|+4"
    );
    assert_eq!(
        format!("{:>6}|{:<6}|{:.1}", one(true), one(7u8), one(f64::NAN)),
        "  True|7     |nan"
    );
    assert_eq!(format!("{}", one(1e20)), "1e+20");
}

#[test]
fn debug_shows_type_shape_and_elements() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(3) / 3.0;
        assert_eq!(format!("{:.2?}", x), "DArray<f64>[3] [0.   0.33 0.67]");
        assert_eq!(format!("{:?}", x.sum(..)), "DArray<f64>[] 1.0");
        let x = DArray::<i64>::arange(6).reshape((2, 3));
        assert_eq!(format!("{x:?}"), "DArray<i64>[2, 3]\n[[0 1 2]\n [3 4 5]]");
        assert_eq!(format!("{:?}", x.slice(s![..0])), "DArray<i64>[0, 3] []");
        assert_eq!(format!("{:?}", x.slice(s![0]).as_dyn()), "DynArray<i64>[3] [0 1 2]");
        let large = DArray::<i64>::arange(2000);
        assert_eq!(format!("{large:#?}"), format!("DArray<i64>[2000] {large}"));
    });
}

#[test]
fn of_a_large_array_only_what_is_printed_is_fetched() {
    everywhere(|runtime| {
        let size = 8;
        for (shape, printed) in [(&[100_000][..], 6), (&[300, 200], 36), (&[40, 5, 60], 6 * 5 * 6)]
        {
            let x = DArray::<f64>::ones(shape);
            let grid = x.t();
            runtime.sync();
            runtime.reset_stats();
            let text = grid.to_string();
            assert!(text.contains("..."));
            assert_eq!(runtime.stats().bytes_read, printed * size, "{shape:?}");
            assert_eq!(runtime.stats().tasks, 0);
            assert_eq!(grid.as_dyn().to_string(), text);
        }
    });
}
