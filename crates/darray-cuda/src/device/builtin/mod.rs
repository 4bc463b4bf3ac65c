//! Builtins: kernels of `kernels/`, with the bits of the CPU's.

mod check;
mod compact;
mod gather;
mod matmul;
mod reduce_finish;
mod scan;
mod scatter;
mod scatter_add;
mod search;
mod sort;
mod table;

use crate::device::work::Run;
use crate::device::work::rectangle::inside;
use crate::driver::{Function, Grid, Parameters};
use crate::error::CudaError;
use darray_core::RealType;
use darray_device::builtin::{
    Compact, Gather, MatMul, Merge, ReduceFinish, Scan, Scatter, Search, Sort, View,
};
use darray_device::{Arg, Fault};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Threads of a block.
const THREADS: u32 = 256;

impl Run<'_> {
    /// Queues a builtin.
    pub(super) fn builtin(&mut self, name: &str, args: &[Arg]) -> Result<(), Fault> {
        self.own.builtins.fetch_add(1, Ordering::Relaxed);
        match name {
            MatMul::NAME => self.matmul(&MatMul::decode(args)?),
            ReduceFinish::NAME => self.reduce_finish(&ReduceFinish::decode(args)?),
            Scan::NAME => self.scan(&Scan::decode(args)?),
            Gather::NAME => self.look_up(&Gather::decode(args)?),
            Scatter::NAME => self.write_by_index(&Scatter::decode(args)?),
            Sort::NAME => self.sort(&Sort::decode(args)?),
            Merge::NAME => self.merge(&Merge::decode(args)?),
            Compact::NAME => self.compact(&Compact::decode(args)?),
            Search::NAME => self.search(&Search::decode(args)?),
            _ => Err(Fault::Execution(format!("CUDA devices have no builtin `{name}`"))),
        }
    }

    /// The address of element (0, 0, ..) of a view that has these extents.
    pub(super) fn view(
        &self,
        view: &View,
        extents: &[usize],
        dtype: RealType,
    ) -> Result<u64, Fault> {
        self.check_own(view.block.device)?;
        let block = self.own.memory.locate(view.block)?;
        inside(view.offset, extents, &view.strides, dtype.size(), block)
    }

    /// The kernels of a text.
    fn kernels(&self, text: &str, entries: &[&str]) -> Result<Arc<Vec<Function>>, Fault> {
        let (physical, compiler) = (&self.own.physical, &self.group.compiler);
        let load = || physical.functions(compiler, text, entries);
        self.route.with_room(self.group, self.own, load).map_err(CudaError::execution)
    }

    /// Queues a kernel that loops over `items` with as many threads as the GPU needs; `per_block` of
    /// them belong to a block.
    ///
    /// # Safety
    /// The words are the kernel's structure, and every address in them is valid when it runs.
    unsafe fn over(
        &self,
        kernel: &Function,
        items: usize,
        per_block: usize,
        words: &[u64],
    ) -> Result<(), CudaError> {
        let grid = self.group.blocks(items.div_ceil(per_block));
        let parameter: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // SAFETY: the caller's contract.
        unsafe {
            self.route.launch(
                self.own,
                kernel,
                Grid::new(grid, THREADS),
                Parameters::One(&parameter),
            )
        }
    }
}

/// Elements of an array of these extents, none of which is too large to count.
fn count(extents: &[usize]) -> Result<usize, Fault> {
    let product = extents.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    let counted = product.filter(|&n| n <= i64::MAX as usize);
    counted.ok_or_else(|| Fault::Execution(format!("a builtin over {extents:?}")))
}

#[cfg(test)]
mod tests {
    use crate::device::builtin::sort::Sorted;
    use crate::device::work::copy_kernel;
    use crate::{Compiler, Nvrtc, Target};
    use darray_core::RealType;
    use darray_core::settings::Settings;
    use darray_kernel::ir::Reducer;

    #[test]
    fn every_text_compiles_to_machine_code() {
        let settings = Settings::global().expect("settings");
        let nvrtc = match Nvrtc::load(settings.nvrtc.as_deref()) {
            Ok(nvrtc) => nvrtc,
            Err(error) => return darray_fakecuda::without_nvrtc(error),
        };
        let mut texts = vec![copy_kernel::TEXT.to_string(), copy_kernel::transposes()];
        texts.extend([
            super::gather::text(),
            super::scatter::text(false),
            super::scatter::text(true),
            super::compact::text(),
        ]);
        texts.extend([RealType::U8, RealType::F16, RealType::F64].map(super::search::text));
        let added = [(RealType::I64, false), (RealType::F32, false), (RealType::F64, true)];
        texts.extend(added.map(|(dtype, wide)| super::scatter_add::text(dtype, wide)));
        for plain in [false, true] {
            let sorted = |dtype, wide| super::sort::text(Sorted { dtype, wide, plain });
            // Integers and floats, of one byte and of eight; the tests of sorts compile those of all types.
            texts.extend(
                [RealType::U8, RealType::F16, RealType::F64].map(|dtype| sorted(dtype, false)),
            );
            texts.push(sorted(RealType::F64, true));
        }
        texts.extend([RealType::U8, RealType::F16, RealType::F64].map(super::sort::merge_text));
        // Of types that are made of the same steps, one, and of each tile, reducer and scan another one.
        let multiplied = [RealType::F64, RealType::I64, RealType::F32];
        for (tiles, dtype) in
            super::matmul::Tiles::ALL.into_iter().zip(multiplied.into_iter().cycle())
        {
            texts.push(super::matmul::text(dtype, tiles, false));
        }
        for (number, &reducer) in Reducer::ALL.iter().enumerate() {
            let mut defined = RealType::ALL.to_vec();
            defined.retain(|dtype| reducer.result(*dtype).is_some());
            let dtype = defined[number % defined.len()];
            texts.push(super::reduce_finish::text(reducer, dtype, 8));
        }
        let scans = Reducer::ALL.iter().filter(|reducer| reducer.has_scan());
        for (&reducer, dtype) in scans.zip(multiplied.into_iter().cycle()) {
            texts.push(super::scan::text(reducer, dtype));
        }
        let chained = super::matmul::text(RealType::F64, super::matmul::Tiles::ALL[0], true);
        assert!(super::matmul::Tiles::ALL[0].has_matrix_steps(RealType::F64));
        texts.push(chained.clone());
        let compiler = Compiler::new(nvrtc, None);
        let mut asked = 0;
        for (number, text) in texts.iter().enumerate() {
            let older = *text != chained && number % 8 == 0;
            for capability in [90].into_iter().chain(older.then_some(80)) {
                let image = compiler.compile_own(text, Target::Cubin(capability));
                let image = image.unwrap_or_else(|e| panic!("sm_{capability}: {e}\n{text}"));
                assert_eq!(&image[..4], b"\x7fELF");
                asked += 1;
            }
        }
        // Bools sort as bytes do. Of bools, the least is whether all are true: one text.
        let stats = compiler.stats();
        assert_eq!(stats.compiled + stats.from_memory, asked);
    }
}
