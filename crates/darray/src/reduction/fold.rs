//! One fold: an index task.

use crate::DynArray;
use crate::creation::create_in;
use darray_core::{Chart, DType, Dim, Map, Place, Result, Scalar, Shape, View};
use darray_ir::{Privilege, TaskOp};
use darray_kernel::ir::Reducer;
use darray_runtime::{Emission, NewStores, StoreRef};
use smallvec::SmallVec;

impl DynArray {
    /// Folds the elements, cast to `dtype`, over the axes of a bit set; `shape` is what is left. Gives
    /// the index for arg-reductions, else the value.
    pub(super) fn fold(
        &self,
        reducer: Reducer,
        dtype: DType,
        axes: u32,
        shape: &Shape,
        (name, place): (&'static str, Place),
    ) -> Result<DynArray> {
        if axes == 0 {
            return self.fold_nothing(reducer, dtype, name, place);
        }
        let outputs = [StoreRef::New(dtype, shape), StoreRef::New(DType::I64, shape)];
        let outputs = &outputs[..if reducer.has_index() { 2 } else { 1 }];
        let map = output_map(self.shape_of(), axes, shape);
        let made = self.emit_fold(reducer, axes, &map, outputs, (name, place))?;
        Ok(DynArray::of_made(self.runtime(), made, View::whole(shape)))
    }

    /// Emits a fold into stores through a map over this array's shape.
    pub(super) fn emit_fold(
        &self,
        reducer: Reducer,
        axes: u32,
        map: &Map,
        outputs: &[StoreRef<'_>],
        (name, place): (&'static str, Place),
    ) -> Result<NewStores> {
        let mut args: SmallVec<[(StoreRef<'_>, &Map, Privilege); 3]> = SmallVec::new();
        args.extend(outputs.iter().map(|&output| (output, map, Privilege::Reduce(reducer))));
        args.push((self.variable().when_recorded(), self.view().map(), Privilege::Read));
        let (op, domain) = (TaskOp::Reduce { reducer, axes }, self.shape_of());
        self.runtime().emit(Emission { op, name, domain, args: &args, scalars: &[], place })
    }

    /// A reduction over no axis: each element by itself.
    fn fold_nothing(
        &self,
        reducer: Reducer,
        dtype: DType,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        match reducer {
            Reducer::ArgMin | Reducer::ArgMax => {
                let (runtime, shape, first) = (self.runtime(), self.shape_of(), Scalar::from(0i64));
                create_in(runtime, name, TaskOp::Fill, DType::I64, shape, &[first], place)
            }
            _ => self.copy_as(name, dtype, place),
        }
    }
}

/// The output's map over the domain: kept axes in order, nothing for reduced ones.
fn output_map(domain: &Shape, axes: u32, shape: &Shape) -> Map {
    let kept = shape.rank() != domain.rank();
    let mut dims = SmallVec::new();
    for (axis, &extent) in domain.iter().enumerate() {
        match axes >> axis & 1 == 1 {
            true if kept => {}
            reduced if reduced || extent == 1 => dims.push(Dim::fixed(0)),
            _ => dims.push(Dim::along(axis as u8, 0, 1)),
        }
    }
    Map { chart: Chart::Native, dims }
}
