//! How kernels are run.

use super::Run;
use crate::device::lock;
use crate::device::state::compiled::{Compiled, Text};
use crate::driver::{Grid, Parameters};
use crate::error::CudaError;
use darray_codegen::cuda::{Binding, Bindings, Variant};
use darray_device::{Arg, Code, DeviceId, Fault};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Run<'_> {
    /// Queues a kernel.
    pub(in crate::device) fn launch(&mut self, code: Code, args: &[Arg]) -> Result<(), Fault> {
        let compiled = self.own.codes.get(code)?;
        let Compiled { kernel, buffers, params, scalars, .. } = &*compiled;
        if args.len() != buffers + params + scalars {
            let expected = buffers + params + scalars;
            let found = args.len();
            return Err(Fault::Execution(format!("{found} arguments, {expected} expected")));
        }
        let (buffers, numbers) = args.split_at(*buffers);
        let buffers = buffers.iter().map(|b| self.binding(b)).collect::<Result<Vec<_>, _>>()?;
        let numbers = numbers.iter().map(bits).collect::<Result<SmallVec<[u64; 16]>, _>>()?;
        let (params, scalars) = numbers.split_at(*params);
        let params: SmallVec<[i64; 16]> = params.iter().map(|&p| p as i64).collect();
        let bindings = Bindings { buffers: &buffers, params: &params, scalars };
        let prepared = kernel.prepare(&bindings);
        let mut prepared = prepared.map_err(|e| Fault::Execution(e.to_string()))?;
        let text = self.text(&compiled, prepared.variant()).map_err(CudaError::execution)?;
        if text.any_numbers {
            prepared.take_any_numbers();
        }
        let functions = text.functions;
        self.own.launches.fetch_add(1, Ordering::Relaxed);
        self.submission.keep(&functions);
        self.with_workspace(prepared.workspace(), |workspace| {
            for launch in prepared.launches(workspace) {
                let function = &functions[launch.entry];
                let grid = Grid::from((launch.grid, launch.block, launch.shared));
                let parameters = Parameters::One(&launch.arguments);
                // SAFETY: the generator made the parameter for this text, and checked every access
                // against its block.
                unsafe { self.route.launch(self.own, function, grid, parameters)? };
            }
            Ok(())
        })
    }

    /// Queues work that needs device memory of its own.
    pub(in crate::device) fn with_workspace(
        &self,
        bytes: u64,
        work: impl FnOnce(u64) -> Result<(), CudaError>,
    ) -> Result<(), Fault> {
        if bytes == 0 {
            return work(0).map_err(CudaError::execution);
        }
        self.route.with_space(self.group, self.own, bytes, work).map_err(CudaError::execution)
    }

    fn text(&self, compiled: &Compiled, variant: &Variant) -> Result<Text, CudaError> {
        if let Some(text) = lock(&compiled.variants).get(variant) {
            return Ok(text.clone());
        }
        let chosen = compiled.to_compile(variant);
        let source = compiled.kernel.source(&chosen);
        let (physical, compiler) = (&self.own.physical, &self.group.compiler);
        let load = || physical.passing_functions(compiler, &source.text, &source.entries);
        let functions = Arc::new(self.route.with_room(self.group, self.own, load)?);
        let text = Text { functions, any_numbers: chosen != *variant };
        lock(&compiled.variants).insert(variant.clone(), text.clone());
        Ok(text)
    }

    fn binding(&self, arg: &Arg) -> Result<Binding, Fault> {
        let Arg::Buffer { block, offset, strides } = arg else {
            return Err(Fault::Execution("a buffer argument is no buffer".to_string()));
        };
        self.check_own(block.device)?;
        let located = self.own.memory.locate(*block)?;
        Ok(Binding {
            address: located.address,
            bytes: located.bytes,
            offset: *offset,
            strides: strides.clone(),
        })
    }

    /// Kernels and the ends of transfers are on this device.
    pub(in crate::device) fn check_own(&self, device: DeviceId) -> Result<(), Fault> {
        if device == self.own.id {
            return Ok(());
        }
        Err(Fault::Execution(format!(
            "a block of device {} is used on device {}",
            device.0, self.own.id.0
        )))
    }
}

fn bits(arg: &Arg) -> Result<u64, Fault> {
    match arg {
        Arg::Bits(bits) => Ok(*bits),
        Arg::Buffer { .. } => Err(Fault::Execution("a number argument is a buffer".to_string())),
    }
}
