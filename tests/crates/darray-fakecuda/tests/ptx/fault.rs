//! Kernels that go wrong: what is reported, and for which thread.

use super::bench::{Bench, argument};
use darray_fakecuda::ptx::Program;
use darray_fakecuda::ptx::machine::Reason;
use darray_fakecuda::ptx::memory::Denied;

const TEXT: &str = include_str!("fault.ptx");

#[test]
fn an_access_out_of_bounds_names_kernel_instruction_and_thread() {
    let mut bench = Bench::new(TEXT);
    let (x, out) = (bench.buffer(&[1f32; 101]), bench.buffer(&[0f32; 100]));
    let fault = bench.run("overrun", 4, 32, &[&x, &out, &argument(100i32)]).unwrap_err();
    assert_eq!((fault.thread, fault.block), ([4, 0, 0], [3, 0, 0]));
    assert_eq!(
        fault.to_string(),
        format!(
            "kernel overrun: out of bounds: 4 bytes at 0x200000190, byte 400 of an allocation of \
             400 bytes; instruction `{}` (line {}), thread [4, 0, 0] of block [3, 0, 0]",
            "st.global.f32 [%rd7], %f2", fault.line
        )
    );
    let line = TEXT.lines().nth(fault.line as usize - 1).unwrap();
    assert_eq!(line.trim().trim_end_matches(';').replace('\t', ""), "st.global.f32 [%rd7], %f2");
    // What came before the fault is there, as on a GPU.
    assert_eq!(bench.read::<f32>(&out), [2f32; 100]);
}

#[test]
fn memory_that_must_not_be_reached() {
    for (why, text) in [
        (Denied::Freed, "use after free"),
        (Denied::NotYetAllocated, "use before allocation"),
        (Denied::NoPeerAccess { device: 0, owner: 1 }, "no peer access: device 0 reaches"),
    ] {
        let mut bench = Bench::new(TEXT);
        let (x, out) = (bench.buffer(&[1f32; 32]), bench.buffer(&[0f32; 32]));
        bench.deny(&x, why);
        let fault = bench.run("copy", 1, 32, &[&x, &out]).unwrap_err();
        assert!(fault.to_string().contains(text), "{fault}");
        assert!(fault.instruction.starts_with("ld.global"), "{fault}");
    }
}

#[test]
fn a_fault_in_a_function_names_it_and_its_kernel() {
    let mut bench = Bench::new(TEXT);
    let (x, out) = (bench.buffer(&[1f32; 32]), bench.buffer(&[0f32; 32]));
    let fault = bench.run("outer", 1, 32, &[&x, &out]).unwrap_err();
    assert_eq!(fault.kernel, "outer");
    assert!(fault.to_string().starts_with("kernel outer, function _Z5inner"), "{fault}");
    assert_eq!(fault.thread, [31, 0, 0]);
}

#[test]
fn other_faults() {
    let mut bench = Bench::new(TEXT);
    let (bytes, out) = (bench.buffer(&[0u8; 64]), bench.buffer(&[0i32; 64]));
    let fault = bench.run("misaligned", 1, 1, &[&bytes, &out]).unwrap_err();
    assert!(matches!(fault.reason, Reason::Misaligned { bytes: 4, .. }), "{fault}");

    bench.run("shared_overrun", 1, 32, &[&out, &argument(0i32)]).unwrap();
    let fault = bench.run("shared_overrun", 1, 32, &[&out, &argument(1i32)]).unwrap_err();
    assert!(fault.to_string().contains("byte 128 of 128 of shared memory"), "{fault}");
    assert_eq!(fault.thread, [31, 0, 0]);

    let fault = bench.run("traps", 1, 32, &[&out]).unwrap_err();
    assert_eq!((fault.reason, fault.thread), (Reason::Trap, [5, 0, 0]));

    let fault = bench.run("never_meets", 1, 32, &[&out]).unwrap_err();
    assert_eq!(fault.reason, Reason::Deadlock);
}

#[test]
fn texts_that_cannot_be_executed_say_why() {
    let error = |body: &str| {
        let text = format!(".visible .entry k() {{\n.reg .b32 %r<3>;\n{body}\n}}");
        Program::new(&text, |_| Ok(0)).unwrap_err().to_string()
    };
    assert_eq!(
        error("frobnicate.b32 %r1, %r2;"),
        "line 3: `frobnicate.b32`: this instruction is not supported"
    );
    assert_eq!(
        error("add.purple.s32 %r1, %r2, %r2;"),
        "line 3: `add.purple.s32`: the modifier .purple is not supported here"
    );
    assert_eq!(error("add.s32 %r1, %r2, %r3;"), "line 3: `add.s32`: %r3 is unknown");
    assert_eq!(error("bra $nowhere;"), "line 3: there is no label $nowhere");
    assert_eq!(error("mov.u32 %r1, 0f;"), "line 3: 0f is no number");
}
