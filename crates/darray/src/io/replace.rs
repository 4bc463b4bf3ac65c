//! Files that are written whole or not at all: beside the one that was there, whose place they take in the end.

use super::Origin;
use darray_core::Result;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Has a file written at the path of `origin`. If that fails, the file that was there is as it was, and nothing is beside
/// it. See docs/decisions/0048-files-are-replaced.md.
pub fn replace<W: Write + Seek>(
    origin: Origin<'_>,
    through: impl FnOnce(File) -> W,
    write: impl FnOnce(&mut Sink<W>) -> Result<()>,
) -> Result<()> {
    let failed = |error: io::Error| origin.failed(error);
    let (file, beside) = create(origin.path).map_err(failed)?;
    let mut sink = Sink::new(through(file));
    write(&mut sink)?;
    sink.flush().map_err(failed)?;
    if sink.has_failed {
        return Err(origin.failed("it was not written whole"));
    }
    drop(sink);
    beside.map_or(Ok(()), Beside::take_place).map_err(failed)
}

/// A file to be written for this path, and where it is if it is not there.
fn create(path: &Path) -> io::Result<(File, Option<Beside>)> {
    let target = followed(path)?;
    let permissions = match fs::metadata(&target) {
        // A pipe or a terminal has no contents to lose, and a folder says that it is one.
        Ok(found) if !found.is_file() => return Ok((File::create(target)?, None)),
        // What must not be written must not be replaced.
        Ok(found) => {
            OpenOptions::new().write(true).open(&target)?;
            Some(found.permissions())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (file, beside) = Beside::create(target)?;
    permissions.map_or(Ok(()), |found: Permissions| file.set_permissions(found))?;
    Ok((file, Some(beside)))
}

/// The path behind symbolic links; there need not be a file.
fn followed(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(link) => path = folder(&path).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// A file beside another, removed unless it takes the other's place.
struct Beside {
    path: PathBuf,
    target: PathBuf,
    stays: bool,
}

impl Beside {
    fn create(target: PathBuf) -> io::Result<(File, Beside)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".darray-{}-{number}.part", std::process::id());
            let path = folder(&target).join(name);
            match File::create_new(&path) {
                Ok(file) => return Ok((file, Beside { path, target, stays: false })),
                // Of a process with the same number that was ended.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn take_place(mut self) -> io::Result<()> {
        fs::rename(&self.path, &self.target)?;
        self.stays = true;
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.stays {
            // There is nothing else that could be done.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What a file is written through. After a failure, which was returned, it takes everything at its end and writes nothing: a
/// writer of archives that is dropped then finishes what is half done, and must neither fail again nor find itself before
/// what it has written.
pub struct Sink<W: Write> {
    file: BufWriter<W>,
    /// Where the next byte would be written, and how many there would be.
    at: u64,
    length: u64,
    has_failed: bool,
}

impl<W: Write> Sink<W> {
    fn new(file: W) -> Sink<W> {
        Sink { file: BufWriter::new(file), at: 0, length: 0, has_failed: false }
    }

    fn note<R>(&mut self, done: io::Result<R>) -> io::Result<R> {
        self.has_failed |= done.as_ref().is_err_and(|e| e.kind() != io::ErrorKind::Interrupted);
        done
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_failed {
            return Ok(bytes.len());
        }
        let written = self.file.write(bytes);
        let written = self.note(written)?;
        self.at += written as u64;
        self.length = self.length.max(self.at);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Ok(());
        }
        let flushed = self.file.flush();
        self.note(flushed)
    }
}

impl<W: Write + Seek> Seek for Sink<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.has_failed {
            return Ok(self.length);
        }
        let found = self.file.seek(to);
        self.at = self.note(found)?;
        Ok(self.at)
    }
}
