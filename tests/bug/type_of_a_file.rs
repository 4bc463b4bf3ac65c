//! The error of a file with another element type did not say which file.

use darray::{Archive, DArray};

#[test]
fn the_file_is_named() {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("darray-type-of-a-file-{}.npy", std::process::id()));
    DArray::<i64>::arange(3).save(&path).unwrap();
    let error = DArray::<f32>::load(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    let expected =
        format!("load: {}: elements of type i64, expected f32 (at {}", path.display(), file!());
    assert!(error.starts_with(&expected), "{error}");

    let path = path.with_extension("npz");
    Archive::save(&path, &[("x", DArray::<i64>::arange(3).as_dyn())]).unwrap();
    let error = Archive::open(&path).unwrap().get_as::<f32>("x").unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    let member = path.join("x.npy");
    let expected = format!("load: {}: elements of type i64, expected f32", member.display());
    assert!(error.starts_with(&expected), "{error}");
}
