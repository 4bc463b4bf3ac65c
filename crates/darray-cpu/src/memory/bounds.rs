//! How much memory the process may have.

use std::fmt;
use std::path::{Path, PathBuf};

/// What bounds the memory that a process may have, and at how many bytes.
///
/// ```
/// let bound = darray_cpu::MemoryBound::of_process();
/// println!("{} bytes for arrays: {}", bound.bytes, bound.by);
/// assert!(bound.bytes > 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryBound {
    /// The bound, in bytes.
    pub bytes: u64,
    /// What it is of.
    pub by: BoundedBy,
}

/// See [`MemoryBound`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundedBy {
    /// The machine's memory.
    Machine,
    /// A control group of Linux that the process is in, as containers are: the file that says so.
    ControlGroup(PathBuf),
    /// The addresses that the process may have (`ulimit -v`): half of them, as the program has data of its own, and its threads
    /// have stacks.
    Addresses,
}

impl fmt::Display for BoundedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundedBy::Machine => f.write_str("the machine's memory"),
            BoundedBy::ControlGroup(file) => {
                write!(f, "the control group's limit, {}", file.display())
            }
            BoundedBy::Addresses => f.write_str("half of the addresses that `ulimit -v` allows"),
        }
    }
}

impl MemoryBound {
    /// The least bound of this process.
    pub fn of_process() -> MemoryBound {
        let machine = MemoryBound { bytes: machine_memory(), by: BoundedBy::Machine };
        MemoryBound::read(Path::new("/")).into_iter().fold(machine, MemoryBound::least)
    }

    /// The bounds that the files below this folder tell of, as those of Linux lie below `/`: of the control groups, first or second
    /// version, the least of the own one and those around it, which bound it too; and of addresses.
    ///
    /// ```
    /// use darray_cpu::MemoryBound;
    /// let nothing = std::env::temp_dir().join("no such folder");
    /// assert_eq!(MemoryBound::read(&nothing), []);
    /// ```
    pub fn read(root: &Path) -> Vec<MemoryBound> {
        let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let groups = read("proc/self/cgroup");
        let mounts = read("proc/self/mountinfo");
        let mounts = || mounts.lines().filter_map(Mount::parse);
        let mut bounds = Vec::new();
        for line in groups.lines() {
            // hierarchy : controllers : the group's path
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
            let (version, names): (fn(&Mount) -> bool, &[&str]) = match controllers {
                "" => (|mount| mount.kind == "cgroup2", &["memory.max", "memory.high"]),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    let is_it = |mount: &Mount| {
                        mount.kind == "cgroup"
                            && mount.options.split(',').any(|name| name == "memory")
                    };
                    (is_it, &["memory.limit_in_bytes"])
                }
                _ => continue,
            };
            let around = mounts().filter(version).flat_map(|mount| mount.groups(group));
            let files = around.flat_map(|group| names.iter().map(move |name| group.join(name)));
            let bound = |file: PathBuf| {
                let text = read(file.to_str()?.trim_start_matches('/'));
                // Without a bound the second version says `max`.
                let bytes = text.trim().parse().ok()?;
                Some(MemoryBound { bytes, by: BoundedBy::ControlGroup(file) })
            };
            bounds.extend(files.filter_map(bound).reduce(MemoryBound::least));
        }
        let limits = read("proc/self/limits");
        let addresses = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
        let soft = addresses.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        bounds.extend(soft.map(|soft| MemoryBound { bytes: soft / 2, by: BoundedBy::Addresses }));
        bounds
    }

    fn least(self, other: MemoryBound) -> MemoryBound {
        if other.bytes < self.bytes { other } else { self }
    }
}

/// Where a hierarchy of control groups can be read.
struct Mount<'t> {
    /// The group that is at the mount's point.
    root: &'t str,
    point: &'t str,
    kind: &'t str,
    options: &'t str,
}

impl<'t> Mount<'t> {
    /// Of a line: number, parent, device, root, point, options, tags, `-`, kind, source, options.
    fn parse(line: &'t str) -> Option<Mount<'t>> {
        let (first, last) = line.split_once(" - ")?;
        let mut first = first.split(' ').skip(3);
        let mut last = last.split(' ');
        let (root, point, kind) = (first.next()?, first.next()?, last.next()?);
        Some(Mount { root, point, kind, options: last.nth(1).unwrap_or_default() })
    }

    /// The folders of a group and of those around it, as far as they are seen here. A group that lies outside is seen as
    /// the mount's.
    fn groups(&self, group: &str) -> Vec<PathBuf> {
        let point = Path::new(self.point);
        let below = Path::new(group).strip_prefix(self.root).unwrap_or(Path::new(""));
        let below = if below.components().any(|part| part.as_os_str() == "..") {
            "".as_ref()
        } else {
            below
        };
        below.ancestors().map(|group| point.join(group)).collect()
    }
}

/// Bytes of physical memory.
fn machine_memory() -> u64 {
    #[cfg(unix)]
    // SAFETY: no arguments but constants.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    #[cfg(not(unix))]
    let (pages, size) = (-1, -1);
    if pages > 0 && size > 0 { pages as u64 * size as u64 } else { 8 << 30 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A folder with these files, which is removed at the end.
    struct Tree(PathBuf);

    impl Tree {
        fn new(files: &[(&str, &str)]) -> Tree {
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("darray-bounds-{}-{number}", std::process::id());
            let tree = Tree(std::env::temp_dir().join(name));
            for (path, text) in files {
                let path = tree.0.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            tree
        }

        fn groups(&self) -> Vec<(u64, String)> {
            let bounds = MemoryBound::read(&self.0).into_iter();
            bounds.map(|bound| (bound.bytes, bound.by.to_string())).collect()
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const SECOND: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
    const FIRST: &str = "22 27 0:21 / /proc rw - proc proc rw\n\
        30 28 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
        32 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

    fn group(bytes: u64, file: &str) -> (u64, String) {
        (bytes, format!("the control group's limit, {file}"))
    }

    #[test]
    fn the_least_of_nested_groups_holds() {
        let mut files = vec![
            ("proc/self/cgroup", "0::/a/b\n"),
            ("proc/self/mountinfo", SECOND),
            ("sys/fs/cgroup/a/memory.max", "536870912\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/memory.max", "9000000000\n"),
        ];
        let found = Tree::new(&files).groups();
        assert_eq!(found, [group(512 << 20, "/sys/fs/cgroup/a/memory.max")]);
        files[3].1 = "1000\n";
        assert_eq!(Tree::new(&files).groups(), [group(1000, "/sys/fs/cgroup/a/b/memory.max")]);
        files.push(("sys/fs/cgroup/a/memory.high", "900"));
        assert_eq!(Tree::new(&files).groups(), [group(900, "/sys/fs/cgroup/a/memory.high")]);
        files[0].1 = "0::/other\n";
        assert_eq!(Tree::new(&files).groups(), [group(9_000_000_000, "/sys/fs/cgroup/memory.max")]);
    }

    #[test]
    fn groups_of_the_first_version() {
        let mut files = vec![
            ("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/x/y\n1:cpuset:/\n0::/\n"),
            ("proc/self/mountinfo", FIRST),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "700000000\n"),
            ("sys/fs/cgroup/memory/x/y/memory.limit_in_bytes", "900000000\n"),
        ];
        let found = Tree::new(&files).groups();
        assert_eq!(found, [group(700_000_000, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes")]);
        files.truncate(3);
        let most = group(9223372036854771712, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
        assert_eq!(Tree::new(&files).groups(), [most]);
    }

    #[test]
    fn a_container_sees_its_group_as_the_root() {
        for (group_path, root) in
            [("/", "/"), ("/docker/1f", "/docker/1f"), ("/../1f", "/"), ("/k", "/x")]
        {
            let mount = format!("30 23 0:26 {root} /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
            let tree = Tree::new(&[
                ("proc/self/cgroup", &format!("0::{group_path}\n")),
                ("proc/self/mountinfo", &mount),
                ("sys/fs/cgroup/memory.max", "1000"),
            ]);
            assert_eq!(tree.groups(), [group(1000, "/sys/fs/cgroup/memory.max")], "{group_path}");
        }
    }

    #[test]
    fn addresses_bound_memory() {
        let limits = |soft: &str| {
            let text = format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max locked memory         8388608              8388608              bytes     \n\
                 Max address space         {soft:<20} unlimited            bytes     \n"
            );
            Tree::new(&[("proc/self/limits", &text)]).groups()
        };
        let half = "half of the addresses that `ulimit -v` allows".to_string();
        assert_eq!(limits("4096000000"), [(2_048_000_000, half)]);
        assert_eq!(limits("unlimited"), []);
    }

    #[test]
    fn files_that_are_none_of_these_say_nothing() {
        let tree = Tree::new(&[
            ("proc/self/cgroup", "nonsense\n7:memory\n0::\n"),
            ("proc/self/mountinfo", "nonsense\n1 2 - \n30 23 0:26 / /sys rw - cgroup2 cgroup2\n"),
            ("proc/self/limits", "Max address space\nMax address space   -1"),
            ("sys/memory.max", "-5"),
        ]);
        assert_eq!(tree.groups(), []);
        assert!(MemoryBound::of_process().bytes <= machine_memory());
    }
}
