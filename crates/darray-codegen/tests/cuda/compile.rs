//! NVRTC compiles what is generated.

use crate::support::{Arguments, compiler_or_skip, ptx};
use darray_codegen::cuda::CudaKernel;
use darray_kernel::random_kernel::{Options, random_kernel};

#[test]
fn random_kernels_compile() {
    let Some(compiler) = compiler_or_skip() else { return };
    for seed in 0..60 {
        let case = random_kernel(seed, &Options { operations: 3, ..Options::default() });
        let addresses: Vec<u64> = (1..=case.memory.len() as u64).map(|k| k << 32).collect();
        let arguments = Arguments::new(&case.launch, &case.memory, &addresses);
        let kernel = CudaKernel::new(&case.kernel).unwrap();
        let variant = kernel.variant(&arguments.bindings()).unwrap();
        let source = kernel.source(&variant);
        let launches = kernel.launches(&variant, &arguments.bindings(), 1 << 20);
        assert_eq!(launches.len(), source.entries.len());
        if source.entries.is_empty() {
            continue;
        }
        eprintln!("seed {seed}\n{}", case.kernel);
        let ptx = ptx(&compiler, &source.text);
        for (launch, entry) in launches.iter().zip(&source.entries) {
            let parameter = format!("{entry}_param_0[{}]", launch.arguments.len());
            assert!(ptx.contains(&parameter), "{parameter}\n{}", source.text);
        }
    }
}
