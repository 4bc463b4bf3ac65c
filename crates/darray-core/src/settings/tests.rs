//! What the environment says, and what it must not.

use super::*;

fn read(variables: &[(&str, &str)]) -> (Result<Settings, SettingError>, Vec<String>) {
    Settings::read(variables.iter().map(|(n, v)| (n.to_string(), v.to_string())))
}

#[test]
fn every_setting_is_read() {
    let (settings, warnings) = read(&[
        ("DARRAY_CPU_JIT", "off"),
        ("DARRAY_CPU_LEVEL", "avx2"),
        ("DARRAY_CUBLAS", "/opt/cublas"),
        ("DARRAY_CUDA_DRIVER", "/d/libcuda.so.1"),
        ("DARRAY_CUDA_LAUNCH", "graphs"),
        ("DARRAY_CUDA_MATH", "libdevice"),
        ("DARRAY_CUDA_PRODUCTS", "cublas"),
        ("DARRAY_DEVICES", "cpu:4"),
        ("DARRAY_GROUPING", "prefix"),
        ("DARRAY_KERNEL_CACHE", "/k"),
        ("DARRAY_MEMORY_LIMIT", "3G"),
        ("DARRAY_MODE", "task"),
        ("DARRAY_NVRTC", "/n"),
        ("DARRAY_SYNC", "1"),
        ("DARRAY_THREADS", "2"),
        ("DARRAY_WINDOW", "17"),
        ("PATH", "anything"),
    ]);
    let expected = Settings {
        cpu_devices: 4,
        threads: Some(2),
        window: Some(17),
        mode: Mode::Task,
        grouping: Grouping::Prefix,
        memory_limit: Some(3 << 30),
        cuda_devices: vec![],
        cpu_level: Some(CpuLevel::Avx2),
        cpu_jit: CpuJit::Off,
        sync: true,
        cuda_launch: CudaLaunch::Graphs,
        cuda_driver: Some("/d/libcuda.so.1".into()),
        cuda_math: CudaMath::Libdevice,
        cuda_products: CudaProducts::Cublas,
        cublas: Some("/opt/cublas".into()),
        nvrtc: Some("/n".into()),
        kernel_cache: Some("/k".into()),
    };
    assert_eq!((settings, warnings), (Ok(expected), vec![]));
    assert_eq!(read(&[]).0, Ok(Settings::default()));
}

#[test]
fn gpus_are_listed_and_may_repeat() {
    let gpus = |text| {
        let settings = read(&[("DARRAY_DEVICES", text)]).0.unwrap();
        (settings.cpu_devices, settings.cuda_devices)
    };
    assert_eq!(gpus("cuda:3"), (1, vec![3]));
    assert_eq!(gpus("cuda:0,cuda:1, cuda:0"), (3, vec![0, 1, 0]));
    assert_eq!(gpus("cpu:2"), (2, vec![]));
}

#[test]
fn kernels_are_kept_among_the_users_caches() {
    let folder = |variables: &[(&str, &str)]| read(variables).0.unwrap().kernel_cache;
    assert_eq!(folder(&[]), None);
    assert_eq!(folder(&[("HOME", "/h")]), Some("/h/.cache/darray".into()));
    let both = [("HOME", "/h"), ("XDG_CACHE_HOME", "/c")];
    assert_eq!(folder(&both), Some("/c/darray".into()));
    assert_eq!(folder(&[("HOME", "/h"), ("DARRAY_KERNEL_CACHE", "none")]), None);
}

#[test]
fn unknown_names_give_the_nearest_known_one() {
    let (settings, warnings) = read(&[("DARRAY_WINDOWS", "3"), ("DARRAY_SOMETHING_ELSE", "")]);
    assert_eq!(settings, Ok(Settings::default()));
    let near = "no setting is called DARRAY_WINDOWS; did you mean DARRAY_WINDOW?";
    assert_eq!(warnings, ["no setting is called DARRAY_SOMETHING_ELSE", near]);
}

#[test]
fn only_near_names_are_suggested() {
    for (name, meant) in [
        ("DARRAY_FOO", None),
        ("DARRAY_LOG", None),
        ("DARRAY_", None),
        ("DARRAY_NODE", Some("DARRAY_MODE")),
        ("DARRAY_MODES", Some("DARRAY_MODE")),
        ("DARRAY_DEVICE", Some("DARRAY_DEVICES")),
        ("DARRAY_MEMORYLIMIT", Some("DARRAY_MEMORY_LIMIT")),
        ("DARRAY_MEM_LIMIT", Some("DARRAY_MEMORY_LIMIT")),
    ] {
        let warnings = read(&[(name, "1")]).1;
        let expected = match meant {
            Some(meant) => format!("no setting is called {name}; did you mean {meant}?"),
            None => format!("no setting is called {name}"),
        };
        assert_eq!(warnings, [expected]);
    }
}

#[test]
fn bad_values_name_the_setting_and_what_it_takes() {
    for (name, value) in [
        ("DARRAY_CPU_LEVEL", "sse"),
        ("DARRAY_CUDA_LAUNCH", "graph"),
        ("DARRAY_DEVICES", "cpu:0"),
        ("DARRAY_DEVICES", "gpu"),
        ("DARRAY_DEVICES", "cuda"),
        ("DARRAY_DEVICES", "cuda:0,cpu"),
        ("DARRAY_NVRTC", ""),
        ("DARRAY_MEMORY_LIMIT", "4X"),
        ("DARRAY_MODE", "fast"),
        ("DARRAY_SYNC", "yes"),
        ("DARRAY_THREADS", "0"),
        ("DARRAY_WINDOW", "-1"),
    ] {
        let error = read(&[(name, value)]).0.unwrap_err();
        assert_eq!((error.name, &error.value[..]), (name, value));
    }
    assert_eq!(
        read(&[("DARRAY_MODE", "fast")]).0.unwrap_err().to_string(),
        "DARRAY_MODE=\"fast\": accepted: fused, task, unfused"
    );
}

/// `BLESS=1 cargo test -p darray-core` writes the page.
#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page());
}
