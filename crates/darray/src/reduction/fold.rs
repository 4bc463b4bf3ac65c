//! One fold: an index task.

use crate::DynArray;
use crate::elementwise::nullary::create_in;
use darray_core::{Chart, Dim, Map, Place, RealType, Result, Scalar, Shape, View};
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
        dtype: RealType,
        axes: u32,
        shape: &Shape,
        (name, place): (&'static str, Place),
    ) -> Result<DynArray> {
        if axes == 0 {
            return self.fold_nothing(reducer, dtype, name, place);
        }
        let outputs = [StoreRef::New(dtype, shape), StoreRef::New(RealType::I64, shape)];
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
        let source = self.view().map();
        let order = match reducer.has_index() {
            // Indices count the axes as they are.
            true => None,
            false => MemoryOrder::find(source, self.shape_of()),
        };
        let (mut domain, mut maps, mut axes) =
            (self.shape_of().clone(), [map.clone(), source.clone()], axes);
        if let Some(order) = order {
            domain = order.extents(&domain);
            maps = maps.map(|map| order.renamed(&map, &domain));
            axes = order.axes(axes);
        }
        let mut args: SmallVec<[(StoreRef<'_>, &Map, Privilege); 3]> = SmallVec::new();
        args.extend(outputs.iter().map(|&output| (output, &maps[0], Privilege::Reduce(reducer))));
        args.push((self.when_recorded(), &maps[1], Privilege::Read));
        let (op, domain) = (TaskOp::Reduce { reducer, axes }, &domain);
        self.runtime().emit(Emission { op, name, domain, args: &args, scalars: &[], place })
    }

    /// A reduction over no axis: each element by itself.
    fn fold_nothing(
        &self,
        reducer: Reducer,
        dtype: RealType,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        match reducer.has_index() {
            true => {
                let (runtime, shape, first) = (self.runtime(), self.shape_of(), Scalar::from(0i64));
                create_in(runtime, name, TaskOp::Fill, RealType::I64, shape, &[first], place)
            }
            false => self.copy_as(name, dtype, place),
        }
    }
}

/// The axes of a permuted view in the order in which they lie in memory, which a reduction goes by: by axis of the view, its number.
struct MemoryOrder(SmallVec<[u8; 4]>);

impl MemoryOrder {
    /// That of a view through which every axis moves along a dimension of its own, if it is another order than that of the axes.
    fn find(map: &Map, domain: &Shape) -> Option<MemoryOrder> {
        if map.chart != Chart::Native || domain.rank() < 2 {
            return None;
        }
        let dimension = |axis: usize| {
            let mut moved =
                map.dims.iter().enumerate().filter(|(_, dim)| dim.axis == Some(axis as u8));
            match (moved.next(), moved.next(), domain[axis]) {
                (Some((dimension, _)), None, _) => Some(dimension + 1),
                // Axes of one element come first.
                (None, _, 1) => Some(0),
                _ => None,
            }
        };
        let dimensions: SmallVec<[usize; 4]> =
            (0..domain.rank()).map(dimension).collect::<Option<_>>()?;
        let mut order: SmallVec<[usize; 4]> = (0..domain.rank()).collect();
        order.sort_by_key(|&axis| dimensions[axis]);
        let moving = order.iter().filter(|&&axis| dimensions[axis] > 0);
        if moving.is_sorted() {
            return None;
        }
        let mut places: SmallVec<[u8; 4]> = SmallVec::from_elem(0, domain.rank());
        order.iter().enumerate().for_each(|(place, &axis)| places[axis] = place as u8);
        Some(MemoryOrder(places))
    }

    /// The extents of the axes in this order.
    fn extents(&self, domain: &Shape) -> Shape {
        let mut extents: SmallVec<[usize; 4]> = SmallVec::from_elem(0, domain.rank());
        self.0
            .iter()
            .zip(domain.iter())
            .for_each(|(&place, &extent)| extents[place as usize] = extent);
        Shape::new(&extents)
    }

    /// A map over the domain as one over that with these extents.
    fn renamed(&self, map: &Map, extents: &Shape) -> Map {
        let place = |axis: u8| self.0[axis as usize];
        let dims = map.dims.iter().map(|dim| Dim { axis: dim.axis.map(place), ..*dim });
        let mut map = Map { chart: map.chart, dims: dims.collect() };
        map.normalise(extents);
        map
    }

    /// A set of axes by their numbers in this order.
    fn axes(&self, axes: u32) -> u32 {
        self.0.iter().enumerate().fold(0, |all, (axis, &place)| all | (axes >> axis & 1) << place)
    }
}

/// The output's map over the domain: parallel axes in order, nothing for reduced ones.
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
