//! Images on disk.
//!
//! ```text
//! magic and version | bytes of identity | bytes of image | identity | image | checksum of all before
//!         8                  8                  8                                  8
//! ```
//!
//! A file is written under a name of its own and then renamed, so a reader sees all of it or nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Changes with the layout above.
const MAGIC: &[u8; 8] = b"darrayK1";
const HEAD: usize = 24;

/// A folder of images.
pub(super) struct Cache {
    folder: PathBuf,
}

/// What a folder has for an identity.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// An entry that is not what was written.
    Damaged,
    /// This image.
    Image(Vec<u8>),
}

impl Cache {
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// The image that was written for this identity.
    pub fn read(&self, identity: &[u8]) -> Found {
        match fs::read(self.path(identity)) {
            Ok(bytes) => parse(&bytes, identity),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Found::Nothing,
            Err(_) => Found::Damaged,
        }
    }

    /// Keeps an image.
    pub fn write(&self, identity: &[u8], image: &[u8]) -> io::Result<()> {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let mut bytes = Vec::with_capacity(HEAD + identity.len() + image.len() + 8);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(identity.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(image.len() as u64).to_le_bytes());
        bytes.extend_from_slice(identity);
        bytes.extend_from_slice(image);
        bytes.extend_from_slice(&hash(&bytes, 0).to_le_bytes());
        fs::create_dir_all(&self.folder)?;
        let path = self.path(identity);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let fresh = path.with_extension(format!("{}-{number}", std::process::id()));
        let result = fs::write(&fresh, &bytes).and_then(|()| fs::rename(&fresh, &path));
        if result.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        result
    }

    fn path(&self, identity: &[u8]) -> PathBuf {
        self.folder.join(format!("{:016x}{:016x}.kernel", hash(identity, 0), hash(identity, 1)))
    }
}

fn parse(bytes: &[u8], identity: &[u8]) -> Found {
    match split(bytes) {
        None => Found::Damaged,
        Some((own, image)) if own == identity => Found::Image(image.to_vec()),
        // Another identity of the same hash.
        Some(_) => Found::Nothing,
    }
}

/// The identity and the image of an entry; none if it is not what was written.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (content, sum) = bytes.split_last_chunk::<8>()?;
    let whole = content.len() >= HEAD
        && &content[..8] == MAGIC
        && u64::from_le_bytes(*sum) == hash(content, 0);
    if !whole {
        return None;
    }
    let length = |at: usize| {
        u64::from_le_bytes(content[at..at + 8].try_into().expect("eight bytes")) as usize
    };
    let body = &content[HEAD..];
    if length(8).checked_add(length(16)) != Some(body.len()) {
        return None;
    }
    Some(body.split_at(length(8)))
}

/// The CUDA C texts of the images in a folder, in no order: what was compiled into it so far.
///
/// # Errors
/// The folder cannot be read, or an entry is damaged.
///
/// ```no_run
/// for text in darray_cuda::cached_texts("/tmp/kernels".as_ref())? {
///     println!("{text}");
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn cached_texts(folder: &Path) -> io::Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let bytes = fs::read(entry?.path())?;
        let identity = split(&bytes).map(|(identity, _)| String::from_utf8_lossy(identity));
        // Two lines of NVRTC's version and options, then the text.
        match identity.as_ref().and_then(|identity| identity.splitn(3, '\n').nth(2)) {
            Some(text) => texts.push(text.to_string()),
            None => return Err(io::Error::new(io::ErrorKind::InvalidData, "a damaged entry")),
        }
    }
    Ok(texts)
}

/// FNV-1a of 64 bits, from one of two starts.
fn hash(bytes: &[u8], start: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325u64 ^ start.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bytes.iter().fold(start, |hash, &byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder of this test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let name = format!("darray-cache-{}-{name}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&folder);
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn files(folder: &Folder) -> Vec<PathBuf> {
        fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_is_written_is_read_by_its_identity_alone() {
        let folder = Folder::new("identity");
        let cache = Cache::new(folder.0.clone());
        assert_eq!(cache.read(b"a"), Found::Nothing);
        cache.write(b"a", b"image of a").unwrap();
        cache.write(b"b", b"").unwrap();
        assert_eq!(cache.read(b"a"), Found::Image(b"image of a".to_vec()));
        assert_eq!(cache.read(b"b"), Found::Image(vec![]));
        assert_eq!(cache.read(b"c"), Found::Nothing);
        cache.write(b"a", b"another").unwrap();
        assert_eq!(cache.read(b"a"), Found::Image(b"another".to_vec()));
        assert_eq!(files(&folder).len(), 2, "nothing but entries is left");
        // An entry under the name of another identity, as with equal hashes.
        fs::copy(cache.path(b"a"), cache.path(b"c")).unwrap();
        assert_eq!(cache.read(b"c"), Found::Nothing);
    }

    #[test]
    fn every_damaged_byte_and_every_cut_is_seen() {
        let folder = Folder::new("damage");
        let cache = Cache::new(folder.0.clone());
        cache.write(b"kernel", b"some image").unwrap();
        let path = cache.path(b"kernel");
        let good = fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            fs::write(&path, &bad).unwrap();
            assert_eq!(cache.read(b"kernel"), Found::Damaged, "byte {at}");
            fs::write(&path, &good[..at]).unwrap();
            assert_eq!(cache.read(b"kernel"), Found::Damaged, "cut at {at}");
        }
        fs::write(&path, &good).unwrap();
        assert_eq!(cache.read(b"kernel"), Found::Image(b"some image".to_vec()));
    }

    #[test]
    fn writers_and_readers_at_once_see_whole_entries() {
        let folder = Folder::new("threads");
        let cache = Cache::new(folder.0.clone());
        let image = |n: u8| vec![n; 10_000 + n as usize];
        cache.write(b"k", &image(0)).unwrap();
        std::thread::scope(|scope| {
            for n in 1..4 {
                let cache = &cache;
                scope.spawn(move || (0..50).for_each(|_| cache.write(b"k", &image(n)).unwrap()));
            }
            for _ in 0..200 {
                match cache.read(b"k") {
                    Found::Image(bytes) => assert_eq!(bytes, image(bytes[0])),
                    other => panic!("{other:?}"),
                }
            }
        });
        assert_eq!(files(&folder).len(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_of_writing_only() {
        let folder = Folder::new("file");
        fs::write(&folder.0, b"a file").unwrap();
        let cache = Cache::new(folder.0.join("below"));
        assert!(cache.write(b"k", b"image").is_err());
        assert!(!matches!(cache.read(b"k"), Found::Image(_)));
        fs::remove_file(&folder.0).unwrap();
    }
}
