//! Every kernel written by hand has a twin on the CPU and a test of the two; so has every builtin. And
//! transposes, whose twin is the CPU's copy.

use crate::support::{COMPUTE, download, machine_or_skip, rect, upload};
use darray_core::RealType;
use darray_cpu::{CpuDevices, CpuOptions};
use darray_device::{Command, Device};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of `kernels/`.
struct Kernels {
    file: &'static str,
    /// The builtins that it carries out; none for copies.
    builtins: &'static [&'static str],
    /// Its twin, in crates/darray-cpu/src.
    twin: &'static str,
    /// A test beside this one that compares the results of the two: file and function.
    test: (&'static str, &'static str),
}

const KERNELS: [Kernels; 12] = [
    Kernels {
        file: "compact.cu",
        builtins: &["compact"],
        twin: "builtin/compact.rs",
        test: ("indexing.rs", "compactions_equal_the_cpus"),
    },
    Kernels {
        file: "copy.cu",
        builtins: &[],
        twin: "rectangle.rs",
        test: ("twins.rs", "copies_equal_the_cpus_and_are_transposed_where_it_pays"),
    },
    Kernels {
        file: "gather.cu",
        builtins: &["gather"],
        twin: "builtin/gather.rs",
        test: ("indexing.rs", "gathers_equal_the_cpus"),
    },
    Kernels {
        file: "matmul.cu",
        builtins: &["matmul"],
        twin: "builtin/matmul.rs",
        test: ("builtins.rs", "products_equal_the_cpus"),
    },
    Kernels {
        file: "merge.cu",
        builtins: &["merge"],
        twin: "builtin/sort.rs",
        test: ("indexing.rs", "merges_equal_the_cpus"),
    },
    Kernels {
        file: "reduce_finish.cu",
        builtins: &["reduce_finish"],
        twin: "builtin/reduce_finish.rs",
        test: ("builtins.rs", "finish_steps_of_every_reducer_and_type_equal_the_cpus"),
    },
    Kernels {
        file: "scan.cu",
        builtins: &["scan"],
        twin: "builtin/scan.rs",
        test: ("builtins.rs", "scans_in_every_part_equal_the_cpus"),
    },
    Kernels {
        file: "scatter.cu",
        builtins: &["scatter"],
        twin: "builtin/scatter.rs",
        test: ("indexing.rs", "scatters_equal_the_cpus"),
    },
    Kernels {
        file: "scatter_add.cu",
        builtins: &["scatter"],
        twin: "builtin/scatter.rs",
        test: ("indexing.rs", "scatters_equal_the_cpus"),
    },
    Kernels {
        file: "search.cu",
        builtins: &["search"],
        twin: "builtin/sort/search.rs",
        test: ("indexing.rs", "searches_equal_the_cpus"),
    },
    Kernels {
        file: "sort.cu",
        builtins: &["sort"],
        twin: "builtin/sort.rs",
        test: ("indexing.rs", "sorts_equal_the_cpus"),
    },
    Kernels {
        file: "transpose.cu",
        builtins: &[],
        twin: "rectangle.rs",
        test: ("twins.rs", "copies_equal_the_cpus_and_are_transposed_where_it_pays"),
    },
];

/// Files of the CPU's builtins that are parts of others.
const PARTS: [&str; 3] = ["gemm.rs", "mod.rs", "walk.rs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder with this ending.
fn files(folder: &str, ending: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    names.flatten().filter(|name| name.ends_with(ending)).collect()
}

/// The builtins that darray-device declares: type and name.
fn builtins() -> Vec<(String, String)> {
    let folder = "crates/darray-device/src/builtin";
    let mut texts = vec![text("crates/darray-device/src/builtin.rs")];
    texts.extend(files(folder, ".rs").iter().map(|file| text(&format!("{folder}/{file}"))));
    let mut found = Vec::new();
    for text in texts {
        let mut implemented = String::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("impl ").and_then(|l| l.strip_suffix(" {")) {
                implemented = name.to_string();
            }
            let name = line.trim().strip_prefix("pub const NAME: &'static str = \"");
            if let Some(name) = name.and_then(|name| name.strip_suffix("\";")) {
                found.push((implemented.clone(), name.to_string()));
            }
        }
    }
    found
}

#[test]
fn every_kernel_has_a_twin_and_a_test() {
    let table: BTreeSet<String> = KERNELS.iter().map(|k| k.file.to_string()).collect();
    assert_eq!(files("crates/darray-cuda/kernels", ".cu"), table, "kernels and the table");
    let declared: BTreeSet<String> = builtins().into_iter().map(|(_, name)| name).collect();
    let carried: BTreeSet<String> =
        KERNELS.iter().flat_map(|k| k.builtins).map(|name| name.to_string()).collect();
    assert_eq!(declared, carried, "builtins and the table");
    for Kernels { file, twin, test, .. } in &KERNELS {
        assert!(root().join("crates/darray-cpu/src").join(twin).is_file(), "{file}: no {twin}");
        let (place, function) = test;
        let text = text(&format!("crates/darray-cuda/tests/devices/{place}"));
        let declared = format!("#[test]\nfn {function}()");
        assert!(text.contains(&declared), "{file}: no test {function} in {place}");
    }
}

#[test]
fn every_builtin_of_the_cpu_is_in_the_table_and_on_every_device() {
    let twins: BTreeSet<&str> =
        KERNELS.iter().filter_map(|k| k.twin.strip_prefix("builtin/")).collect();
    for file in files("crates/darray-cpu/src/builtin", ".rs") {
        assert!(twins.contains(&file[..]) || PARTS.contains(&&file[..]), "{file} has no kernel");
    }
    let devices = [
        "crates/darray-cpu/src/builtin/mod.rs",
        "crates/darray-cuda/src/device/builtin/mod.rs",
        "tests/crates/darray-testdevices/src/reference/builtin.rs",
    ];
    for device in devices {
        let text = text(device);
        for (name, _) in builtins() {
            // A match, or a row of the table of calls.
            let forms = [format!("{name}::NAME =>"), format!("    {name} => ")];
            assert!(forms.iter().any(|form| text.contains(form)), "{device}: no {name}");
        }
    }
}

/// Texts that kernels share are compiled with those that need them, which tests do.
#[test]
fn every_shared_text_is_used() {
    let users = [
        "crates/darray-codegen/src/cuda/emit",
        "crates/darray-codegen/src/cuda/language",
        "crates/darray-cuda/src/device/builtin",
        "crates/darray-cuda/src/device/work",
    ];
    let texts: Vec<String> = users
        .iter()
        .flat_map(|folder| files(folder, ".rs").into_iter().map(move |f| format!("{folder}/{f}")))
        .map(|path| text(&path))
        .collect();
    let folders = ["crates/darray-codegen/kernels", "crates/darray-cuda/kernels"];
    let shared: BTreeSet<String> =
        folders.iter().flat_map(|folder| files(folder, ".cuh")).collect();
    assert!(shared.len() >= 5, "{shared:?}");
    for file in shared {
        let used = texts.iter().any(|text| text.contains(&format!("kernels/{file}\")")));
        assert!(used, "{file} is used nowhere");
    }
}

#[test]
fn copies_equal_the_cpus_and_are_transposed_where_it_pays() {
    // Extents; strides of what is copied; whether neighbours differ in the row-major target.
    let cases: [(&[usize], &[i64], bool); 8] = [
        (&[33, 65], &[1, 33], true),
        (&[8, 8], &[1, 8], true),
        (&[100, 31], &[-1, 100], true),
        (&[9, 3, 40], &[1, 360, 9], true),
        (&[3, 37, 2, 33], &[1221, 1, 3663, 37], true),
        (&[7, 65], &[1, 7], false),
        (&[33, 65], &[65, 1], false),
        (&[33, 32], &[64, 2], false),
    ];
    for seed in 0..3 {
        let schedule = format!("devices=1 sched=random:{seed}");
        let Some(machine) = machine_or_skip(&schedule) else { return };
        let cuda = machine.devices(&[0]).remove(0);
        let cpu = CpuDevices::new(1, CpuOptions::default()).remove(0);
        for dtype in [RealType::U8, RealType::F32, RealType::I64] {
            let kernel = format!("kernel:transpose_{}", dtype.size());
            for (extents, strides, turned) in cases {
                let what = format!("{dtype} {extents:?} {strides:?}");
                let before = machine.fake.as_ref().map(|fake| fake.count(&kernel));
                let found = [&cpu, &cuda].map(|device| copies(device, dtype, extents, strides));
                assert!(found[0] == found[1], "{what}");
                if let (Some(fake), Some(before)) = (&machine.fake, before) {
                    // Copied from there to rows and back, uploaded there, downloaded from there.
                    let launches = fake.count(&kernel) - before;
                    assert_eq!(launches, if turned { 4 } else { 0 }, "{what}");
                }
            }
        }
    }
}

/// The bytes after copies of a rectangle in every way.
fn copies(
    device: &Arc<dyn Device>,
    dtype: RealType,
    extents: &[usize],
    strides: &[i64],
) -> Vec<Vec<u8>> {
    let device = &**device;
    let count: usize = extents.iter().product();
    // Strides may be backwards, and leave gaps.
    let spans = || extents.iter().zip(strides).map(|(&n, &s)| (n as i64 - 1) * s);
    let offset = -spans().filter(|s| *s < 0).sum::<i64>();
    let size = (spans().map(i64::abs).sum::<i64>() + 1) as usize * dtype.size();
    let sample = |n: usize| (0..n).map(|i| (i * 37 + i / 256) as u8).collect::<Vec<u8>>();
    let mut rows = vec![1i64; extents.len()];
    for axis in (1..rows.len()).rev() {
        rows[axis - 1] = rows[axis] * extents[axis] as i64;
    }
    let (source, first) = upload(device, COMPUTE, &sample(size));
    let (target, second) = upload(device, COMPUTE, &vec![0; count * dtype.size()]);
    let (back, third) = upload(device, COMPUTE, &vec![0; size]);
    let there = |block| rect(block, dtype, offset, extents, strides);
    let in_rows = |block| rect(block, dtype, 0, extents, &rows);
    let work = vec![
        Command::Copy { from: there(source), to: in_rows(target) },
        Command::Copy { from: in_rows(target), to: there(back) },
    ];
    let event = device.submit(COMPUTE, &[first, second, third], &work).expect("copies");
    let copied = [target, back].map(|b| {
        download(device, COMPUTE, &[event], crate::support::bytes_of(b, b.bytes as usize))
    });
    let from = Arc::new(sample(count * dtype.size() + 3)[3..].to_vec());
    let work = vec![Command::Upload { from, to: there(back) }];
    let event = device.submit(COMPUTE, &[event], &work).expect("an upload");
    let uploaded = download(device, COMPUTE, &[event], crate::support::bytes_of(back, size));
    let downloaded = download(device, COMPUTE, &[event], there(source));
    for block in [source, target, back] {
        device.release(COMPUTE, block, &[event]);
    }
    let [to_rows, and_back] = copied;
    vec![to_rows, and_back, uploaded, downloaded]
}
