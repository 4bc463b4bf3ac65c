//! The built program: exit codes, texts, and the numbers that NumPy gives for the same programs.

use darray_programs::{Program, Visitor, Workload};
use expect_test::expect_file;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn cli(arguments: &str) -> Output {
    cli_with(&[], arguments)
}

fn cli_with(settings: &[(&str, &str)], arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_darray-cli"));
    command.envs(settings.iter().copied());
    command.args(arguments.split_whitespace()).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn bad_input_gets_usage_and_exit_code_2() {
    for arguments in [
        "",
        "nothing",
        "bench",
        "bench nothing",
        "bench stencil --n many",
        "bench stencil --n 0",
        "bench stencil --n -3",
        "bench stencil --n 18446744073709551615",
        "bench stencil --iters 0",
        "bench stencil --devices 0",
        "bench stencil --devices 65",
        "bench stencil --threads 0",
        "bench stencil --dtype f16",
        "bench stencil --modes fused,fast",
        "bench stencil --modes",
        "bench stencil --unknown",
        "bench stencil --limits --compare",
        "bench stencil --grouping rows",
        "bench stencil --plan --limits",
        "explain",
        "explain stencil --devices none",
        "explain stencil --grouping rows",
        "stats",
        "stats nothing",
        "stats stencil --all",
        "stats --all --n 100",
        "stats stencil --page",
        "stats --all --page --json",
        "explain stencil --n 100000000000",
        "doctor now",
        "dump stencil",
        "dump stencil --stage bytes",
    ] {
        let output = cli(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "`{arguments}`: {message}");
        assert!(message.to_lowercase().contains("usage"), "`{arguments}`: {message}");
        assert!(!message.contains("panicked"), "`{arguments}`: {message}");
        assert!(output.stdout.is_empty(), "`{arguments}`");
    }
}

#[test]
fn numbers_below_one_are_refused_as_such() {
    for arguments in
        ["bench stencil --n -3", "bench stencil --threads 0", "explain cg --devices -1"]
    {
        let message = text(&cli(arguments).stderr);
        assert!(message.contains("must be at least 1"), "`{arguments}`: {message}");
    }
}

#[test]
fn a_reader_that_has_gone_ends_the_program_quietly() {
    for arguments in
        ["doctor", "explain stencil --n 100", "dump stencil --stage kernel --n 100", "--help"]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_darray-cli"));
        command.args(arguments.split_whitespace()).stdout(writer).stderr(Stdio::piped());
        let output = command.spawn().and_then(|child| child.wait_with_output());
        let output = output.expect("the program starts");
        assert_eq!(text(&output.stderr), "", "`{arguments}`");
        assert_eq!(output.status.code(), Some(141), "`{arguments}`");
    }
}

/// Errors and warnings that nobody reads change nothing.
#[test]
fn a_closed_pipe_of_errors_leaves_the_exit_code() {
    for (arguments, code) in
        [("bench nothing", 2), ("explain stencil --n 10000000", 1), ("doctor", 0)]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_darray-cli"));
        // A setting that there is not is warned about.
        command.args(arguments.split_whitespace()).env(concat!("DARRAY_", "NOTHING"), "1");
        let status = command.stdout(Stdio::null()).stderr(writer).status();
        assert_eq!(status.expect("the program starts").code(), Some(code), "`{arguments}`");
    }
}

#[test]
fn a_size_that_no_machine_holds_is_an_error_and_no_panic() {
    for arguments in ["bench black_scholes --n 1000000000000", "explain stencil --n 10000000"] {
        let output = cli(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "`{arguments}`: {message}");
        assert!(
            message.contains("out of memory") && !message.contains("stack backtrace"),
            "`{arguments}`: {message}"
        );
    }
}

#[test]
fn help_is_no_error() {
    for arguments in ["--help", "bench --help", "--version"] {
        assert_eq!(cli(arguments).status.code(), Some(0), "{arguments}");
    }
}

#[test]
fn doctor_finds_a_working_default_path() {
    let output = cli("doctor");
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(report.matches("  ok ").count(), 6, "{report}");
    let bounds = ["the machine's memory", "the control group's limit", "half of the addresses"];
    let line = report.lines().find(|line| line.contains("for arrays")).expect("what bounds arrays");
    assert!(bounds.iter().any(|bound| line.contains(bound)), "{line}");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn every_stage_of_a_window_can_be_dumped() {
    let stages = [
        ("window", "black_scholes", "sqrt"),
        ("plan", "black_scholes", "kernel K0"),
        ("kernel", "black_scholes", "= ln.f64"),
        ("instructions", "black_scholes", "= ln.f64"),
        ("cuda", "black_scholes", "extern \"C\" __global__"),
    ];
    for (stage, program, expected) in stages {
        let output = cli(&format!("dump {program} --stage {stage}"));
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{stage}: {}", text(&output.stderr));
        assert!(shown.contains(expected), "{stage}: {shown}");
    }
    let shown = text(&cli_with(&[("DARRAY_CPU_JIT", "off")], "dump stencil --stage asm").stdout);
    assert!(shown.contains("no machine code"), "{shown}");
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        let settings = [("DARRAY_CPU_JIT", "avx2")];
        let shown = text(&cli_with(&settings, "dump stencil --stage asm").stdout);
        assert!(shown.contains("vaddpd ymm") && !shown.contains("zmm"), "{shown}");
        assert!(shown.contains("; a"), "instructions stand beside their code: {shown}");
    }
}

/// What becomes of whole windows: the kernels that fusion makes, and their CUDA C. `UPDATE_EXPECT=1` writes the files anew.
#[test]
fn the_papers_examples_have_these_kernels_and_texts() {
    for program in ["black_scholes", "stencil", "jacobi", "cg", "logistic_regression"] {
        let output = cli(&format!("dump {program} --stage cuda"));
        assert_eq!(output.status.code(), Some(0), "{program}: {}", text(&output.stderr));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cuda");
        expect_file![folder.join(format!("{program}.txt"))].assert_eq(&text(&output.stdout));
    }
}

/// What there is of CUDA is said, and what is missing, with what was looked for.
#[test]
#[cfg(feature = "cuda")]
fn doctor_names_gpus_and_libraries_that_are_missing() {
    let fake = darray_fakecuda::FakeCuda::load().expect("the fake driver is built");
    let fake = fake.path().display().to_string();
    let settings = [("DARRAY_CUDA_DRIVER", &fake[..]), ("DARRAY_NVRTC", "/nowhere")];
    let output = cli_with(&settings, "doctor");
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{report}");
    for expected in ["GPU(s)", "cuda:0: ", "(tried /nowhere/libnvrtc.so", "libcublas.so"] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    let report = text(&cli_with(&[("DARRAY_CUDA_DRIVER", "/nowhere/libcuda.so")], "doctor").stdout);
    assert!(report.contains("(tried /nowhere/libcuda.so: cannot open"), "{report}");

    // Devices that are asked for and are not there are an error, and no panic.
    let settings = [("DARRAY_CUDA_DRIVER", "/nowhere/libcuda.so"), ("DARRAY_DEVICES", "cuda:0")];
    let output = cli_with(&settings, "bench stencil --n 8");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("(tried /nowhere/libcuda.so: ") && !message.contains("panicked"),
        "{message}"
    );
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_machine_code_that_was_asked_for_is_seen_or_refused() {
    let report = |level| {
        let settings = [("DARRAY_CPU_LEVEL", level), ("DARRAY_CPU_JIT", "avx2")];
        text(&cli_with(&settings, "doctor").stdout)
    };
    let refused = report("baseline");
    assert!(refused.contains("machine code for avx2 on "), "{refused}");
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        let report = report("avx2");
        assert!(report.contains("cpu:0 (avx2, avx2 machine code)"), "{report}");
    }
    let output = cli_with(&[("DARRAY_CPU_JIT", "sse")], "bench stencil --n 8");
    let message = text(&output.stderr);
    assert!(message.contains("DARRAY_CPU_JIT") && message.contains("auto, off, avx2"), "{message}");
}

#[test]
fn variants_are_timed_beside_the_program_with_its_groups_and_kernels() {
    let output = cli("bench stencil --n 30 --iters 20 --variants --modes fused,unfused --json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let rows: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect();
    let names: Vec<_> = rows.iter().map(|row| row["variant"].as_str().unwrap_or("")).collect();
    assert_eq!(names, ["original", "reordered", "one_more", "constants"].repeat(2), "{lines}");
    let number = |row: usize, key: &str| rows[row][key].as_f64().unwrap_or(f64::NAN);
    for row in 0..4 {
        let counts = ["fused_tasks_per_iter", "kernels_per_iter"].map(|key| number(row, key));
        // All of it is small.
        assert_eq!(counts, [1.0, 1.0], "{lines}");
        assert!(number(row, "ratio") > 0.0 && number(row, "rounds") >= 5.0, "{lines}");
    }
    assert_eq!([number(0, "tasks_per_iter"), number(2, "tasks_per_iter")], [6.0, 7.0]);
    let per_task = number(2, "ratio") * 6.0 / 7.0;
    assert!((number(2, "ratio_per_task") - per_task).abs() < 1e-12, "{lines}");

    let output = cli("bench cg --n 10 --iters 3 --variants --modes fused");
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in ["cg fused n=10", "reordered", "one_more", "the operation more costs"] {
        assert!(report.contains(part), "no `{part}` in\n{report}");
    }
}

/// The forms in which a program is written.
struct Forms;

impl Visitor for Forms {
    type Output = usize;

    fn visit<W: Workload>(self, _: W) -> usize {
        W::VARIANTS.len()
    }
}

/// The two programs that are one reduction had their operation more behind it, where it is a kernel of its own.
#[test]
fn the_variants_of_every_program_are_fused_as_the_program() {
    for program in Program::ALL {
        let name = program.name();
        let output = cli(&format!("bench {name} --n 8 --iters 1 --variants --json"));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        let forms = program.visit::<f64, _>(8, Forms);
        assert_eq!(text(&output.stdout).lines().count(), 3 * forms, "{name}: forms in three modes");
    }
}

#[test]
fn explain_shows_tasks_groups_boundaries_and_kernels() {
    let output = cli("explain stencil --devices 4");
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{report}");
    // The sum and the product are one task, the assignment another, and the report says why.
    for part in ["t0:", "F0: t0", "F1", "anti-dependence", "kernel", "tasks, 2 fused tasks"] {
        assert!(report.contains(part), "no `{part}` in\n{report}");
    }
    // It also says what would have to be otherwise, and what that would save.
    let remedy = "one kernel if t0 read only what t5 writes, s1[1 + i0, 1 + i1], and not s1[i0, 1 + i1], or t5 wrote another \
                  array; 65536 bytes less";
    assert!(report.contains(remedy), "{report}");
}

/// The objects that a command prints.
fn objects(arguments: &str) -> Vec<serde_json::Value> {
    let output = cli(arguments);
    assert_eq!(output.status.code(), Some(0), "`{arguments}`: {}", text(&output.stderr));
    let lines = text(&output.stdout);
    lines.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect()
}

#[test]
fn statistics_count_tasks_windows_and_bytes() {
    let found = objects("stats stencil --n 64 --iters 40 --grouping prefix --json");
    let [object] = &found[..] else { panic!("{found:?}") };
    let number = |key: &str| object[key].as_f64().unwrap_or(f64::NAN);
    let counts = ["tasks_per_iter", "fused_tasks_per_iter", "kernels_per_iter"].map(number);
    assert_eq!(counts, [6.0, 2.0, 2.0], "{object}");
    // Five operations that read two arrays or one and write one, and the copy; fused two kernels that read one and write one.
    let array = 8.0 * 64.0 * 64.0;
    let bytes = ["bytes_unfused", "bytes_fused", "bytes_least"].map(number);
    assert_eq!(bytes, [array * 15.0, array * 4.0, array * 2.0], "{object}");
    assert!(number("window") >= 30.0 && number("plans") >= 2.0, "{object}");
    assert!(number("peak") >= 2.0 * array, "{object}");
    for key in ["program", "n", "iters", "dtype", "devices", "grouping"] {
        assert!(!object[key].is_null(), "{key}: {object}");
    }

    // By graph the grid has two buffers, the second one filled once a window: a kernel an iteration that reads one and writes one.
    let found = objects("stats stencil --n 64 --iters 200 --json");
    let number = |key: &str| found[0][key].as_f64().unwrap_or(f64::NAN);
    assert!(number("kernels_per_iter") < 1.5 && number("bytes_fused") < array * 3.0, "{found:?}");

    let output = cli("stats cg --n 20 --devices 2 --grouping prefix");
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in ["2 device(s), grouping prefix", "cg", "least"] {
        assert!(table.contains(part), "no `{part}` in\n{table}");
    }
}

#[test]
fn costs_are_measured_beside_what_plans_go_by() {
    let output = cli("costs");
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let numbers = |row: &str| -> Vec<f64> {
        let line = table.lines().find_map(|line| line.strip_prefix(row));
        let line = line.unwrap_or_else(|| panic!("no `{row}` in\n{table}"));
        line.split_whitespace().map(|number| number.parse().expect("a number")).collect()
    };
    // A clock that other programs disturb may not tell a launch from none.
    for (row, used) in [("a launch, bytes", 50_000.0), ("a further nest, bytes", 20_000.0)] {
        let [measured, found] = numbers(row)[..] else { panic!("two numbers in\n{table}") };
        assert!(found == used && measured < 100.0 * used, "{table}");
    }
}

#[test]
fn gains_are_measured_at_five_sizes_and_no_fused_program_is_larger() {
    // A loop that is slower in one of the modes would be measured again; here the clock says nothing.
    let output = cli("gains stencil --json");
    let lines = text(&output.stdout);
    let found: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect();
    assert_eq!(found.len(), 5, "{lines}{}", text(&output.stderr));
    let sizes: Vec<u64> = found.iter().filter_map(|object| object["n"].as_u64()).collect();
    assert!(sizes.len() == 5 && sizes.is_sorted(), "{sizes:?}");
    for object in &found {
        let number = |key: &str| object[key].as_f64().unwrap_or(f64::NAN);
        assert!(number("ratio") > 0.0 && number("fused_s") > 0.0, "{object}");
        let most = (number("peak_unfused") * 1.05).max(number("peak_unfused") + 1e6);
        assert!(number("peak_fused") <= most && number("peak_unfused") > 0.0, "{object}");
    }
}

#[test]
fn planning_is_timed_where_there_is_a_plan_and_where_there_is_none() {
    let found = objects("bench stencil --n 64 --plan --modes fused,unfused --json");
    assert_eq!(found.len(), 2);
    for object in &found {
        let number = |key: &str| object[key].as_f64().unwrap_or(f64::NAN);
        let parts = number("grouping_s_per_task") + number("composition_s_per_task");
        let miss = number("miss_s_per_task");
        assert!(miss > 0.0 && parts >= 0.99 * miss, "{object}");
        assert!(number("hit_s_per_task") < miss && number("hit_s") > 0.0, "{object}");
        assert!(number("kernels") <= number("tasks"), "{object}");
    }
    let output = cli("bench stencil --n 64 --plan --modes fused --grouping prefix");
    let table = text(&output.stdout);
    assert!(table.contains("grouping prefix") && table.contains("composition"), "{table}");
}

#[test]
fn limits_say_what_is_moved_and_what_part_of_the_bandwidth_that_is() {
    let output = cli("bench black_scholes --n 1000 --modes fused --limits --json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let object: serde_json::Value = serde_json::from_str(&text(&output.stdout)).expect("an object");
    let limits = &object["limits"];
    assert_eq!(limits["bytes_read_per_iter"], 24000.0);
    assert_eq!(limits["bytes_written_per_iter"], 16000.0);
    assert!(limits["of_memory"].as_f64().is_some_and(|part| part > 0.0), "{object}");
}

#[test]
fn systems_that_are_not_there_are_named() {
    let peers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/peers");
    let nobody =
        format!("bench stencil --n 10 --iters 1 --compare --python nobody --peers {peers}");
    let output = cli(&nobody);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in ["darray ", "numpy is absent: nobody", "torch is absent: nobody"] {
        assert!(report.contains(part), "no `{part}` in\n{report}");
    }
    let output = cli("bench stencil --compare --peers nowhere");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nowhere"));
}

type Golden = (&'static str, usize, usize, &'static str, &'static [f64], f64);

/// Program, size, iterations, element type, and the checksum that NumPy gives, with its relative
/// tolerance: sums are in another order there.
const GOLDEN: [Golden; 20] = [
    ("black_scholes", 1000, 5, "f64", &[2755.709316592183, 31844.687871921917], 1e-12),
    ("black_scholes", 1000, 5, "f32", &[2755.7093666140054, 31844.687800606378], 1e-05),
    ("stencil", 16, 10, "f64", &[-26451.886627553282], 1e-13),
    ("stencil", 16, 10, "f32", &[-26451.887318148278], 1e-13),
    ("jacobi", 20, 10, "f64", &[0.3831088166127911], 1e-12),
    ("jacobi", 20, 10, "f32", &[0.3831088211154565], 1e-05),
    ("cg", 12, 5, "f64", &[5.514740261238376], 1e-11),
    ("cg", 12, 5, "f32", &[5.514740697414231], 0.0001),
    ("cg_dense", 12, 5, "f64", &[5.514740261238376], 1e-11),
    ("mandelbrot", 12, 5, "f64", &[492.0], 0.0),
    ("logistic_regression", 12, 5, "f64", &[0.0012178826294430998], 1e-11),
    ("stencil27", 12, 5, "f64", &[32723.507344496687], 1e-13),
    ("heat3d", 12, 5, "f64", &[6390.33203125, 214541.8356359005], 1e-13),
    ("sepia", 12, 5, "f64", &[60788.341], 1e-13),
    ("linear_filter", 12, 5, "f64", &[53995.22222222222], 1e-13),
    ("nbody", 12, 5, "f64", &[11.469905673413844, 0.03203133694222366], 1e-12),
    ("kmeans", 12, 5, "f64", &[17.49685419129746, 11.708080956404139], 1e-12),
    ("julia", 12, 5, "f64", &[448.0], 0.0),
    ("complex_product", 1000, 5, "f64", &[516.5413857708161, 985.8041851532548], 1e-12),
    ("complex_product", 1000, 5, "f32", &[516.5413851579651, 985.8041843399405], 1e-05),
];

#[test]
fn checksums_are_numpys_in_every_mode_on_one_and_four_devices() {
    for (program, n, iters, dtype, expected, tolerance) in GOLDEN {
        for devices in [1, 4] {
            let output = cli(&format!(
                "bench {program} --n {n} --iters {iters} --dtype {dtype} --devices {devices} --json"
            ));
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            let lines = text(&output.stdout);
            let objects: Vec<serde_json::Value> = lines
                .lines()
                .map(|l| serde_json::from_str(l).expect("one object a line"))
                .collect();
            let modes: Vec<_> = objects.iter().map(|o| o["mode"].as_str().unwrap_or("")).collect();
            assert_eq!(modes, ["fused", "task", "unfused"]);
            for object in &objects {
                let found: Vec<f64> = object["checksum"]
                    .as_array()
                    .map(|sums| sums.iter().filter_map(|s| s.as_f64()).collect())
                    .unwrap_or_default();
                let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * b.abs();
                assert!(
                    found.len() == expected.len() && found.iter().zip(expected).all(near),
                    "{program} {dtype}: {found:?}, NumPy {expected:?}"
                );
                assert_eq!(object["n"].as_u64(), Some(n as u64));
                assert!(object["iter_s_min"].as_f64() <= object["iter_s"].as_f64());
            }
            let kernels = |o: &serde_json::Value| o["kernels_per_iter"].as_f64().unwrap_or(0.0);
            assert!(kernels(&objects[0]) <= kernels(&objects[1]), "{lines}");
            assert!(kernels(&objects[0]) < kernels(&objects[2]), "{lines}");
        }
    }
}

/// The checksum of plain loops after so many iterations.
struct Oracle(usize);

impl Visitor for Oracle {
    type Output = Vec<f64>;

    fn visit<W: Workload>(self, workload: W) -> Vec<f64> {
        workload.oracle(self.0)
    }
}

#[test]
fn every_program_is_measured_and_explained_and_comes_to_what_plain_loops_come_to() {
    for program in Program::ALL {
        let (name, iterations) = (program.name(), 3);
        let arguments = format!("{name} --n 6 --iters {iterations} --devices 2 --json");
        let output = cli(&format!("bench {arguments} --modes fused,unfused"));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        let expected = program.visit::<f64, _>(6, Oracle(iterations));
        for line in text(&output.stdout).lines() {
            let object: serde_json::Value = serde_json::from_str(line).expect("one object a line");
            let found: Vec<f64> =
                serde_json::from_value(object["checksum"].clone()).expect("a list of numbers");
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-11 * b.abs();
            assert!(
                found.len() == expected.len() && found.iter().zip(&expected).all(near),
                "{name}: {found:?}, plain loops {expected:?}"
            );
        }
        let output = cli(&format!("explain {name} --n 6"));
        assert!(text(&output.stdout).contains("plan from the memo"), "{}", text(&output.stdout));
    }
}
