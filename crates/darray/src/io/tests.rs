//! Writing that fails: at every byte, for every writer.

use super::saved::each_piece;
use super::{Origin, archive, save};
use crate::{Archive, Complex, DArray, DynArray, s};
use darray_core::{Place, Result};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zip::CompressionMethod;

/// A folder of a test, which is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("darray-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file on a disk that has room for so many bytes more.
struct Full<'r> {
    file: File,
    room: &'r Cell<u64>,
}

impl Write for Full<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.room.get() as usize);
        if count < bytes.len() && count == 0 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.room.set(self.room.get() - count as u64);
        self.file.write(&bytes[..count])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Full<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn a_write_that_fails_at_any_byte_leaves_the_file_that_was_there() {
    let folder = Folder::new("full");
    let path = folder.0.join("x");
    let (x, z) =
        (DArray::<f64>::arange(5), DArray::<Complex<f32>>::full(3, Complex::new(1.0, -1.0)));
    let members: [(&str, &DynArray); 2] = [("x", x.as_dyn()), ("z", z.as_dyn())];
    let origin = Origin { name: "save", path: &path, place: Place::caller() };
    type Writer<'w> = &'w dyn Fn(&Cell<u64>) -> Result<()>;
    let writers: [Writer<'_>; 4] = [
        &|room| save(x.as_dyn(), origin, |file| Full { file, room }),
        &|room| save(z.as_dyn(), origin, |file| Full { file, room }),
        &|room| {
            let method = CompressionMethod::Stored;
            archive::save(origin, &members, method, |file| Full { file, room })
        },
        &|room| {
            let method = CompressionMethod::Deflated;
            archive::save(origin, &members, method, |file| Full { file, room })
        },
    ];
    for (number, write) in writers.into_iter().enumerate() {
        let room = Cell::new(1 << 20);
        write(&room).unwrap();
        let (whole, needed) = (fs::read(&path).unwrap(), (1 << 20) - room.get());
        assert!(needed >= whole.len() as u64 && whole.len() > 60, "writer {number}");
        for has_been in [true, false] {
            for bytes in 0..needed {
                match has_been {
                    true => fs::write(&path, "what was there").unwrap(),
                    false => assert_eq!(folder.names().len(), 0),
                }
                let error = write(&Cell::new(bytes)).expect_err("there was no room").to_string();
                assert!(error.contains("save: ") && error.contains("no storage space"), "{error}");
                if has_been {
                    assert_eq!(fs::read(&path).unwrap(), b"what was there", "{number}, {bytes}");
                    assert_eq!(folder.names(), ["x"], "{number}, {bytes}");
                    fs::remove_file(&path).unwrap();
                }
            }
        }
        write(&Cell::new(needed)).unwrap();
        assert!(fs::read(&path).unwrap() == whole && folder.names() == ["x"], "writer {number}");
        fs::remove_file(&path).unwrap();
    }
}

/// A write between two pieces, as of another thread, makes a version of its own.
#[test]
fn what_is_saved_are_the_elements_of_one_moment() {
    let (x, zeros) = (DArray::<f64>::ones(400_000), DArray::<f64>::zeros(400_000));
    let z = DArray::from_parts(zeros, x.clone());
    let origin = Origin { name: "save", path: Path::new("x"), place: Place::caller() };
    let saved = [(x.as_dyn(), x.alias()), (z.as_dyn(), z.imag())];
    for (number, (saved, mut x)) in saved.into_iter().enumerate() {
        let (mut pieces, mut sum, before) = (0, 0.0, x.sum(..).item());
        let mut add = |bytes: &[u8]| {
            let elements = bytes.chunks_exact(8).map(|b| f64::from_ne_bytes(b.try_into().unwrap()));
            sum += elements.sum::<f64>();
            pieces += 1;
            x += 1.0;
            Ok(())
        };
        each_piece(saved, origin, &mut add).unwrap();
        assert!(pieces > 2 && sum == before, "{number}: {sum} in {pieces} pieces, not {before}");
    }
}

#[test]
fn what_lies_in_another_order_is_read_whole() {
    let x = DArray::<f64>::zeros((300, 1000));
    let origin = Origin { name: "save", path: Path::new("x"), place: Place::caller() };
    for (view, is_whole) in [
        (x.alias(), false),
        (x.t(), true),
        (x.slice(s![..;-1, 1..]), false),
        (x.reshape((5, -1, 3)), false),
        (x.reshape((500, 600)).t(), true),
    ] {
        let (mut pieces, mut bytes) = (0, 0);
        let mut count = |piece: &[u8]| {
            (pieces, bytes) = (pieces + 1, bytes + piece.len());
            Ok(())
        };
        each_piece(view.as_dyn(), origin, &mut count).unwrap();
        assert_eq!((pieces == 1, bytes), (is_whole, 8 * view.len()), "{:?}", view.shape());
    }
}

/// One that holds the old file open goes on reading it.
#[test]
fn an_open_archive_is_not_changed_by_a_new_one() {
    let folder = Folder::new("open");
    let path = folder.0.join("x.npz");
    let (x, y) = (DArray::<f64>::ones(1000), DArray::<f64>::zeros(1000));
    Archive::save(&path, &[("x", x.as_dyn())]).unwrap();
    let mut old = Archive::open(&path).unwrap();
    Archive::save(&path, &[("x", y.as_dyn())]).unwrap();
    assert_eq!(old.get_as::<f64>("x").unwrap().sum(..).item(), 1000.0);
    assert_eq!(Archive::open(&path).unwrap().get_as::<f64>("x").unwrap().sum(..).item(), 0.0);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn links_and_permissions_stay() {
        let folder = Folder::new("links");
        let [file, link, second] = ["file", "link", "second"].map(|name| folder.0.join(name));
        symlink("file", &link).unwrap();
        symlink(&link, &second).unwrap();
        let x = DArray::<f64>::ones(3);
        // There is no file behind the links yet.
        x.save(&second).unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        (&x * 2.0).save(&second).unwrap();
        assert_eq!(DArray::<f64>::load(&file).unwrap().to_vec(), [2.0; 3]);
        assert_eq!(mode(&file), 0o640);
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("file"));
        assert_eq!(folder.names().len(), 3);
        symlink("round", folder.0.join("round")).unwrap();
        let error = x.save(folder.0.join("round")).unwrap_err().to_string();
        assert!(error.contains("symbolic links"), "{error}");
    }

    #[test]
    fn what_is_no_file_is_written_to_or_refused() {
        let folder = Folder::new("devices");
        let x = DArray::<f64>::ones(3);
        x.save("/dev/null").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let error = x.save(&folder.0).unwrap_err().to_string();
        assert!(error.contains("Is a directory"), "{error}");
        assert!(x.save("").is_err() && x.save("/").is_err());
        let none = x.save(folder.0.join("none/x.npy")).unwrap_err().to_string();
        assert!(none.contains("No such file"), "{none}");
        assert_eq!(folder.names().len(), 0);
        if fs::metadata("/dev/full").is_ok() {
            let error = x.save("/dev/full").unwrap_err().to_string();
            assert!(error.contains("No space left"), "{error}");
        }
        let file = folder.0.join("read-only");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o444)).unwrap();
        // The superuser may write all.
        if File::options().write(true).open(&file).is_err() {
            assert!(x.save(&file).unwrap_err().to_string().contains("ermission denied"));
            assert_eq!(fs::read(&file).unwrap(), b"old");
        }
    }
}
