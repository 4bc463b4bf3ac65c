//! Products of matrices by cuBLAS, which the fake driver plays: it sums from the last term to the first. Or by cuBLAS itself, on
//! the GPUs of the driver that the settings name.

use darray::{CudaLaunch, CudaProducts, DArray, Runtime, RuntimeBuilder, default_rng};
use darray_core::settings::Settings;
use darray_cuda::Cublas;
use darray_device::ProductStats;
use darray_suite::{Cuda, Fake, cuda_or_skip, message, quietly};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// A folder with a file that is called as cuBLAS is.
fn cublas(fake: &Fake) -> PathBuf {
    let folder = Path::new(FOLDER).join("cublas");
    std::fs::create_dir_all(&folder).expect("a folder");
    // Other tests have it, too: it is there at any time.
    let own = folder.join(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
    let _ = std::fs::remove_file(&own);
    std::os::unix::fs::symlink(fake.path(), &own).expect("a link");
    std::fs::rename(own, folder.join("libcublas.so.13")).expect("the link in its place");
    folder
}

/// Devices, and where their cuBLAS is.
fn devices(cuda: &Cuda, gpus: &[usize]) -> RuntimeBuilder {
    let builder = cuda.devices(Runtime::builder(), gpus);
    let own = Settings::global().expect("settings").cublas.clone();
    match cuda.fake().map(cublas).or(own) {
        Some(folder) => builder.cublas(folder),
        None => builder,
    }
}

/// Devices whose products are cuBLAS's.
fn builder(cuda: &Cuda, gpus: &[usize]) -> RuntimeBuilder {
    devices(cuda, gpus).cuda_products(CudaProducts::Cublas)
}

/// CUDA devices with cuBLAS; without, the test says that it is skipped.
fn cublas_or_skip() -> Option<Cuda> {
    let cuda = cuda_or_skip(FOLDER)?;
    let folder = Settings::global().expect("settings").cublas.clone();
    match cuda.fake().is_none().then(|| Cublas::find(folder.as_deref(), None)) {
        Some(Err(error)) => {
            darray_fakecuda::skipped(error);
            None
        }
        _ => Some(cuda),
    }
}

/// Products of every layout that cuBLAS takes, some with a column, which fuse instead, and one of integers,
/// which it does not take.
fn products() -> Vec<Vec<f64>> {
    let draw = |seed, shape: &[usize]| default_rng(seed).uniform(-1.0, 1.0, shape);
    let (a, b) = (draw(1, &[9, 7]), draw(2, &[7, 5]));
    let (c, d) = (draw(3, &[5, 7]), draw(4, &[9, 9]));
    let column = draw(5, &[7, 1]);
    let (single, stack) = (a.cast::<f32>(), draw(6, &[3, 9, 7]));
    vec![
        a.matmul(&b).to_vec(),
        a.matmul(&c.t()).to_vec(),
        d.t().matmul(&a).to_vec(),
        a.matmul(&column).to_vec(),
        d.t().matmul(&a.matmul(&column)).to_vec(),
        single.matmul(&b.cast::<f32>()).cast::<f64>().to_vec(),
        stack.matmul(&draw(7, &[3, 7, 2])).to_vec(),
        stack.matmul(&b).to_vec(),
        // Integers are not cuBLAS's.
        (&a * 100.0).cast::<i64>().matmul(&(&b * 100.0).cast::<i64>()).cast::<f64>().to_vec(),
    ]
}

#[test]
fn cublas_makes_the_products_that_it_takes_and_all_are_counted() {
    let Some(cuda) = cublas_or_skip() else { return };
    let cpu = Runtime::builder().build().expect("a CPU runtime");
    let expected = cpu.scope(products);
    assert_eq!(cpu.stats().products, ProductStats::default());
    for (seed, gpus) in [&[0][..], &[0], &[0, 1], &[0, 0, 1]].into_iter().enumerate() {
        cuda.start(&format!("devices=2 races=on sched=random:{seed}"));
        let runtime = builder(&cuda, gpus).build().expect("a runtime");
        let found = runtime.scope(products);
        let mut others = 0;
        for (found, expected) in found.iter().zip(&expected) {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
                others += u64::from(found.to_bits() != expected.to_bits());
            }
        }
        // It was another order that summed; NVIDIA's own is not said.
        assert!(others > 0 || cuda.fake().is_none());
        let stats = runtime.stats().products;
        // The integers, in as many parts as there are tiles of rows.
        assert!((1..=gpus.len() as u64).contains(&stats.refused), "{stats:?}");
        assert!(stats.library > 0, "{stats:?}");
        if let Some(fake) = cuda.fake() {
            let by = |name: &str| fake.count(&format!("cublas{name}"));
            // Products with a column are kernels of their own, fused with what is around them.
            let calls = [by("DgemmStridedBatched"), by("SgemmStridedBatched")];
            assert_eq!(stats.library, calls.iter().sum::<u64>());
            assert!(calls.iter().all(|&calls| calls > 0), "{calls:?}");
        }
        runtime.reset_stats();
        assert_eq!(runtime.stats().products, ProductStats::default());
        drop(runtime);
        if let Some(fake) = cuda.fake() {
            assert_eq!(fake.count("products"), 0, "handles are given back");
        }
        assert_eq!(cuda.look_behind(), Ok(()));
    }
}

#[test]
fn without_being_asked_nothing_is_cublass() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    cuda.start("devices=1");
    let runtime = devices(&cuda, &[0]).build().expect("a runtime");
    let cpu = Runtime::builder().build().expect("a CPU runtime");
    assert_eq!(runtime.scope(products), cpu.scope(products));
    assert_eq!(runtime.stats().products, ProductStats::default());
    assert_eq!(cuda.fake().map_or(0, |fake| fake.count("cublasCreate_v2")), 0);
}

#[test]
fn a_failing_call_of_cublas_is_an_error_with_a_place() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    let Some(fake) = cuda.fake_or_skip() else { return };
    fake.start("devices=1 quiet=on");
    let runtime = builder(&cuda, &[0]).build().expect("a runtime");
    let product = || {
        let a = DArray::<f64>::ones([6, 6]);
        let found = panic::catch_unwind(AssertUnwindSafe(|| a.matmul(&a).to_vec()));
        found.map_err(|panic| message(&*panic))
    };
    let before = fake.count("calls");
    assert_eq!(runtime.scope(product), Ok(vec![6.0; 36]));
    let calls = fake.count("calls") - before;
    let mut failures = Vec::new();
    quietly(|| {
        for step in 1..=calls {
            fake.set(&format!("fail={}", fake.count("calls") + step)).expect("a setting");
            failures.extend(runtime.scope(product).err());
        }
    });
    fake.set("fail=0").expect("a setting");
    for name in ["cublasSetStream_v2", "cublasDgemmStridedBatched"] {
        let named = failures.iter().find(|text| text.contains(name));
        let named = named.unwrap_or_else(|| panic!("{name} is not among {failures:?}"));
        assert!(named.contains("matmul") && named.contains("products.rs"), "{named}");
    }
    assert_eq!(runtime.scope(product), Ok(vec![6.0; 36]));
}

#[test]
fn what_cannot_be_is_said_when_devices_are_made() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    let Some(fake) = cuda.fake_or_skip() else { return };
    fake.start("devices=1");
    let graphs = builder(&cuda, &[0]).cuda_launch(CudaLaunch::Graphs).build();
    let text = graphs.expect_err("both").to_string();
    assert!(text.contains("cuBLAS") && text.contains("graphs"), "{text}");
    let absent = builder(&cuda, &[0]).cublas("/nowhere").build().expect_err("no file").to_string();
    for part in ["cuBLAS is not there", "/nowhere/libcublas.so*", "DARRAY_CUBLAS"] {
        assert!(absent.contains(part), "{absent}");
    }
}
