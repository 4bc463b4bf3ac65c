//! CUDA's own elementary functions: how far they are from darray's, which are within 2 ulp.

use crate::support::{COMPUTE, COPY, download, machine_or_skip, rect, upload};
use darray_core::{RealType, Scalar};
use darray_cuda::{CudaDevices, CudaOptions, Math};
use darray_device::{Arg, Command, Device};
use darray_differential::{to_bytes, to_scalars};
use darray_kernel::ir::Kernel;
use darray_kernel::operator::Operator;
use smallvec::smallvec;

/// Functions of one operand, where their points lie, and how far in ulp CUDA's result may be from the true
/// one in f64 and f32: what the CUDA C++ Programming Guide states.
const UNARY: [(Operator, [f64; 2], [f64; 2]); 21] = [
    (Operator::Exp, [-80.0, 80.0], [1.0, 2.0]),
    (Operator::Exp2, [-100.0, 100.0], [1.0, 2.0]),
    (Operator::Expm1, [-5.0, 60.0], [1.0, 1.0]),
    (Operator::Ln, [0.0, 1e6], [1.0, 1.0]),
    (Operator::Log1p, [-0.9, 1e4], [1.0, 1.0]),
    (Operator::Log2, [0.0, 1e6], [1.0, 1.0]),
    (Operator::Log10, [0.0, 1e6], [1.0, 2.0]),
    (Operator::Sin, [-1e5, 1e5], [2.0, 2.0]),
    (Operator::Cos, [-1e5, 1e5], [2.0, 2.0]),
    (Operator::Tan, [-1e5, 1e5], [2.0, 4.0]),
    (Operator::Asin, [-1.0, 1.0], [2.0, 2.0]),
    (Operator::Acos, [-1.0, 1.0], [2.0, 2.0]),
    (Operator::Atan, [-50.0, 50.0], [2.0, 2.0]),
    (Operator::Sinh, [-20.0, 20.0], [2.0, 3.0]),
    (Operator::Cosh, [-20.0, 20.0], [1.0, 2.0]),
    (Operator::Tanh, [-5.0, 5.0], [1.0, 2.0]),
    (Operator::Asinh, [-100.0, 100.0], [3.0, 3.0]),
    (Operator::Acosh, [1.0, 100.0], [3.0, 4.0]),
    (Operator::Atanh, [-1.0, 1.0], [2.0, 3.0]),
    (Operator::Erf, [-4.0, 4.0], [2.0, 2.0]),
    (Operator::Cbrt, [-1e6, 1e6], [1.0, 1.0]),
];

/// Functions of two operands.
const BINARY: [(Operator, [f64; 2], [f64; 2]); 3] = [
    (Operator::Power, [0.1, 20.0], [2.0, 4.0]),
    (Operator::Atan2, [-10.0, 10.0], [2.0, 3.0]),
    (Operator::Hypot, [-1e3, 1e3], [2.0, 3.0]),
];

/// What darray's own results are away from the true ones, at most.
const OWN: f64 = 1.5;
const POINTS: usize = 400;

/// An operator on arrays.
fn kernel(operator: Operator, dtype: RealType) -> Kernel {
    let arity = operator.row().arity;
    let buffers: String =
        (0..arity).map(|b| format!("b{b}: {dtype} rank 1 read noalias ")).collect();
    let loads: String = (0..arity).map(|b| format!("%{b} = load b{b}[p1 + 1*i0]\n")).collect();
    let args: Vec<String> = (0..arity).map(|b| format!("%{b}")).collect();
    let text = format!(
        "kernel params=2 scalars=[]
           {buffers} b{arity}: {dtype} rank 1 write noalias {{
           for (i0: extent=p0 origin=p1 global=p0 logical=0) {{
             {loads} %{arity} = {operator}.{dtype} {}
             store b{arity}[p1 + 1*i0] %{arity}
           }}
         }}",
        args.join(" ")
    );
    Kernel::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(device: &dyn Device, operator: Operator, columns: &[Vec<Scalar>]) -> Vec<Scalar> {
    let (dtype, n) = (columns[0][0].dtype(), columns[0].len());
    let code = device.compile(&kernel(operator, dtype)).unwrap();
    let (mut args, mut after, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        let bytes = to_bytes(dtype, column.iter().copied());
        let (block, event) = upload(device, COPY, &bytes);
        args.push(Arg::Buffer { block, offset: 0, strides: smallvec![1] });
        after.push(event);
        blocks.push(block);
    }
    let out = device.allocate(COMPUTE, (n * dtype.size()) as u64).unwrap();
    args.push(Arg::Buffer { block: out, offset: 0, strides: smallvec![1] });
    args.extend([Arg::Bits(n as u64), Arg::Bits(0)]);
    let done = device.submit(COMPUTE, &after, &[Command::Launch { code, args }]).unwrap();
    let bytes = download(device, COPY, &[done], rect(out, dtype, 0, &[n], &[1]));
    blocks.into_iter().chain([out]).for_each(|b| device.release(COMPUTE, b, &[done]));
    to_scalars(dtype, &bytes)
}

/// The distance of a result from darray's in f64, in units of the result's last place.
fn distance(found: Scalar, exact: f64) -> f64 {
    let value = found.to_f64();
    if value == exact || value.is_nan() && exact.is_nan() {
        return 0.0;
    }
    let unit = match found.dtype() {
        RealType::F32 => {
            let near = (exact as f32).abs().max(f32::MIN_POSITIVE);
            (near.next_up() - near) as f64
        }
        _ => {
            let near = exact.abs().max(f64::MIN_POSITIVE);
            near.next_up() - near
        }
    };
    ((value - exact) / unit).abs()
}

#[test]
fn functions_of_cuda_are_as_near_as_their_documentation_says() {
    let Some(machine) = machine_or_skip("devices=1") else { return };
    let options = CudaOptions { math: Math::Libdevice, ..machine.options(&[0]) };
    let devices = CudaDevices::new(options).unwrap();
    let device = &*devices[0];
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0];
    let mut other = 0;
    for (operator, [low, high], bounds) in UNARY.into_iter().chain(BINARY) {
        for (dtype, bound) in [RealType::F64, RealType::F32].into_iter().zip(bounds) {
            let arity = operator.row().arity;
            let column = |number: usize| -> Vec<Scalar> {
                let step = [0.618_033_988_749_895, 0.414_213_562_373_095][number];
                let point = |k: usize| low + (high - low) * (k as f64 * step).fract();
                let special = special.iter().copied();
                let special: Vec<f64> = match number {
                    0 => special.flat_map(|v| [v; 7]).collect(),
                    _ => special.cycle().take(49).collect(),
                };
                let points = (0..POINTS).map(point).chain(special);
                points.map(|v| Scalar::from(v).cast(dtype)).collect()
            };
            let columns: Vec<Vec<Scalar>> = (0..arity).map(column).collect();
            let found = run(device, operator, &columns);
            let mut worst = (0.0, 0);
            for (at, &found) in found.iter().enumerate() {
                let args: Vec<Scalar> = columns.iter().map(|c| c[at].cast(RealType::F64)).collect();
                let exact = operator.apply(&args).to_f64();
                let away = distance(found, exact);
                worst = if away > worst.0 { (away, at) } else { worst };
                let own: Vec<Scalar> = columns.iter().map(|c| c[at]).collect();
                other += (operator.apply(&own) != found && away > 0.0) as usize;
            }
            let own = if dtype == RealType::F64 { OWN } else { 0.01 };
            println!("{operator} {dtype}: {:.2} ulp", worst.0);
            let args: Vec<Scalar> = columns.iter().map(|c| c[worst.1]).collect();
            assert!(worst.0 <= bound + own, "{operator} {dtype} of {args:?}: {worst:?}");
        }
    }
    assert!(other > 0, "these are darray's own functions");
}
