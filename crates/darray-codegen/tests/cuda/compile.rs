//! NVRTC compiles what is generated.

use crate::examples;
use crate::support::{Arguments, Example, compiler_or_skip, cubin, ptx};
use darray_codegen::cuda::CudaKernel;
use darray_differential::{Options, random_kernel};

#[test]
fn random_kernels_compile_and_take_their_arguments() {
    let Some(compiler) = compiler_or_skip() else { return };
    for seed in 0..60 {
        let case = random_kernel(seed, &Options::default());
        let addresses: Vec<u64> = (1..=case.memory.len() as u64).map(|k| k << 32).collect();
        let arguments = Arguments::new(&case.launch, &case.memory, &addresses);
        let kernel = CudaKernel::new(&case.kernel).unwrap();
        let bindings = arguments.bindings();
        let prepared = kernel.prepare(&bindings).unwrap();
        let source = kernel.source(prepared.variant());
        let launches = prepared.launches(1 << 20);
        assert_eq!(launches.len(), source.entries.len());
        if source.entries.is_empty() {
            continue;
        }
        let ptx = ptx(compiler, &source.text);
        for (launch, entry) in launches.iter().zip(&source.entries) {
            let parameter = format!("{entry}_param_0[{}]", launch.arguments.len());
            assert!(ptx.contains(&parameter), "{parameter}\n{}", source.text);
        }
    }
}

#[test]
fn contiguous_arrays_move_by_sixteen_bytes() {
    let Some(compiler) = compiler_or_skip() else { return };
    let count = |example: &Example, pattern: &str| {
        ptx(compiler, &example.source().text).matches(pattern).count()
    };
    let chain = examples::chain(1000);
    assert_eq!(count(&chain, "ld.global.nc.v2.f64"), 3);
    assert_eq!(count(&chain, "st.global.v2.f64"), 1);
    let axpy = examples::axpy(1001);
    assert_eq!(count(&axpy, "ld.global.nc.v4.f32"), 1);
    assert_eq!(count(&axpy, "ld.global.v4.f32"), 1);
    assert_eq!(count(&axpy, "st.global.v4.f32"), 1);
    // What begins an element later is made of two vectors.
    let shifted = examples::chain(1000).offset(1, 1);
    assert_eq!(count(&shifted, "ld.global.nc.v2.f64"), 4);
    assert_eq!(count(&shifted, "st.global.v2.f64"), 1);
    let stencil = examples::stencil(34, 66);
    assert_eq!(count(&stencil, "ld.global.nc.v2.f64"), 8);
    assert_eq!(count(&stencil, "st.global.v2.f64"), 1);
}

/// All loads of some rounds come before the first is folded; what waits for its right sibling does so in registers.
#[test]
fn folds_load_ahead_and_keep_values_in_registers() {
    let Some(compiler) = compiler_or_skip() else { return };
    for (example, loads) in [
        (examples::dot(5000), 8),
        (examples::dot(1 << 24), 32),
        (examples::row_sum(40, 500), 4),
        (examples::row_sum(40, 50), 2),
        (examples::row_sum(5000, 500), 16),
    ] {
        let ptx = ptx(compiler, &example.source().text);
        let fold = &ptx[..ptx.find("ret;").expect("an entry")];
        assert_eq!(fold.matches("ld.global").count(), loads, "{ptx}");
        let (_, rest) = fold.split_once("ld.global").expect("a load");
        assert_eq!(rest.split("add.rn").next().unwrap().matches("ld.global").count(), loads - 1);
    }
    for example in
        [examples::dot(1 << 24), examples::column_extrema(20_000, 70), examples::total(300, 500)]
    {
        let ptx = ptx(compiler, &example.source().text);
        assert!(!ptx.contains(".local"), "{ptx}");
    }
}

#[test]
fn examples_become_machine_code() {
    let Some(compiler) = compiler_or_skip() else { return };
    for example in [
        examples::chain(1000),
        examples::axpy(1001),
        examples::stencil(34, 66),
        examples::dot(5000),
        examples::row_sum(40, 500),
    ] {
        for capability in [80, 90] {
            let code = cubin(compiler, &example.source().text, capability);
            assert_eq!(&code[..4], b"\x7fELF");
        }
    }
}
