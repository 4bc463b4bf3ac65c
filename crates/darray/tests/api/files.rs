//! Arrays in files: NumPy's, ours, and broken ones.

use crate::devices::everywhere;
use darray::{Archive, Complex, DArray, DType, DynArray, default_rng, s};
use std::path::PathBuf;

/// A file of this test that is removed in the end.
pub struct Temporary(pub PathBuf);

impl Temporary {
    pub fn new(name: &str) -> Temporary {
        let name = format!("darray-test-{}-{name}", std::process::id());
        Temporary(std::env::temp_dir().join(name))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // There is none if the test has failed before it was written.
        let _ = std::fs::remove_file(&self.0);
    }
}

struct Case {
    name: &'static str,
    dtype: &'static str,
    shape: &'static str,
    values: &'static str,
    bytes: Vec<u8>,
}

fn cases() -> Vec<Case> {
    let line = |line: &'static str| {
        let words: Vec<&str> = line.split(';').collect();
        let bytes = hexadecimal(words[4]);
        Case { name: words[0], dtype: words[1], shape: words[2], values: words[3], bytes }
    };
    include_str!("../numpy/files.txt").lines().map(line).collect()
}

fn hexadecimal(text: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
    text.as_bytes().chunks(2).map(|two| digit(two[0]) << 4 | digit(two[1])).collect()
}

/// What a file's values are, as f64.
fn values(array: &DynArray) -> Vec<f64> {
    DArray::<f64>::try_from(array.cast(DType::F64).unwrap()).unwrap().to_vec()
}

fn number(text: &str) -> f64 {
    match text {
        "true" => 1.0,
        "false" => 0.0,
        number => number.parse().unwrap(),
    }
}

#[test]
fn files_of_numpy_are_read() {
    let file = Temporary::new("numpy.npy");
    everywhere(|_| {
        let mut read = 0;
        for case in cases() {
            std::fs::write(&file.0, &case.bytes).unwrap();
            let loaded = DynArray::load(&file.0);
            let Some(dtype) = DType::from_name(case.dtype) else {
                let error = loaded.unwrap_err().to_string();
                let wanted = if case.dtype == "refused" { case.shape } else { "is none of" };
                assert!(error.contains(wanted) && error.contains("numpy.npy"), "{error}");
                continue;
            };
            let array = loaded.unwrap();
            let shape: Vec<usize> =
                case.shape.split_terminator(',').map(|n| n.parse().unwrap()).collect();
            assert_eq!((array.dtype(), array.shape()), (dtype, &shape[..]), "{}", case.name);
            let wanted: Vec<f64> = case.values.split_whitespace().map(number).collect();
            let found = values(&array);
            let same =
                |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(found.iter().zip(&wanted).all(same), "{}: {found:?}", case.name);
            assert_eq!(found.len(), wanted.len());
            read += 1;
        }
        assert!(read >= 25, "{read}");
    });
}

#[test]
fn files_are_written_as_numpy_writes_them() {
    let file = Temporary::new("ours.npy");
    let mut written = 0;
    for case in cases() {
        let plain = DType::from_name(case.dtype).is_some() && case.bytes[6] == 1;
        let plain = plain && !case.name.contains("fortran") && !case.name.contains("other order");
        if !plain || case.name == "more data behind" {
            continue;
        }
        std::fs::write(&file.0, &case.bytes).unwrap();
        let array = DynArray::load(&file.0).unwrap();
        array.save(&file.0).unwrap();
        assert_eq!(std::fs::read(&file.0).unwrap(), case.bytes, "{}", case.name);
        written += 1;
    }
    assert!(written >= 9, "{written}");
}

#[test]
fn views_and_pending_arrays_are_saved_by_their_values() {
    let file = Temporary::new("view.npy");
    everywhere(|_| {
        let grid = DArray::<f64>::arange(12).reshape((3, 4));
        let view = grid.t().slice(s![1..;2, ..;-1]) * 2.0;
        view.save(&file.0).unwrap();
        let back = DArray::<f64>::load(&file.0).unwrap();
        assert_eq!((back.shape(), back.to_vec()), (view.shape(), view.to_vec()));
        grid.t().save(&file.0).unwrap();
        assert_eq!(DArray::<f64>::load(&file.0).unwrap().to_vec(), grid.t().to_vec());
    });
}

#[test]
fn an_array_in_fortran_order_can_be_written_through() {
    let file = Temporary::new("fortran.npy");
    let case = cases().into_iter().find(|case| case.name == "float64 fortran").unwrap();
    std::fs::write(&file.0, &case.bytes).unwrap();
    let x = DArray::<f64>::load(&file.0).unwrap();
    x.slice(s![0, ..]).assign(7.0);
    assert_eq!(x.to_vec(), [7.0, 7.0, 7.0, -3.0, 1000.0, 0.0]);
}

fn contents() -> [(&'static str, DynArray); 3] {
    let (x, mask) = (DArray::<f64>::arange(6), DArray::from_vec(vec![true, false]));
    let n = DArray::<i64>::full((), 7);
    [("x", x.reshape((2, 3)).into()), ("mask", mask.into()), ("n", n.into())]
}

fn assert_contents(archive: &mut Archive) {
    assert_eq!(archive.names(), ["x", "mask", "n"]);
    for (name, wanted) in contents() {
        let found = archive.get(name).unwrap();
        assert_eq!((found.dtype(), found.shape()), (wanted.dtype(), wanted.shape()), "{name}");
        assert_eq!(found.to_bytes().unwrap(), wanted.to_bytes().unwrap(), "{name}");
    }
}

#[test]
fn archives_of_numpy_and_ours_are_read() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/numpy");
    for name in ["numpy.npz", "numpy_compressed.npz", "ours.npz", "ours_compressed.npz"] {
        assert_contents(&mut Archive::open(folder.join(name)).unwrap());
    }
}

#[test]
fn archives_are_written_and_read_back() {
    let file = Temporary::new("ours.npz");
    everywhere(|_| {
        let contents = contents();
        let arrays: Vec<(&str, &DynArray)> = contents.iter().map(|(n, a)| (*n, a)).collect();
        Archive::save_compressed(&file.0, &arrays).unwrap();
        assert_contents(&mut Archive::open(&file.0).unwrap());
        Archive::save(&file.0, &arrays).unwrap();
        assert_contents(&mut Archive::open(&file.0).unwrap());
        // numpy/generate.py reads these bytes with NumPy.
        assert!(std::fs::read(&file.0).unwrap() == include_bytes!("../numpy/ours.npz"));
        let twice = Archive::save(&file.0, &[arrays[0], arrays[0]]).unwrap_err().to_string();
        assert!(twice.starts_with("savez: two arrays of the name 'x'"), "{twice}");
    });
}

#[test]
fn names_of_every_kind_are_read_back_and_nul_is_refused() {
    let file = Temporary::new("names.npz");
    let x = DArray::<f64>::ones(2);
    let names = ["", "a b", "é", "a.npy", "a/b", "../a", "/a", "a\\b", "C:", "a\n", "\u{1f600}"];
    let arrays: Vec<(&str, &DynArray)> = names.iter().map(|&name| (name, x.as_dyn())).collect();
    Archive::save(&file.0, &arrays).unwrap();
    let mut archive = Archive::open(&file.0).unwrap();
    assert_eq!(archive.names(), names);
    for name in names {
        assert_eq!(archive.get(name).unwrap().shape(), [2], "{name}");
    }
    let before = std::fs::read(&file.0).unwrap();
    let long = "x".repeat(65_501);
    let too_long = "the name 'xxxxxxxxxxxxxxxxxxxx...' has 65501 bytes";
    for (name, reason) in [("a\0b", "the name \"a\\0b\" has a NUL"), (&long, too_long)] {
        for error in [
            Archive::save(&file.0, &[("x", x.as_dyn()), (name, x.as_dyn())]),
            Archive::save_compressed(&file.0, &[(name, x.as_dyn())]),
        ] {
            let error = error.unwrap_err().to_string();
            assert!(error.starts_with("savez") && error.contains(reason), "{error}");
            assert!(std::fs::read(&file.0).unwrap() == before);
        }
    }
    Archive::save(&file.0, &[(&long[1..], x.as_dyn())]).unwrap();
    assert_eq!(Archive::open(&file.0).unwrap().get(&long[1..]).unwrap().shape(), [2]);
}

/// Files of several pieces, of all layouts, on one device and on several.
#[test]
fn large_arrays_are_written_and_read_piece_by_piece() {
    let (file, archive) = (Temporary::new("large.npy"), Temporary::new("large.npz"));
    everywhere(|_| {
        let mut random = default_rng(3);
        let x: DArray = random.random((120, 1000));
        let z = DArray::from_parts(x.clone(), random.random((120, 1000)));
        for view in
            [x.alias(), x.t(), x.slice(s![1..;2, ..;-1]), x.reshape((3, -1, 5)), x.reshape(-1)]
        {
            view.save(&file.0).unwrap();
            let back = DArray::<f64>::load(&file.0).unwrap();
            assert_eq!(back.shape(), view.shape());
            assert!(back.to_vec() == view.to_vec(), "{:?}", view.shape());
        }
        for view in [z.clone(), z.t(), z.slice(s![5.., 1..-1])] {
            view.save(&file.0).unwrap();
            Archive::save_compressed(&archive.0, &[("z", &view)]).unwrap();
            let mut archive = Archive::open(&archive.0).unwrap();
            let back = [DArray::<Complex<f64>>::load(&file.0), archive.get_as("z")];
            for back in back.map(Result::unwrap) {
                assert_eq!(back.shape(), view.shape());
                assert!(back.to_vec() == view.to_vec(), "{:?}", view.shape());
            }
        }
        let n: DArray<i32> = DArray::arange(700_000);
        (&n % 3).gt(0).save(&file.0).unwrap();
        assert_eq!(DArray::<bool>::load(&file.0).unwrap().count_nonzero(..).item(), 466_666);
        // The same elements in the other byte order, the first index running fastest.
        let header = "{'descr': '>i4', 'fortran_order': True, 'shape': (700, 1000)}";
        let length = (header.len() as u16).to_le_bytes();
        let mut bytes = [&b"\x93NUMPY\x01\0"[..], &length, header.as_bytes()].concat();
        bytes.extend(n.to_vec().into_iter().flat_map(i32::to_be_bytes));
        std::fs::write(&file.0, bytes).unwrap();
        let back = DArray::<i32>::load(&file.0).unwrap();
        assert!(back.t().to_vec() == n.to_vec() && back.shape() == [700, 1000]);
        let one = DArray::<Complex<f32>>::full((), Complex::new(1.0, -2.0));
        one.save(&file.0).unwrap();
        assert_eq!(DArray::<Complex<f32>>::load(&file.0).unwrap().item(), one.item());
    });
}

#[test]
fn errors_name_path_and_reason() {
    let missing = DynArray::load("no/such/file.npy").unwrap_err().to_string();
    assert!(missing.starts_with("load: no/such/file.npy: No such file"), "{missing}");
    let error = DArray::<f64>::ones(2).save("no/such/file.npy").unwrap_err().to_string();
    assert!(error.starts_with("save: no/such/file.npy: No such file"), "{error}");
    let file = Temporary::new("wrong.npy");
    std::fs::write(&file.0, "PK").unwrap();
    let short = DynArray::load(&file.0).unwrap_err().to_string();
    assert!(short.contains("wrong.npy: byte 2: the file ends within the magic string"), "{short}");
    let archive = Archive::open(&file.0).unwrap_err().to_string();
    assert!(archive.contains("wrong.npy: byte 2: no .npz file: "), "{archive}");
    assert!(DynArray::load(std::env::temp_dir()).is_err());
}

/// Headers that NumPy reads or refuses, and what it reads: literals of Python, names of types, and random changes of both.
#[test]
fn headers_are_read_as_numpy_reads_them() {
    let file = Temporary::new("header.npy");
    let (mut read, mut wrong) = (0, Vec::new());
    for line in include_str!("../numpy/headers.txt").lines() {
        let words: Vec<&str> = line.split(';').collect();
        let (version, header) = (words[0].parse::<u8>().unwrap(), hexadecimal(words[1]));
        let mut bytes = [&b"\x93NUMPY"[..], &[version, 0]].concat();
        match version {
            1 => bytes.extend((header.len() as u16).to_le_bytes()),
            _ => bytes.extend((header.len() as u32).to_le_bytes()),
        }
        bytes.extend(&header);
        let data = match words.get(3) {
            Some(shape) => {
                read += 1;
                let extents = shape.split_terminator(',').map(|n| n.parse::<usize>().unwrap());
                16 * extents.product::<usize>()
            }
            None => 1 << 16,
        };
        bytes.resize(bytes.len() + data, 0);
        std::fs::write(&file.0, &bytes).unwrap();
        fn described(dtype: impl ToString, shape: &[usize]) -> String {
            let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
            format!("{};{}", dtype.to_string(), extents.join(","))
        }
        let found = DynArray::load(&file.0).map(|x| described(x.dtype(), x.shape()));
        let wanted = words[2..].join(";");
        if found.as_ref().map_or("refused", String::as_str) != wanted {
            let header = String::from_utf8_lossy(&header);
            wrong.push(format!("version {version}, {header:?}: {found:?}, NumPy: {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{} headers\n{}", wrong.len(), wrong.join("\n"));
    assert!(read > 150, "{read}");
}

/// Whatever is changed in an archive, nothing panics.
#[test]
fn broken_archives_are_errors() {
    let file = Temporary::new("broken.npz");
    for good in
        [&include_bytes!("../numpy/ours_compressed.npz")[..], include_bytes!("../numpy/numpy.npz")]
    {
        let mut refused = 0;
        let mut read_all = |bytes: &[u8]| {
            std::fs::write(&file.0, bytes).unwrap();
            let Ok(mut archive) = Archive::open(&file.0) else {
                refused += 1;
                return;
            };
            for name in archive.names().to_vec() {
                if let Err(error) = archive.get(&name) {
                    assert!(error.to_string().contains("broken.npz"), "{error}");
                    refused += 1;
                }
            }
        };
        for end in (0..good.len()).step_by(3) {
            read_all(&good[..end]);
        }
        for at in 0..good.len() {
            let mut bytes = good.to_vec();
            bytes[at] ^= 1 << (at % 8);
            read_all(&bytes);
            bytes[at] = !good[at];
            read_all(&bytes);
        }
        assert!(refused > good.len() / 2, "{refused} of {}", good.len());
    }
}
