//! A kernel under construction: the operations of one element, composed task by task.

use crate::granularity;
use crate::merge::Together;
use crate::plan::{ParamSource, PlanOptions, Reduction};
use darray_core::{RealType, Scalar};
use darray_ir::{DomainId, IndexTask, MapId, StoreId, Window};
use darray_kernel::ir::{FoldItem, Op, Reducer, Value};
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
use hashbrown::HashMap;

/// A kernel under construction.
pub(crate) struct Composer<'w> {
    /// The window of the tasks.
    pub(crate) window: &'w Window,
    pub(crate) options: &'w PlanOptions,
    pub(crate) domain: DomainId,
    /// How the nest stands to the others of its kernel.
    pub(crate) together: Together,
    /// Reduced logical axes, as a bit set.
    pub(crate) axes: u32,
    first: u32,
    pub(crate) next_value: u32,
    pub(crate) prologue: Vec<Op>,
    pub(crate) body: Vec<Op>,
    values: HashMap<(StoreId, MapId), Value>,
    dtypes: Vec<RealType>,
    /// Of those through one map, the last one counts.
    pub(crate) stores: Vec<(StoreId, MapId, Value)>,
    pub(crate) loads: Vec<(Value, StoreId, MapId)>,
    pub(crate) folds: Vec<(FoldItem, Reduction)>,
    pub(crate) params: Vec<ParamSource>,
    pub(crate) scalars: Vec<((u32, u32), RealType)>,
    constants: Vec<(Scalar, Value)>,
}

impl<'w> Composer<'w> {
    /// A nest of these tasks, whose values are numbered from `first` on.
    pub(crate) fn new(
        window: &'w Window,
        tasks: &[u32],
        options: &'w PlanOptions,
        first: u32,
    ) -> Composer<'w> {
        let task = |t: &u32| &window.tasks()[*t as usize];
        // Tasks over no axes go with those over others.
        let over_axes = |task: &&IndexTask| window.domain(task.domain).rank() > 0;
        let first_over_axes = tasks.iter().map(task).find(over_axes);
        Composer {
            window,
            options,
            domain: first_over_axes.unwrap_or_else(|| task(&tasks[0])).domain,
            axes: tasks.iter().map(task).fold(0, |axes, t| axes | t.reduced_axes()),
            together: Together::One,
            first,
            next_value: first,
            prologue: Vec::new(),
            body: Vec::new(),
            values: HashMap::new(),
            dtypes: Vec::new(),
            stores: Vec::new(),
            loads: Vec::new(),
            folds: Vec::new(),
            params: Vec::new(),
            scalars: Vec::new(),
            constants: Vec::new(),
        }
    }

    fn value(&mut self, dtype: RealType) -> Value {
        let value = Value(self.next_value);
        self.next_value += 1;
        self.dtypes.push(dtype);
        value
    }

    fn dtype(&self, value: Value) -> RealType {
        self.dtypes[(value.0 - self.first) as usize]
    }

    /// The value of a store at the current element.
    pub(crate) fn load(&mut self, store: StoreId, map: MapId) -> Value {
        if let Some(&value) = self.values.get(&(store, map)) {
            return value;
        }
        let value = self.value(self.window.store(store).dtype);
        self.loads.push((value, store, map));
        self.values.insert((store, map), value);
        value
    }

    /// Sets the store at the current element, rounding to its type.
    pub(crate) fn store(&mut self, store: StoreId, map: MapId, value: Value) {
        let value = self.cast(value, self.window.store(store).dtype);
        self.values.insert((store, map), value);
        self.stores.push((store, map, value));
    }

    /// Applies a row of the operator table.
    pub(crate) fn apply(&mut self, operator: Operator, args: &[Value]) -> Value {
        let types: Vec<RealType> = args.iter().map(|&a| self.dtype(a)).collect();
        let dtype = operator.result(&types).expect("the emitter checks operand types");
        let result = self.value(dtype);
        self.body.push(Op::Apply { result, operator, args: args.into() });
        result
    }

    /// Converts a value; the value itself where it has the type.
    pub(crate) fn cast(&mut self, value: Value, to: RealType) -> Value {
        let path = Operator::conversion(self.dtype(value), to);
        path.into_iter().fold(value, |value, step| self.apply(step, &[value]))
    }

    /// A task's scalar argument, in the prologue.
    pub(crate) fn scalar(&mut self, task: u32, index: u32) -> Value {
        let dtype = self.window.tasks()[task as usize].scalars[index as usize].dtype();
        let result = self.value(dtype);
        self.prologue.push(Op::Scalar { result, index: self.scalars.len() as u16 });
        self.scalars.push(((task, index), dtype));
        result
    }

    /// A constant, in the prologue.
    pub(crate) fn constant(&mut self, scalar: Scalar) -> Value {
        if let Some(&(_, value)) = self.constants.iter().find(|(s, _)| *s == scalar) {
            return value;
        }
        let result = self.value(scalar.dtype());
        self.prologue.push(Op::Const { result, scalar });
        self.constants.push((scalar, result));
        result
    }

    /// The global index along a logical axis (renamed to its loop axis once the loops are known).
    pub(crate) fn index(&mut self, axis: u8) -> Value {
        let result = self.value(RealType::INDEX);
        self.body.push(Op::Index { result, axis });
        result
    }

    /// A draw of a random stream.
    pub(crate) fn random(
        &mut self,
        generator: BitGenerator,
        dtype: RealType,
        key: [Value; 4],
        counter: Value,
    ) -> Value {
        let result = self.value(dtype);
        self.body.push(Op::Random { result, generator, dtype, key, counter });
        result
    }

    /// Folds a value over the reduced axes into output stores: value, then index.
    pub(crate) fn fold(
        &mut self,
        value: Value,
        reducer: Reducer,
        axes: u32,
        outputs: Vec<(StoreId, MapId)>,
    ) {
        let result = self.value(self.dtype(value));
        let index = (outputs.len() > 1).then(|| self.value(RealType::INDEX));
        let over_points = granularity::over_points(axes, self.options.distributed_axes);
        let reduction = Reduction { reducer, domain: self.domain, axes, outputs, over_points };
        self.folds.push((FoldItem { reducer, value, result, index }, reduction));
    }
}
