//! An archive whose second array could not be computed took the place of the one that was there, without that array, and
//! could be read. (The tests beside the code let writing fail at every byte.)

use darray::{Archive, DArray, Runtime, np};
use darray_testkit::faulty_cpus;

#[test]
fn the_file_that_was_there_stays() {
    let folder =
        std::env::temp_dir().join(format!("darray-save-that-fails-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let faulty = faulty_cpus(2);
    let runtime = Runtime::builder().devices(faulty.devices()).build().expect("a runtime");
    runtime.scope(|| {
        let x = DArray::<f64>::ones((2, 2));
        faulty.fail("matmul", "the pivot is zero");
        let failed = x.dot(&x);
        let z = DArray::from_parts(x.clone(), failed.clone());
        let path = folder.join("x.npz");
        for number in 0..6 {
            std::fs::write(&path, "what was there").unwrap();
            let result = match number {
                0 => np::savez(&path, &[("x", x.as_dyn()), ("y", failed.as_dyn())]),
                1 => np::savez_compressed(&path, &[("x", x.as_dyn()), ("y", failed.as_dyn())]),
                2 => Archive::save(&path, &[("z", &z)]),
                3 => np::save(&path, &failed),
                4 => z.save(&path),
                _ => failed.as_dyn().save(&path),
            };
            let error = result.unwrap_err().to_string();
            assert!(error.starts_with("dot: the pivot is zero"), "writer {number}: {error}");
            assert_eq!(std::fs::read(&path).unwrap(), b"what was there", "writer {number}");
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "writer {number}");
        }
    });
    std::fs::remove_dir_all(folder).unwrap();
}
