//! Tables in text files.

use crate::devices::everywhere;
use darray::{Complex, DArray, DType, TextFormat, np};
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("darray-texts-{}-{name}.txt", std::process::id()))
}

/// What is read of a text.
fn read<T: darray::Element>(
    format: &TextFormat,
    name: &str,
    text: &str,
) -> darray::Result<DArray<T>> {
    let path = path(name);
    std::fs::write(&path, text).unwrap();
    let array = format.load(&path);
    std::fs::remove_file(path).unwrap();
    array
}

#[test]
fn texts_are_numpys() {
    let file = path("numpy");
    let written = |format: &TextFormat, x: &darray::DynArray| {
        format.save(&file, x).unwrap();
        std::fs::read_to_string(&file).unwrap()
    };
    everywhere(|_| {
        let x = DArray::from([[1.5, -0.25], [1e300, f64::NAN], [f64::INFINITY, f64::NEG_INFINITY]]);
        let numpy = "1.500000000000000000e+00 -2.500000000000000000e-01\n1.000000000000000053e+300 nan\ninf -inf\n";
        assert_eq!(written(&TextFormat::new(), x.as_dyn()), numpy);
        let again = np::loadtxt::<f64>(&file).unwrap();
        assert_eq!(format!("{again:?}"), format!("{x:?}"));
        let z = DArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(-0.5, -1e-3)]);
        let format = TextFormat::new().scientific(3);
        assert_eq!(
            written(&format, z.as_dyn()),
            "(1.000e+00+2.000e+00j)\n(-5.000e-01-1.000e-03j)\n"
        );
        assert_eq!(format.load::<Complex<f64>>(&file).unwrap().to_vec(), z.to_vec());
        let format = TextFormat::new().fixed(3).delimiter(',').header("a\nb").footer("z");
        let row = DArray::from([[1.5f32, -0.25]]);
        assert_eq!(written(&format, row.as_dyn()), "# a\n# b\n1.500,-0.250\n# z\n");
        assert_eq!(written(&TextFormat::new(), row.t().gt(0.0).as_dyn()), "1\n0\n");
        assert_eq!(
            written(&TextFormat::new(), DArray::from([u64::MAX]).as_dyn()),
            "18446744073709551615\n"
        );
    });
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn every_element_type_is_read_as_it_was_written() {
    let file = path("types");
    for dtype in DType::ALL {
        let x = DArray::from([[0.0, 1.0], [1.0, 0.0]]).as_dyn().cast(dtype).unwrap();
        TextFormat::new().save(&file, &x).unwrap();
        let again = TextFormat::new().load_as(&file, dtype).unwrap();
        assert_eq!((again.dtype(), again.shape()), (dtype, &[2, 2][..]));
        assert_eq!(again.to_string(), x.to_string());
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn options_choose_lines_and_columns() {
    let text = "name;a;b\n\n1; 2 ;3 % three\n% nothing\n4;5;6\n7;8;9";
    let format = TextFormat::new().delimiter(';').comments("%").skiprows(1);
    let all = read::<i32>(&format, "all", text).unwrap();
    assert_eq!((all.shape(), all.to_vec()), (&[3, 3][..], (1..10).collect()));
    let some = read::<f32>(&format.clone().usecols([-1, 0]).max_rows(2), "some", text).unwrap();
    assert_eq!((some.shape(), some.to_vec()), (&[2, 2][..], vec![3.0, 1.0, 6.0, 4.0]));
    let column = read::<u8>(&format.clone().usecols([1]), "column", text).unwrap();
    assert_eq!((column.shape(), column.to_vec()), (&[3][..], vec![2, 5, 8]));
    assert_eq!(read::<f64>(&format.max_rows(1), "row", text).unwrap().shape(), [3]);
    assert_eq!(read::<f64>(&TextFormat::new(), "none", "# nothing\n").unwrap().shape(), [0]);
    assert_eq!(read::<f64>(&TextFormat::new(), "one", "7\r\n").unwrap().item(), 7.0);
}

#[test]
fn what_is_wrong_has_a_line_and_a_column() {
    let text = |format: &TextFormat, text: &str| {
        read::<i8>(format, "wrong", text).unwrap_err().to_string()
    };
    let csv = TextFormat::new().delimiter(',');
    for (found, expected) in [
        (text(&csv, "1,2\n3, x4\n"), "line 2, column 4: `x4` is no number of type i8"),
        (text(&csv, "1,2\n\n300,1\n"), "line 3, column 1: `300` is no number of type i8"),
        (text(&csv, "1,\n"), "line 1, column 3: `` is no number of type i8"),
        (text(&csv, "1,2\n3\n"), "line 2: 1 fields, 2 before"),
        (text(&csv.clone().usecols([5]), "1,2\n"), "line 1: there is no column 5 among 2"),
    ] {
        assert!(found.contains(expected), "{found}");
        assert!(found.starts_with("loadtxt: ") && found.contains("texts.rs"), "{found}");
    }
    let missing = np::loadtxt::<f64>("/nowhere/at/all.txt").unwrap_err().to_string();
    assert!(missing.contains("all.txt"), "{missing}");
    let cube = DArray::<f64>::ones((2, 2, 2));
    let error = cube.savetxt(path("cube")).unwrap_err().to_string();
    assert!(error.contains("3 axes, at most two are written"), "{error}");
}
