//! Machine code of random kernels, read by a decoder that is not ours.
#![cfg(target_arch = "x86_64")]

use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions, Function, Level, Listener};
use darray_differential::{Case, Options, random_kernel, run};
use darray_interpreter::{BufferArg, Launch};
use darray_kernel::ir::Kernel;
use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, FlowControl, Instruction, Mnemonic, Register,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Functions that random kernels become.
fn functions(level: Level, seeds: std::ops::Range<u64>) -> Vec<Function> {
    let found = Arc::new(Mutex::new(Vec::new()));
    let kept = found.clone();
    let listener = Listener::new(move |listing| {
        kept.lock().unwrap().extend_from_slice(&listing.functions);
    });
    // Every store that may go past the caches does.
    let (jit, listener) = (Some(level), Some(listener));
    let options = CpuOptions { jit, listener, stream_from: 0, ..CpuOptions::default() };
    let device = CpuDevices::new(1, options).remove(0);
    for seed in seeds {
        let case = random_kernel(seed, &Options::default());
        run(&*device, &case).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    }
    for (dtype, reducer) in [
        (RealType::F64, "sum"),
        (RealType::F64, "max"),
        (RealType::F32, "prod"),
        (RealType::I64, "prod"),
        (RealType::I32, "min"),
        (RealType::U8, "max"),
        (RealType::Bool, "any"),
    ] {
        for step in [1, -1] {
            run(&*device, &rows(dtype, reducer, step)).unwrap_or_else(|fault| panic!("{fault}"));
        }
        run(&*device, &all(dtype, reducer)).unwrap_or_else(|fault| panic!("{fault}"));
        run(&*device, &columns(dtype, reducer)).unwrap_or_else(|fault| panic!("{fault}"));
        run(&*device, &leaves(dtype, reducer)).unwrap_or_else(|fault| panic!("{fault}"));
    }
    std::mem::take(&mut *found.lock().unwrap())
}

/// A fold of rows of a matrix whose elements are so far apart.
fn rows(dtype: RealType, reducer: &str, step: i64) -> Case {
    fold((dtype, reducer), ([70, 100], step), ("logical=0", "logical=1"))
}

/// A fold of the columns of a transposed matrix of many leaves.
fn columns(dtype: RealType, reducer: &str) -> Case {
    fold((dtype, reducer), ([20, 530], 1), ("logical=1", "logical=0"))
}

/// What is done with an element %0 before it is folded, its value then, and the type of that.
fn folded(dtype: RealType) -> (&'static str, &'static str, RealType) {
    let (body, value) = match dtype {
        // Bools as they are have a loop that is no machine code.
        RealType::Bool => ("%2 = not.bool %0", "%2"),
        RealType::U8 => ("%2 = to_i32 %0", "%2"),
        _ => ("", "%0"),
    };
    (body, value, dtype.compute())
}

/// A fold of all of a transposed matrix of many leaves.
fn all(dtype: RealType, reducer: &str) -> Case {
    const EXTENTS: [i64; 2] = [530, 70];
    let (body, value, compute) = folded(dtype);
    let text = format!(
        "kernel params=3 scalars=[] b0: {dtype} rank 2 read noalias b1: {compute} rank 0 write noalias
         {{ fold (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1)
            lanes=32 width=64 rounds=32 alone=8
            {{ %0 = load b0[p2 + 1*i0, p2 + 1*i1] {body} }} %1 = {reducer} {value} store b1[] %1 }}"
    );
    let memory = |dtype: RealType, count: i64| vec![Scalar::from(1.0).cast(dtype); count as usize];
    let [rows, columns] = EXTENTS;
    let buffers = vec![BufferArg::new(0, 0, [1, rows]), BufferArg::new(1, 0, [])];
    Case {
        kernel: Kernel::parse(&text).unwrap(),
        launch: Launch { buffers, params: vec![rows, columns, 0], scalars: Vec::new() },
        memory: vec![memory(dtype, rows * columns), memory(compute, 1)],
    }
}

/// A fold of the columns of a matrix of some leaves.
fn leaves(dtype: RealType, reducer: &str) -> Case {
    const EXTENTS: [i64; 2] = [70, 300];
    let (body, value, compute) = folded(dtype);
    let text = format!(
        "kernel params=3 scalars=[] b0: {dtype} rank 2 read noalias b1: {compute} rank 1 write noalias
         {{ for (i0: extent=p1 origin=p2 global=p1 logical=1) {{
            fold (i1: extent=p0 origin=p2 global=p0 logical=0) lanes=32 width=64 rounds=32 alone=8
            {{ %0 = load b0[p2 + 1*i1, p2 + 1*i0] {body} }} %1 = {reducer} {value} store b1[p2 + 1*i0] %1 }} }}"
    );
    let memory = |dtype: RealType, count: i64| vec![Scalar::from(1.0).cast(dtype); count as usize];
    let [rows, columns] = EXTENTS;
    let buffers = vec![BufferArg::new(0, 0, [columns, 1]), BufferArg::new(1, 0, [1])];
    Case {
        kernel: Kernel::parse(&text).unwrap(),
        launch: Launch { buffers, params: vec![rows, columns, 0], scalars: Vec::new() },
        memory: vec![memory(dtype, rows * columns), memory(compute, columns)],
    }
}

fn fold(
    (dtype, reducer): (RealType, &str),
    ([rows, columns], step): ([i64; 2], i64),
    (kept, reduced): (&str, &str),
) -> Case {
    let (body, value, compute) = folded(dtype);
    let text = format!(
        "kernel params=3 scalars=[] b0: {dtype} rank 2 read noalias b1: {compute} rank 1 write noalias
         {{ for (i0: extent=p0 origin=p2 global=p0 {kept}) {{
            fold (i1: extent=p1 origin=p2 global=p1 {reduced})
            lanes=32 width=64 rounds=32 alone=8
            {{ %0 = load b0[p2 + 1*i0, p2 + 1*i1] {body} }} %1 = {reducer} {value} store b1[p2 + 1*i0] %1 }} }}"
    );
    let memory = |dtype: RealType, count: i64| vec![Scalar::from(1.0).cast(dtype); count as usize];
    let from = BufferArg::new(0, if step < 0 { columns - 1 } else { 0 }, [columns, step]);
    let buffers = vec![from, BufferArg::new(1, 0, [1])];
    Case {
        kernel: Kernel::parse(&text).unwrap(),
        launch: Launch { buffers, params: vec![rows, columns, 0], scalars: Vec::new() },
        memory: vec![memory(dtype, rows * columns), memory(compute, rows)],
    }
}

/// Every instruction of a function, from the first byte of its code to the last; jumps go to instructions.
fn decode(function: &Function) -> Vec<Instruction> {
    let code = &function.bytes[function.start..];
    let mut decoder = Decoder::with_ip(64, code, function.start as u64, DecoderOptions::NONE);
    let instructions: Vec<Instruction> = decoder.iter().collect();
    let places: BTreeSet<u64> = instructions.iter().map(Instruction::ip).collect();
    for instruction in &instructions {
        let at = instruction.ip();
        assert!(!instruction.is_invalid(), "no instruction at {at:#x}: {:02x?}", function.bytes);
        let flow = instruction.flow_control();
        if matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch) {
            let target = instruction.near_branch_target();
            assert!(
                places.contains(&target),
                "{instruction:?} at {at:#x} goes between instructions"
            );
        }
        if instruction.is_ip_rel_memory_operand() {
            let place = instruction.ip_rel_memory_address();
            let constants = function.start as u64;
            assert!(place < constants, "{instruction:?} at {at:#x} reads code");
        }
    }
    let starts: Vec<u64> = function.notes.iter().map(|(at, _)| *at as u64).collect();
    assert!(starts.iter().all(|at| places.contains(at) || *at == function.bytes.len() as u64));
    instructions
}

/// There are functions that fold by lanes and by kept points.
fn assert_folds(functions: &[Function]) {
    let has = |note: &str| {
        functions.iter().filter(move |f| f.notes.iter().any(|(_, n)| n == note)).count()
    };
    let (leaves, all) = (has("a leaf"), has("1 rounds in pairs"));
    assert!(leaves > 10 && all > leaves + 10, "{leaves} by lanes of {all}");
}

fn is_past_the_caches(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Vmovntpd | Mnemonic::Vmovntps)
}

#[test]
fn code_for_avx2_has_no_instruction_beyond_avx2() {
    if Level::detect() < Level::Avx2 {
        eprintln!("this machine has no AVX2: nothing to run, so nothing to decode");
        return;
    }
    let functions = functions(Level::Avx2, 0..2400);
    assert_folds(&functions);
    let mut mnemonics: BTreeSet<Mnemonic> = BTreeSet::new();
    let mut past = 0;
    for function in &functions {
        assert_eq!(function.level, Level::Avx2);
        for instruction in decode(function) {
            let registers = (0..instruction.op_count()).map(|k| instruction.op_register(k));
            let is_vector = |r: Register| r.is_xmm() || r.is_ymm();
            let code = instruction.code();
            match code.encoding() {
                EncodingKind::VEX => {}
                // Mixed with VEX, instructions of SSE are slow.
                EncodingKind::Legacy => {
                    assert!(!registers.clone().any(is_vector), "{code:?} is of SSE");
                }
                other => panic!("{code:?} is encoded as {other:?}"),
            }
            assert!(!registers.clone().any(|r| r.is_zmm() || r.is_k()), "{code:?}");
            for feature in instruction.cpuid_features() {
                let feature = format!("{feature:?}");
                // Of SSE: what asks for lines and what stores general registers past the caches.
                let base = ["INTEL8086", "INTEL386", "CMOV", "X64", "SSE", "SSE2"];
                let mut known = base.into_iter().chain(["AVX", "AVX2", "FMA", "F16C"]);
                assert!(known.any(|known| known == feature), "{code:?} needs {feature}");
            }
            mnemonics.insert(instruction.mnemonic());
            past += usize::from(is_past_the_caches(&instruction));
        }
    }
    assert!(functions.len() > 200, "{} functions", functions.len());
    let traffic = [Mnemonic::Prefetcht1, Mnemonic::Movnti];
    let vectors = [Mnemonic::Vfmadd213pd, Mnemonic::Vblendvpd, Mnemonic::Vmaskmovps];
    let halves = [Mnemonic::Vcvtph2ps, Mnemonic::Vcvtps2ph];
    for needed in vectors.into_iter().chain(traffic).chain(halves) {
        assert!(mnemonics.contains(&needed), "no {needed:?} among {mnemonics:?}");
    }
    assert!(past > 0, "no store past the caches");
    assert!(mnemonics.len() > 70, "{} mnemonics: {mnemonics:?}", mnemonics.len());
}

#[test]
fn code_for_avx512_decodes() {
    if Level::detect() < Level::Avx512 {
        eprintln!("this machine has no AVX-512: nothing to run, so nothing to decode");
        return;
    }
    let functions = functions(Level::Avx512, 0..2400);
    assert_folds(&functions);
    let (mut vectors, mut past) = (0, 0);
    let mut mnemonics: BTreeSet<Mnemonic> = BTreeSet::new();
    for function in &functions {
        assert_eq!(function.level, Level::Avx512);
        let instructions = decode(function);
        vectors +=
            instructions.iter().filter(|i| i.code().encoding() == EncodingKind::EVEX).count();
        past += instructions.iter().filter(|i| is_past_the_caches(i)).count();
        mnemonics.extend(instructions.iter().map(|i| i.mnemonic()));
    }
    // Exponentials of both types end with these.
    let exponentials = [Mnemonic::Vscalefpd, Mnemonic::Vscalefps];
    let halves = [Mnemonic::Vcvtph2ps, Mnemonic::Vcvtps2ph];
    let traffic = [Mnemonic::Prefetcht1, Mnemonic::Movnti];
    for needed in exponentials.into_iter().chain(halves).chain(traffic) {
        assert!(mnemonics.contains(&needed), "no {needed:?} among {mnemonics:?}");
    }
    assert!(past > 0, "no store past the caches");
    assert!(functions.len() > 200 && vectors > 10_000, "{} functions, {vectors}", functions.len());
}
