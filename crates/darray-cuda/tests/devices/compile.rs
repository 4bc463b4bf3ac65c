//! Compilation and its cache. They need NVRTC and no GPU.

use crate::support::nvrtc_or_skip;
use darray_cuda::{CompileStats, Compiler, CudaError, Nvrtc, Target};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const AXPY: &str = "extern \"C\" __global__ void axpy(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("darray-compile-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn cubin_and_ptx_without_contraction() {
    let Some(nvrtc) = nvrtc_or_skip() else { return };
    assert!(nvrtc.version() >= (12, 0) && nvrtc.capabilities().contains(&90));
    let compiler = Compiler::new(nvrtc, None);
    let cubin = compiler.compile(AXPY, Target::Cubin(90)).unwrap();
    assert_eq!(&cubin[..4], b"\x7fELF");
    let ptx = compiler.compile(AXPY, Target::Ptx(80)).unwrap();
    assert_eq!(ptx.last(), Some(&0), "the driver wants the end marked");
    let text = String::from_utf8(ptx.to_vec()).unwrap();
    assert!(text.contains(".target sm_80") && text.contains("axpy"));
    assert!(text.contains("mul.rn.f32") && !text.contains("fma.rn.f32"), "{text}");
}

#[test]
fn own_texts_need_less_of_the_language_and_become_the_same_code() {
    let Some(nvrtc) = nvrtc_or_skip() else { return };
    let leaves_out = nvrtc.version() >= (12, 4);
    let compiler = Compiler::new(nvrtc, None);
    let [own, all] = [Compiler::compile_own, Compiler::compile]
        .map(|compile| compile(&compiler, AXPY, Target::Ptx(80)).unwrap());
    assert!(own == all, "{}", String::from_utf8_lossy(&own));
    let texture = "extern \"C\" __global__ void f(cudaTextureObject_t x) {}";
    compiler.compile(texture, Target::Ptx(80)).unwrap();
    match compiler.compile_own(texture, Target::Ptx(80)) {
        Err(CudaError::Source { log }) => {
            assert!(leaves_out && log.contains("cudaTextureObject_t"))
        }
        other => assert!(!leaves_out && other.is_ok(), "{other:?}"),
    }
    // Options are part of what an image is remembered by.
    assert_eq!(compiler.stats().compiled, 2 + u64::from(leaves_out));
}

#[test]
fn an_error_in_a_text_is_what_the_compiler_says() {
    let Some(nvrtc) = nvrtc_or_skip() else { return };
    let compiler = Compiler::new(nvrtc, None);
    let wrong = "extern \"C\" __global__ void f() { x = 1; }";
    match compiler.compile(wrong, Target::Cubin(90)) {
        Err(CudaError::Source { log }) => assert!(log.contains("\"x\" is undefined"), "{log}"),
        other => panic!("{other:?}"),
    }
    let unknown = compiler.compile(AXPY, Target::Cubin(1)).unwrap_err();
    assert!(unknown.to_string().contains("gpu-architecture"), "{unknown}");
    assert_eq!(compiler.stats(), CompileStats::default());
}

#[test]
fn images_come_from_memory_then_from_disk_and_damaged_ones_are_made_again() {
    let Some(nvrtc) = nvrtc_or_skip() else { return };
    let folder = Folder::new("disk");
    let fresh = |nvrtc| Compiler::new(nvrtc, Some(folder.0.clone()));
    let first = fresh(nvrtc);
    let image = first.compile(AXPY, Target::Cubin(90)).unwrap();
    assert_eq!(first.compile(AXPY, Target::Cubin(90)).unwrap(), image);
    let stats = CompileStats { compiled: 1, from_memory: 1, ..CompileStats::default() };
    assert_eq!(first.stats(), stats);

    // Another process; another target is another image.
    let second = fresh(nvrtc_or_skip().unwrap());
    assert_eq!(second.compile(AXPY, Target::Cubin(90)).unwrap(), image);
    second.compile(AXPY, Target::Cubin(80)).unwrap();
    second.compile(&AXPY.replace("a * x[i] + y[i]", "y[i] + a * x[i]"), Target::Cubin(90)).unwrap();
    let stats = CompileStats { compiled: 2, from_disk: 1, ..CompileStats::default() };
    assert_eq!(second.stats(), stats);

    let entries = || std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().path());
    assert_eq!(entries().count(), 3);
    for path in entries() {
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    let third = fresh(nvrtc_or_skip().unwrap());
    assert_eq!(third.compile(AXPY, Target::Cubin(90)).unwrap(), image);
    let stats = CompileStats { compiled: 1, damaged: 1, ..CompileStats::default() };
    assert_eq!(third.stats(), stats);
    let fourth = fresh(nvrtc_or_skip().unwrap());
    assert_eq!(fourth.compile(AXPY, Target::Cubin(90)).unwrap(), image);
    assert_eq!(fourth.stats().from_disk, 1, "the damaged entry was replaced");
}

/// How the folder of the processes of the next test ends, which are this program and run in it.
const FOLDER: &str = "processes";
/// Texts that each of them compiles.
const TEXTS: usize = 12;

/// Compiles all texts from one on; gives what came of them in their order, and what was counted.
fn compile_all(nvrtc: Nvrtc, folder: PathBuf, first: usize) -> (Vec<u64>, CompileStats) {
    let compiler = Compiler::new(nvrtc, Some(folder));
    let mut images = vec![0; TEXTS];
    for text in (0..TEXTS).map(|k| (k + first) % TEXTS) {
        let source = AXPY.replace("a * x[i]", &format!("{text}.0f * a * x[i]"));
        let image = compiler.compile(&source, Target::Cubin(90)).unwrap();
        images[text] = BuildHasherDefault::<DefaultHasher>::default().hash_one(&image[..]);
    }
    (images, compiler.stats())
}

#[test]
fn processes_share_a_folder_and_one_that_is_killed_leaves_no_damage() {
    let Some(nvrtc) = nvrtc_or_skip() else { return };
    let here = std::env::current_dir().unwrap();
    if here.as_os_str().as_encoded_bytes().ends_with(FOLDER.as_bytes()) {
        let (images, stats) = compile_all(nvrtc, here.join("kernels"), 0);
        println!("{images:?} {}", stats.damaged + stats.unwritten);
        return;
    }
    let folder = Folder::new(FOLDER);
    std::fs::create_dir(&folder.0).unwrap();
    let kernels = folder.0.join("kernels");
    let name = "compile::processes_share_a_folder_and_one_that_is_killed_leaves_no_damage";
    let start = |_| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", name, "--nocapture"]).current_dir(&folder.0);
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let mut processes: Vec<_> = (0..4).map(start).collect();
    // The first is killed when there is a first file, which may be one that is half written.
    while std::fs::read_dir(&kernels).map_or(0, |entries| entries.count()) == 0
        && processes[0].try_wait().unwrap().is_none()
    {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    processes[0].kill().unwrap();
    assert!(!processes.remove(0).wait().unwrap().success(), "it was at work");
    let alone = Folder::new("alone");
    let (expected, stats) = compile_all(nvrtc_or_skip().unwrap(), alone.0.clone(), 5);
    assert_eq!(stats.compiled, TEXTS as u64);
    for process in processes {
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains(&format!("{expected:?} 0\n")), "{text}");
    }
    let (images, stats) = compile_all(nvrtc, kernels, 0);
    assert_eq!(images, expected);
    let from_disk = CompileStats { from_disk: TEXTS as u64, ..CompileStats::default() };
    assert_eq!(stats, from_disk, "the others have written what the killed one did not");
}

#[test]
fn a_folder_that_cannot_be_written_is_counted_and_no_more() {
    let Some(nvrtc) = nvrtc_or_skip() else { return };
    let folder = Folder::new("file");
    std::fs::write(&folder.0, b"a file").unwrap();
    let compiler = Compiler::new(nvrtc, Some(folder.0.clone()));
    compiler.compile(AXPY, Target::Cubin(90)).unwrap();
    assert_eq!(compiler.stats().unwritten, 1);
    std::fs::remove_file(&folder.0).unwrap();
}

#[test]
fn an_absent_library_says_where_it_was_looked_for() {
    let error = Nvrtc::load(Some("/nowhere/at/all".as_ref())).unwrap_err().to_string();
    assert!(
        error.starts_with("NVRTC is not there (tried /nowhere/at/all/libnvrtc.so*)"),
        "{error}"
    );
    assert!(error.contains("DARRAY_NVRTC"), "{error}");
}
