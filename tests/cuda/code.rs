//! What NVRTC makes of the programs' kernels: machine code for every GPU that is asked for, and what that
//! code needs of one.

use darray::{DArray, Runtime};
use darray_core::settings::Settings;
use darray_cuda::{Compiler, Nvrtc, Target, cached_texts};
use darray_programs::{black_scholes, stencil};
use darray_suite::{PROGRAMS, Turn, fake_or_skip};
use object::{Object, ObjectSection, ObjectSymbol};
use std::path::{Path, PathBuf};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// The fake driver, when it is this test's turn, and a compiler.
fn compiler_or_skip() -> Option<(Turn, Compiler)> {
    let turn = fake_or_skip(FOLDER)?;
    let settings = Settings::global().expect("settings");
    let nvrtc = Nvrtc::load(settings.nvrtc.as_deref()).expect("loaded before");
    Some((turn, Compiler::new(nvrtc, None)))
}

/// The texts of the kernels that `program` runs on one GPU.
fn texts(fake: &Turn, name: &str, program: impl FnOnce()) -> Vec<String> {
    let folder: PathBuf = Path::new(FOLDER).join(format!("code-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    fake.start("devices=1");
    let builder = fake.devices(Runtime::builder(), &[0]).kernel_cache(&folder);
    let runtime = builder.build().expect("a runtime");
    runtime.scope(program);
    runtime.sync();
    drop(runtime);
    cached_texts(&folder).expect("the folder of the cache")
}

/// What a kernel of a cubin needs.
#[derive(Debug)]
struct Needs {
    kernel: String,
    registers: u32,
    /// Bytes of local memory per thread: where spilled registers go.
    frame: u32,
}

/// Reads what ptxas notes about each kernel: attributes of 12 bytes in the section `.nv.info`, which are
/// format, number, size (2 bytes), symbol, value.
fn needs(cubin: &[u8]) -> Vec<Needs> {
    const SYMBOL_AND_VALUE: u8 = 4;
    const FRAME: u8 = 0x11;
    const REGISTERS: u8 = 0x2f;
    let file = object::File::parse(cubin).expect("an ELF file");
    let info = file.section_by_name(".nv.info").expect("attributes").data().expect("bytes");
    let mut needs: Vec<Needs> = Vec::new();
    let mut at = 0;
    while at + 4 <= info.len() {
        let (format, attribute) = (info[at], info[at + 1]);
        let size = u16::from_le_bytes([info[at + 2], info[at + 3]]) as usize;
        at += 4;
        if format != SYMBOL_AND_VALUE {
            continue;
        }
        let word = |place: usize| {
            u32::from_le_bytes(info[at + place..at + place + 4].try_into().expect("four bytes"))
        };
        if matches!(attribute, FRAME | REGISTERS) {
            let symbol = object::SymbolIndex(word(0) as usize);
            let kernel = file.symbol_by_index(symbol).expect("a symbol").name().expect("a name");
            let known = needs.iter().position(|n| n.kernel == kernel);
            let known = known.unwrap_or_else(|| {
                needs.push(Needs { kernel: kernel.to_string(), registers: 0, frame: 0 });
                needs.len() - 1
            });
            match attribute {
                FRAME => needs[known].frame = word(4),
                _ => needs[known].registers = word(4),
            }
        }
        at += size;
    }
    needs
}

#[test]
fn every_kernel_of_the_programs_becomes_machine_code_without_spills() {
    let Some((fake, compiler)) = compiler_or_skip() else { return };
    let (mut kernels, mut spilled) = (0, Vec::new());
    for (at, (name, program)) in PROGRAMS.into_iter().enumerate() {
        let texts = texts(&fake, name, || drop(program()));
        assert!(!texts.is_empty(), "{name} compiles nothing");
        for (number, text) in texts.iter().enumerate() {
            // Every fourth text, made for either in turn; in the long form all are made for both.
            let all = [80, 90];
            let asked = match (cfg!(feature = "long"), (at + number) % 8) {
                (true, _) => &all[..],
                (false, 0) => &all[..1],
                (false, 4) => &all[1..],
                _ => &[],
            };
            for &capability in asked {
                let image = compiler.compile_own(text, Target::Cubin(capability));
                let image =
                    image.unwrap_or_else(|e| panic!("{name}, sm_{capability}: {e}\n{text}"));
                let found = needs(&image);
                assert!(!found.is_empty(), "{name}: a text without kernels\n{text}");
                // A thread that folds all lanes of a row keeps those that wait in an array of its own.
                let pending = text.contains(" waiting0[");
                // PCG64 goes to a number by a loop beside whatever else a thread holds.
                let room = if text.contains("darray_pcg64(") { 8 } else { 0 };
                // The compiler stores a few bytes of a kernel so that as many threads as there are fit on a multiprocessor.
                let fills = |kernel: &Needs| kernel.registers <= 32 && kernel.frame <= 16;
                let many = found.iter().filter(|kernel| kernel.frame > room && !fills(kernel));
                for kernel in many.filter(|_| !pending) {
                    spilled.push(format!("{name}, sm_{capability}: {kernel:?}"));
                }
                // Beside kernels there are functions that they call, for division say.
                kernels += found.iter().filter(|kernel| kernel.registers > 0).count();
            }
        }
    }
    println!("{kernels} kernels");
    assert!(spilled.is_empty(), "{}", spilled.join("\n"));
    let least = if cfg!(feature = "long") { 100 } else { 15 };
    assert!(kernels > least, "{kernels} kernels");
}

/// The most registers per thread of the kernels of a program on sm_90, but for those that draw its numbers, its accesses
/// of 16 bytes, loads and stores, and its loads of 8 bytes.
fn figures(
    (fake, compiler): (&Turn, &Compiler),
    name: &str,
    program: impl FnOnce(),
) -> (u32, usize, usize, usize) {
    let texts = texts(fake, name, program);
    let (mut registers, mut loads, mut stores, mut doubles) = (0, 0, 0, 0);
    for text in texts.iter().filter(|text| !text.contains("darray_pcg64(")) {
        let image = compiler.compile_own(text, Target::Cubin(90)).expect("a cubin");
        let needs = needs(&image);
        let spills = needs.iter().any(|n| n.frame > 0);
        assert!(!spills || !text.contains("darray_guard guard"), "{name}: {needs:?}\n{text}");
        registers = needs.iter().map(|n| n.registers).fold(registers, u32::max);
        let ptx = compiler.compile_own(text, Target::Ptx(90)).expect("PTX");
        let ptx = String::from_utf8_lossy(&ptx);
        let wide = |line: &&str| line.contains(".v4.f32") || line.contains(".v2.f64");
        loads += ptx.lines().filter(wide).filter(|l| l.contains("ld.global")).count();
        stores += ptx.lines().filter(wide).filter(|l| l.contains("st.global")).count();
        let double = |line: &&str| line.contains("ld.global") && line.contains(".f64");
        doubles += ptx.lines().filter(|line| !wide(line)).filter(double).count();
    }
    println!("{name}: {registers} registers, {loads} wide loads, {stores} wide stores");
    (registers, loads, stores, doubles)
}

/// What the guard of Black-Scholes asks of an option: its strike, its time, and two quotients. That the other
/// divisors and exponents are of usual size follows.
#[test]
fn black_scholes_asks_for_four_rare_cases() {
    let Some((fake, _)) = compiler_or_skip() else { return };
    let texts = texts(&fake, "black_scholes_f32", || {
        let (s, x, t) = black_scholes::options::<f32>(4096);
        Runtime::current().flush();
        let (call, put) = black_scholes::black_scholes(&s, &x, &t, 0.02, 0.3);
        drop((call.to_vec(), put.to_vec()));
    });
    let guarded: Vec<&String> =
        texts.iter().filter(|text| text.contains("darray_guard guard = ")).collect();
    assert_eq!(guarded.len(), 1);
    let questions = ["darray_within(", "darray_positive(", "darray_below_64("];
    let asked = |question: &&str| {
        let asks = |line: &&str| line.contains(question) && line.contains("const float v");
        guarded[0].lines().filter(asks).count()
    };
    assert_eq!(questions.each_ref().map(asked), [2, 2, 0], "{}", guarded[0]);
}

#[test]
fn black_scholes_stencil_and_dot_keep_to_their_registers() {
    let Some((fake, compiler)) = compiler_or_skip() else { return };
    let prices = |dtype: &str| match dtype {
        "f32" => {
            let (s, x, t) = black_scholes::options::<f32>(4096);
            Runtime::current().flush();
            let (call, put) = black_scholes::black_scholes(&s, &x, &t, 0.02, 0.3);
            drop((call.to_vec(), put.to_vec()));
        }
        _ => {
            let (s, x, t) = black_scholes::options::<f64>(4096);
            Runtime::current().flush();
            let (call, put) = black_scholes::black_scholes(&s, &x, &t, 0.02, 0.3);
            drop((call.to_vec(), put.to_vec()));
        }
    };
    let (registers, loads, stores, _) =
        figures((&fake, &compiler), "black_scholes_f32", || prices("f32"));
    assert!(registers <= 96 && loads >= 3 && stores >= 2);
    let (registers, loads, stores, _) =
        figures((&fake, &compiler), "black_scholes_f64", || prices("f64"));
    assert!(registers <= 96 && loads >= 3 && stores >= 2);
    // Neighbours to the left and right begin between vectors and are made of two each.
    let (registers, loads, stores, _) = figures((&fake, &compiler), "stencil_f64", || {
        let grid = stencil::init_grid::<f64>(64);
        Runtime::current().flush();
        stencil::step(&grid);
        drop(grid.to_vec());
    });
    assert!(registers <= 64 && loads >= 5 && stores >= 1);
    // A thread has a lane: it loads eight rounds of each array before it adds them.
    let (registers, _, _, doubles) = figures((&fake, &compiler), "dot_f64", || {
        let (a, b) = (DArray::<f64>::arange(5000), DArray::<f64>::ones(5000));
        Runtime::current().flush();
        assert_eq!(a.dot(&b).item(), 4999.0 * 2500.0);
    });
    assert!(registers <= 64 && doubles >= 16, "{doubles} loads");
}
