//! What texts depend on, and what they do not; arguments that do not fit.

use crate::examples;
use crate::support::{Arguments, Example};
use darray_codegen::bind::BindError;
use darray_codegen::cuda::{Binding, Bindings, CudaKernel, Variant};
use darray_kernel::ir::Kernel;

fn variant(example: &Example, base: u64) -> Variant {
    let addresses: Vec<u64> = (1..=example.memory.len() as u64).map(|k| (k << 32) + base).collect();
    let arguments = Arguments::new(&example.launch, &example.memory, &addresses);
    CudaKernel::new(&example.kernel).unwrap().variant(&arguments.bindings()).unwrap()
}

#[test]
fn sizes_and_addresses_are_no_part_of_a_text() {
    assert_eq!(variant(&examples::chain(1000), 0), variant(&examples::chain(77), 256));
    assert_eq!(variant(&examples::stencil(34, 66), 0), variant(&examples::stencil(9, 200), 8));
    assert_eq!(variant(&examples::dot(5000), 0), variant(&examples::dot(7000), 0));
    assert_eq!(variant(&examples::dot(90_000), 0), variant(&examples::dot(12_000), 0));
    assert_eq!(variant(&examples::row_sum(40, 500), 0), variant(&examples::row_sum(3, 500), 0));
}

#[test]
fn alignment_strides_and_leaves_are_part_of_a_text() {
    let chain = variant(&examples::chain(1000), 0);
    // Where all arrays begin an element later, so do all vectors.
    assert_eq!(chain, variant(&examples::chain(1000), 8));
    assert_ne!(chain, variant(&examples::chain(1000).offset(1, 1), 0));
    assert_ne!(chain, variant(&examples::chain(1000).strides(1, 0, &[2], 2000), 0));
    assert_ne!(variant(&examples::dot(1000), 0), variant(&examples::dot(5000), 0));
}

#[test]
fn arguments_are_part_of_a_text_only_where_a_guard_asks_less_for_them() {
    let quotients = |functions: &str, x: f32| {
        let mut example = examples::guarded(functions, 4, 8);
        example.launch.scalars = vec![x.into()];
        variant(&example, 0)
    };
    let numerator = "%3 = div.f32 %0 %1 %4 = sqrt.f32 %2";
    assert_eq!(quotients(numerator, 3.0), quotients(numerator, 4.0));
    assert_ne!(quotients(numerator, 3.0), quotients(numerator, 1.0));
    let denominator = "%3 = div.f32 %1 %0 %4 = sqrt.f32 %2";
    assert_eq!(quotients(denominator, 3.0), quotients(denominator, 1.0));
    assert_ne!(quotients(denominator, 3.0), quotients(denominator, -3.0));
    assert_ne!(quotients(denominator, 3.0), quotients(denominator, 1e30));
    // Of a product with what is not known nothing is known.
    let product = "%3 = mul.f32 %0 %1 %4 = exp.f32 %3 %5 = sqrt.f32 %2";
    assert_eq!(quotients(product, 3.0), quotients(product, -3.0));
}

/// `b1 = b0` for so many f64, in memory of the given length.
fn copy(extent: i64, bytes: u64, check: impl FnOnce(&CudaKernel, &Bindings<'_>)) {
    let kernel = Kernel::parse(
        "kernel params=2 scalars=[]
           b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
         { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
           %0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0
         } }",
    );
    let buffer =
        |address: u64| Binding { address, bytes, offset: 0, strides: [1].as_slice().into() };
    let buffers = [buffer(1 << 40), buffer(1 << 41)];
    let bindings = Bindings { buffers: &buffers, params: &[extent, 0], scalars: &[] };
    check(&CudaKernel::new(&kernel.unwrap()).unwrap(), &bindings);
}

#[test]
fn large_arrays_have_wide_indices_and_grids_of_bounded_size() {
    copy(3 << 30, 24 << 30, |kernel, bindings| {
        let prepared = kernel.prepare(bindings).unwrap();
        assert!(kernel.source(prepared.variant()).text.contains("for (long long u = first;"));
        let launches = prepared.launches(0);
        assert_eq!((launches.len(), launches[0].grid, launches[0].block), (1, 4096, 256));
        // Two addresses, vectors, elements before them, in them, beside them.
        let vectors = i64::from_le_bytes(launches[0].arguments[16..24].try_into().unwrap());
        assert_eq!((launches[0].arguments.len(), vectors), (48, 3 << 29));
        assert_eq!(prepared.workspace(), 0);
    });
}

#[test]
fn nothing_is_launched_for_no_points() {
    copy(0, 0, |kernel, bindings| {
        let prepared = kernel.prepare(bindings).unwrap();
        assert!(kernel.source(prepared.variant()).entries.is_empty());
        assert!(prepared.launches(0).is_empty());
    });
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    copy(11, 80, |kernel, bindings| {
        let error = kernel.variant(bindings).unwrap_err();
        let expected = BindError::Bounds { buffer: 0, first: 0, last: 10, room: 10 };
        assert_eq!(error, expected);
        assert_eq!(error.to_string(), "buffer 0 is accessed at elements 0..=10 of 10");
        let fewer = Bindings { params: &[11], ..*bindings };
        let expected = BindError::Count { what: "params", expected: 2, found: 1 };
        assert_eq!(kernel.variant(&fewer).unwrap_err(), expected);
    });
    copy(-1, 80, |kernel, bindings| {
        let error = kernel.variant(bindings).unwrap_err();
        assert_eq!(error, BindError::Axis { extent: -1, global: -1 });
    });
}
