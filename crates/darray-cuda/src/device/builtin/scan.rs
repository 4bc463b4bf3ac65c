//! Running folds along an axis.

use super::{THREADS, count};
use crate::device::work::Run;
use crate::device::work::copy_kernel::INDEX;
use crate::error::CudaError;
use darray_codegen::cuda::reducer;
use darray_core::RealType;
use darray_device::Fault;
use darray_device::builtin::{Scan, ScanPart};
use darray_kernel::ir::Reducer;
use smallvec::SmallVec;

const TEXT: &str = include_str!("../../../kernels/scan.cu");
const ENTRIES: [&str; 6] = [
    "scan_blocks",
    "scan_tiles",
    "scan_short_tiles",
    "scan_carries",
    "scan_carries_by_warps",
    "scan_add",
];
/// Places of the kernels that go through tiles: of long blocks, and of short ones.
const TILES: usize = 1;
const CARRIES: usize = 3;
const ADD: usize = 5;
/// Blocks that a block of threads goes through together: long ones, and short ones of so many elements at most.
const TOGETHER: [usize; 2] = [8, 64];
const SHORT: usize = 64;
/// Threads of a warp.
const WARP: usize = 32;
/// Lanes from which on a thread makes the carries of one, and blocks up to which it does.
const MANY_LANES: usize = 1 << 12;
const FEW_BLOCKS: usize = 4;

impl Run<'_> {
    pub(super) fn scan(&mut self, call: &Scan) -> Result<(), Fault> {
        let (reduction, dtype) = (call.reducer, call.dtype);
        if !reduction.has_scan() || reduction.result(dtype).is_none() {
            return Err(Fault::Execution(format!("scan {reduction} of {dtype}")));
        }
        let out = self.view(&call.out, &call.extents, dtype)?;
        let operand = self.view(&call.operand, &call.operand_extents(), dtype)?;
        let elements = count(&call.extents)?;
        if elements == 0 {
            return Ok(());
        }
        let (axis, extent, blocks) = (call.axis, call.extents[call.axis], call.blocks());
        let lanes = elements / extent;
        let others = |values: &mut dyn Iterator<Item = u64>| -> SmallVec<[u64; 4]> {
            values.enumerate().filter(|&(a, _)| a != axis).map(|(_, value)| value).collect()
        };
        let extents = others(&mut call.extents.iter().map(|&n| n as u64));
        let strides = |strides: &[i64]| others(&mut strides.iter().map(|&s| s as u64));
        // The operand is the input or the carries; carries of our own lie row-major.
        let mut own: SmallVec<[u64; 4]> = SmallVec::from_elem(1, extents.len());
        for other in (1..extents.len()).rev() {
            own[other - 1] = own[other] * extents[other];
        }
        let (input, carries) = match call.part.has_carries() {
            true => (own.clone(), call.operand.strides[1..].iter().map(|&s| s as u64).collect()),
            false => (strides(&call.operand.strides), own),
        };
        let words = [&extents[..], &strides(&call.out.strides), &input, &carries].concat();
        let kernels = self.kernels(&text(reduction, dtype), &ENTRIES)?;
        let whole = call.part == ScanPart::Whole && blocks > 1;
        let space = if whole { (blocks + 1) * lanes * dtype.size() } else { 0 };
        self.with_table(&words, space, |run, rows, space| {
            let (input, carries) =
                if call.part.has_carries() { (0, operand) } else { (operand, space) };
            let (input_stride, carries_stride) = match call.part.has_carries() {
                true => (0, call.operand.strides[0]),
                false => (call.operand.strides[axis], lanes as i64),
            };
            let numbers = [
                out,
                input,
                carries,
                rows,
                extents.len() as u64,
                lanes as u64,
                extent as u64,
                call.block as u64,
                blocks as u64,
                call.out.strides[axis] as u64,
                input_stride as u64,
                carries_stride as u64,
                (call.first || call.part == ScanPart::Whole) as u64,
            ];
            let threads = THREADS as usize;
            // Kernel, items, items of a block of threads.
            let along = [call.out.strides[axis], input_stride];
            let in_blocks = match along.iter().all(|step| step.unsigned_abs() == 1) || lanes == 1 {
                true => {
                    let is_short = extent.min(call.block) <= SHORT;
                    let together = TOGETHER[usize::from(is_short)];
                    (TILES + usize::from(is_short), lanes * blocks, together)
                }
                // Lanes are side by side.
                false => (0, lanes * blocks, threads),
            };
            let carries = match lanes >= MANY_LANES || blocks <= FEW_BLOCKS {
                true => (CARRIES, lanes, threads),
                false => (CARRIES + 1, lanes, threads / WARP),
            };
            let add = (ADD, elements, threads);
            let parts: &[(usize, usize, usize)] = match call.part {
                ScanPart::Whole if whole => &[in_blocks, carries, add],
                ScanPart::Whole | ScanPart::Blocks => &[in_blocks],
                ScanPart::Carry => &[carries],
                ScanPart::Add => &[add],
            };
            parts.iter().try_for_each(|&(kernel, items, per_block)| -> Result<(), CudaError> {
                // SAFETY: the structure of the kernels; both views were checked for their extents.
                unsafe { run.over(&kernels[kernel], items, per_block, &numbers) }
            })
        })
    }
}

/// The kernels of a reducer.
pub(super) fn text(reduction: Reducer, dtype: RealType) -> String {
    format!("{}{INDEX}\n{TEXT}", reducer(reduction, dtype))
}
