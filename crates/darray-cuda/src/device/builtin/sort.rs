//! Sorting, merging sorted runs, and sorting numbers for other builtins.

use super::{THREADS, count};
use crate::device::work::Run;
use crate::device::work::copy_kernel::INDEX;
use crate::driver::Function;
use crate::error::CudaError;
use darray_core::{Kind, RealType, Scalar};
use darray_device::Fault;
use darray_device::builtin::{Merge, Sort};

const TEXT: &str = include_str!("../../../kernels/sort.cu");
const MERGE: &str = include_str!("../../../kernels/merge.cu");
const ORDER: &str = include_str!("../../../kernels/order.cuh");
pub(super) const ENTRIES: [&str; 5] =
    ["sort_keys", "sort_count", "sort_offsets", "sort_move", "sort_write"];
const MERGE_ENTRIES: [&str; 2] = ["merge_splits", "merge_runs"];
/// Values of a digit, and threads of a block.
const DIGITS: usize = THREADS as usize;

/// What the kernels are for.
#[derive(Clone, Copy)]
pub(super) struct Sorted {
    pub dtype: RealType,
    /// Positions take eight bytes.
    pub wide: bool,
    /// One lane's values alone are wanted: elements are sorted as they are, without positions.
    pub plain: bool,
}

impl Sorted {
    /// Bytes of a position.
    fn position(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Elements of a thread, and blocks for which a multiprocessor has the registers that these need.
    fn each(self) -> (usize, usize) {
        match (self.plain, self.dtype.size()) {
            (true, 8) => (12, 3),
            (true, _) => (16, 3),
            (false, _) => (8, 4),
        }
    }
}

impl Run<'_> {
    pub(super) fn sort(&mut self, call: &Sort) -> Result<(), Fault> {
        let Sort { dtype, axis, ref extents, .. } = *call;
        let input = self.view(&call.input, extents, dtype)?;
        let output = |view: &Option<_>, dtype| match view {
            Some(view) => self.view(view, extents, dtype),
            None => Ok(0),
        };
        let (values, indices) =
            (output(&call.values, dtype)?, output(&call.indices, RealType::INDEX)?);
        let elements = count(extents)?;
        if elements == 0 {
            return Ok(());
        }
        let extent = extents[axis];
        let (lanes, rank) = (elements / extent, extents.len() - 1);
        let views = [Some(&call.input), call.values.as_ref(), call.indices.as_ref()];
        let others = |row: &mut dyn Iterator<Item = u64>| -> Vec<u64> {
            row.enumerate().filter(|&(a, _)| a != axis).map(|(_, word)| word).collect()
        };
        let mut words = others(&mut extents.iter().map(|&n| n as u64));
        for view in views {
            words.extend(match view {
                Some(view) => others(&mut view.strides.iter().map(|&s| s as u64)),
                None => vec![0; rank],
            });
        }
        let steps = views.map(|view| view.map_or(0, |view| view.strides[axis] as u64));
        let wide = elements > u32::MAX as usize;
        let (key, position) = (dtype.size(), if wide { 8 } else { 4 });
        let sorted = Sorted { dtype, wide, plain: call.indices.is_none() && lanes == 1 };
        let tiles = elements.div_ceil(sorted.each().0 * DIGITS);
        // Both sides of a pass, counts by digit and tile, and totals; each aligned to 8 bytes.
        let sizes = [
            elements * key,
            elements * key,
            if sorted.plain { 0 } else { elements * position },
            if sorted.plain { 0 } else { elements * position },
            DIGITS * tiles * position,
            DIGITS * position,
        ];
        let sizes = sizes.map(|bytes| bytes.next_multiple_of(8) as u64);
        let kernels = self.kernels(&text(sorted), &ENTRIES)?;
        let of_lanes = (usize::BITS - (lanes - 1).leading_zeros()).div_ceil(8) as usize;
        let passes: Vec<(u64, u64)> = (0..key)
            .map(|digit| (0, 8 * digit as u64))
            .chain((0..of_lanes).map(|digit| (1, 8 * digit as u64)))
            .collect();
        self.with_table(&words, sizes.iter().sum::<u64>() as usize, |run, rows, space| {
            let mut at = space;
            let [a, b, c, d, counts, totals] = sizes.map(|bytes| {
                at += bytes;
                at - bytes
            });
            // Each pass reads what the one before wrote. Elements that lie one behind the other are read where they are by the
            // first and written where they belong by the last.
            let sides = [(a, c), (b, d)];
            let moves = sorted.plain && passes.len() > 1;
            let reads_input = moves && steps[0] == 1;
            let writes_values = moves && steps[1] == 1;
            let numbers = |pass: usize, (of_lane, shift): (u64, u64)| {
                let (mut from, mut to) = (sides[pass % 2], sides[(pass + 1) % 2]);
                if reads_input && pass == 0 {
                    from.0 = input;
                }
                if writes_values && pass + 1 == passes.len() {
                    to.0 = values;
                }
                let heads =
                    [input, values, indices, from.0, from.1, to.0, to.1, counts, totals, rows];
                let sizes = [rank, elements, tiles, extent].map(|n| n as u64);
                let ends = [call.origin as u64, of_lane, shift];
                [&heads[..], &sizes, &steps, &ends].concat()
            };
            let launch = |kernel: usize, items, per_block, numbers: &[u64]| {
                // SAFETY: the structure of the kernels; every view was checked for its extents.
                unsafe { run.over(&kernels[kernel], items, per_block, numbers) }
            };
            if !reads_input {
                // Writes what the first pass reads.
                launch(0, elements, DIGITS, &numbers(passes.len() | 1, (0, 0)))?;
            }
            for (pass, digit) in passes.iter().enumerate() {
                let numbers = numbers(pass, *digit);
                launch(1, tiles, 1, &numbers)?;
                launch(2, DIGITS, 1, &numbers)?;
                launch(3, tiles, 1, &numbers)?;
            }
            if writes_values {
                return Ok(());
            }
            launch(4, elements, DIGITS, &numbers(passes.len(), (0, 0)))
        })
    }

    /// Memory that [`sort_numbers`](Self::sort_numbers) needs beside both of its sides, for so many numbers.
    pub(super) fn space_to_sort_numbers(sorted: Sorted, elements: usize) -> usize {
        let (tiles, position) = (elements.div_ceil(sorted.each().0 * DIGITS), sorted.position());
        (DIGITS * (tiles + 1) * position).next_multiple_of(8)
    }

    /// Sorts numbers of eight bytes that are below a bound, with their positions; the sort is stable. Each side has the addresses of
    /// numbers and positions; gives the one with the result, the first or the second, which is overwritten.
    ///
    /// # Safety
    /// All addresses are valid for as many elements, and the space for as many bytes as it has to have.
    pub(super) unsafe fn sort_numbers(
        &self,
        kernels: &[Function],
        (sorted, elements, bound): (Sorted, usize, usize),
        sides: [(u64, u64); 2],
        space: u64,
    ) -> Result<usize, CudaError> {
        let tiles = elements.div_ceil(sorted.each().0 * DIGITS);
        let totals = space + (DIGITS * tiles * sorted.position()) as u64;
        let passes = (usize::BITS - bound.leading_zeros()).div_ceil(8) as usize;
        for pass in 0..passes {
            let (from, to) = (sides[pass % 2], sides[(pass + 1) % 2]);
            let heads = [0, 0, 0, from.0, from.1, to.0, to.1, space, totals, 0];
            let sizes = [0, elements, tiles, elements].map(|n| n as u64);
            let numbers = [&heads[..], &sizes, &[0; 5], &[8 * pass as u64]].concat();
            for (kernel, items) in [(1, tiles), (2, DIGITS), (3, tiles)] {
                // SAFETY: the structure of the kernels; the caller's contract.
                unsafe { self.over(&kernels[kernel], items, 1, &numbers)? };
            }
        }
        Ok(passes % 2)
    }

    pub(super) fn merge(&mut self, call: &Merge) -> Result<(), Fault> {
        let out = self.view(&call.out, &[call.count], call.result())?;
        let mut words = Vec::new();
        for (run, &length) in call.lengths.iter().enumerate() {
            let values = self.view(&call.values[run], &[length], call.dtype)?;
            let (indices, step) = match call.indices.get(run) {
                Some(view) => (self.view(view, &[length], RealType::INDEX)?, view.strides[0]),
                None => (0, 0),
            };
            let steps = [call.values[run].strides[0] as u64, step as u64];
            words.extend([values, indices, length as u64, steps[0], steps[1]]);
        }
        if call.count == 0 {
            return Ok(());
        }
        let runs = call.lengths.len();
        let kernels = self.kernels(&merge_text(call.dtype), &MERGE_ENTRIES)?;
        self.with_table(&words, 16 * runs, |run, table, splits| -> Result<(), CudaError> {
            let (start, count) = (call.start as u64, call.count as u64);
            let step = call.out.strides[0] as u64;
            let numbers = [out, table, runs as u64, start, count, step, splits];
            // SAFETY: the structure of the kernels; every view was checked for its extents.
            unsafe {
                run.over(&kernels[0], 2 * runs, DIGITS, &numbers)?;
                run.over(&kernels[1], call.count, DIGITS, &numbers)
            }
        })
    }
}

/// The kernels that sort.
pub(super) fn text(sorted: Sorted) -> String {
    let Sorted { dtype, wide, plain } = sorted;
    let position = if wide { "unsigned long long" } else { "unsigned int" };
    let (plain, (each, resident)) = (u8::from(plain), sorted.each());
    format!(
        "{}typedef {position} Position;\n#define PLAIN {plain}\n#define EACH {each}\n#define RESIDENT {resident}\n\n{TEXT}",
        prelude(dtype)
    )
}

/// The kernels that merge a type.
pub(super) fn merge_text(dtype: RealType) -> String {
    prelude(dtype) + MERGE
}

/// The key of a type and its order.
pub(super) fn prelude(dtype: RealType) -> String {
    let (key, suffix) = match dtype.size() {
        1 => ("unsigned char", ""),
        2 => ("unsigned short", ""),
        4 => ("unsigned int", "u"),
        _ => ("unsigned long long", "ull"),
    };
    let (order, infinity) = match dtype.kind() {
        Kind::Bool | Kind::Unsigned => (0, "0".to_string()),
        Kind::Signed => (1, "0".to_string()),
        Kind::Float | Kind::Brain => {
            let infinity = Scalar::from(f64::INFINITY).cast(dtype);
            (2, format!("{:#x}{suffix}", infinity.bits()))
        }
    };
    format!(
        "typedef {key} Key;\n#define ORDER {order}\n#define INFINITY_BITS {infinity}\n\n\
         {INDEX}\n{ORDER}\n"
    )
}
