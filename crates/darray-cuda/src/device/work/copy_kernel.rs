//! Queues copies of strided elements: through tiles where source and target have different neighbours.

use super::Run;
use super::rectangle::Pair;
use super::route::Route;
use crate::device::state::logical::Logical;
use crate::driver::{Grid, Parameters};
use crate::error::CudaError;
use smallvec::SmallVec;

/// Index arithmetic, for the texts that use it.
pub(in crate::device) const INDEX: &str = include_str!("../../../kernels/index.cuh");

pub(in crate::device) const TEXT: &str = include_str!("../../../kernels/copy.cu");
/// Bytes of elements, in the order of the entries.
const SIZES: [usize; 4] = [1, 2, 4, 8];
const ENTRIES: [&str; 8] = [
    "copy_1_32",
    "copy_2_32",
    "copy_4_32",
    "copy_8_32",
    "copy_1_64",
    "copy_2_64",
    "copy_4_64",
    "copy_8_64",
];
const TRANSPOSE: &str = include_str!("../../../kernels/transpose.cu");
const TRANSPOSES: [&str; 4] = ["transpose_1", "transpose_2", "transpose_4", "transpose_8"];
/// Rows and columns of a tile.
const SIDE: usize = 32;
/// Axes that the kernels take at most.
const RANK: usize = 8;
const THREADS: u32 = 256;

impl Run<'_> {
    /// Queues a copy between two addresses as work of `device`, which reaches both.
    pub(in crate::device) fn strided(
        &self,
        (to, from): (u64, u64),
        pair: &Pair,
        size: usize,
        device: &Logical,
        route: &Route<'_>,
    ) -> Result<(), CudaError> {
        let kind = SIZES
            .iter()
            .position(|k| *k == size)
            .ok_or_else(|| CudaError::Unsupported(format!("copies of elements of {size} bytes")))?;
        if pair.extents.len() > RANK {
            let message = format!("copies of {} axes, at most {RANK}", pair.extents.len());
            return Err(CudaError::Unsupported(message));
        }
        let compiler = &self.group.compiler;
        if let Some((rows, columns)) = pair.transposed() {
            let load = || device.physical.functions(compiler, &transposes(), &TRANSPOSES);
            let functions = route.with_room(self.group, device, load)?;
            let (tiles, parameter) = transpose((to, from), pair, rows, columns);
            let grid = self.group.blocks(tiles);
            // SAFETY: as below.
            return unsafe {
                let (grid, parameters) = (Grid::new(grid, THREADS), Parameters::One(&parameter));
                route.launch(device, &functions[kind], grid, parameters)
            };
        }
        let load = || device.physical.functions(compiler, TEXT, &ENTRIES);
        let functions = route.with_room(self.group, device, load)?;
        let count: usize = pair.extents.iter().product();
        let wide = count > self.group.most_narrow as usize;
        let function = &functions[kind + if wide { SIZES.len() } else { 0 }];
        let grid = self.group.blocks(count.div_ceil(THREADS as usize));
        let mut words = [0; 4 + 3 * RANK];
        words[..4].copy_from_slice(&[to, from, count as u64, pair.extents.len() as u64]);
        let extents = pair.extents.iter().map(|&n| n as u64);
        for (axis, extent) in extents.enumerate() {
            let values = [extent, pair.to[axis] as u64, pair.from[axis] as u64];
            (0..3).for_each(|row| words[4 + row * RANK + axis] = values[row]);
        }
        let parameter: SmallVec<[u8; 224]> =
            words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // SAFETY: the structure of the kernel; both sides were checked against their blocks.
        unsafe {
            route.launch(device, function, Grid::new(grid, THREADS), Parameters::One(&parameter))
        }
    }
}

/// The kernels of copies through tiles.
pub(in crate::device) fn transposes() -> String {
    format!("{INDEX}\n{TRANSPOSE}")
}

/// How many tiles a transposing copy has, and the parameter of its kernel.
fn transpose(
    (to, from): (u64, u64),
    pair: &Pair,
    rows: usize,
    columns: usize,
) -> (usize, SmallVec<[u8; 256]>) {
    let others = (0..pair.extents.len()).filter(|&axis| axis != rows && axis != columns);
    let others: SmallVec<[usize; RANK]> = others.collect();
    let count: usize = others.iter().map(|&axis| pair.extents[axis]).product();
    let side =
        |axis: usize| [pair.extents[axis] as u64, pair.to[axis] as u64, pair.from[axis] as u64];
    let mut words = [0; 10 + 3 * (RANK - 2)];
    words[..2].copy_from_slice(&[to, from]);
    words[2..5].copy_from_slice(&side(rows));
    words[5..8].copy_from_slice(&side(columns));
    words[8..10].copy_from_slice(&[count as u64, others.len() as u64]);
    for (number, &axis) in others.iter().enumerate() {
        (0..3).for_each(|row| words[10 + row * (RANK - 2) + number] = side(axis)[row]);
    }
    let tiles =
        pair.extents[rows].div_ceil(SIDE).saturating_mul(pair.extents[columns].div_ceil(SIDE));
    (tiles.saturating_mul(count), words.iter().flat_map(|word| word.to_le_bytes()).collect())
}
