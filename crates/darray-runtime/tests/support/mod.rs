//! A small front end for tests: views over stores, operations as emissions.
#![allow(dead_code, reason = "each test uses a part")]

use darray_core::{Chart, Compute, Dim, Map, Place, RealType, Result, Scalar, Shape};
use darray_cpu::{CpuDevices, CpuOptions};
use darray_device::Device;
use darray_ir::builtin::MatMul;
use darray_ir::{Privilege, TaskOp};
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::tree::TreeRule;
use darray_runtime::{Emission, Runtime, RuntimeOptions, StoreOwner, WindowSize};
use darray_testdevices::ReferenceDevice;
use darray_testdevices::{AdversarialDevice, Adversity};
use std::sync::Arc;

/// A view of a store.
#[derive(Clone)]
pub struct View {
    pub store: StoreOwner,
    pub map: Map,
    pub domain: Shape,
}

pub const LIMIT: u64 = 1 << 30;

/// Options for tests: tiny blocks, a window that only a read flushes.
pub fn options() -> RuntimeOptions {
    RuntimeOptions {
        tree_rule: TreeRule::TINY,
        window: WindowSize::Fixed(1000),
        ..RuntimeOptions::default()
    }
}

/// What carries out the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// The reference interpreter.
    Reference,
    /// CPU devices, each blind to the others' memory.
    Cpu,
}

impl Kind {
    pub const ALL: [Kind; 2] = [Kind::Reference, Kind::Cpu];

    pub fn devices(self, count: usize) -> Vec<Arc<dyn Device>> {
        match self {
            Kind::Reference => ReferenceDevice::set(count, LIMIT),
            Kind::Cpu => {
                CpuDevices::new(count, CpuOptions { isolate: true, ..CpuOptions::default() })
            }
        }
    }

    pub fn runtime(self, devices: usize, options: RuntimeOptions) -> Runtime {
        Runtime::new(self.devices(devices), options)
    }
}

pub fn reference(devices: usize, options: RuntimeOptions) -> Runtime {
    Kind::Reference.runtime(devices, options)
}

pub fn adversarial(
    kind: Kind,
    devices: usize,
    adversity: Adversity,
    options: RuntimeOptions,
) -> Runtime {
    Runtime::new(AdversarialDevice::set(kind.devices(devices), adversity), options)
}

impl View {
    /// Along each axis: start, step, count.
    pub fn slice(&self, slices: &[(i64, i64, usize)]) -> View {
        let domain: Shape = slices.iter().map(|s| s.2).collect();
        let mut map = self.map.clone();
        for dim in &mut map.dims {
            if let Some(axis) = dim.axis {
                let (start, step, _) = slices[axis as usize];
                dim.start += dim.step * start;
                dim.step *= step;
            }
        }
        map.normalise(&domain);
        View { store: self.store.clone(), map, domain }
    }

    pub fn t(&self) -> View {
        let rank = self.domain.rank() as u8;
        let domain: Shape = self.domain.iter().rev().copied().collect();
        let mut map = self.map.clone();
        for dim in &mut map.dims {
            dim.axis = dim.axis.map(|a| rank - 1 - a);
        }
        View { store: self.store.clone(), map, domain }
    }

    /// Of a whole store.
    pub fn reshape(&self, shape: &[usize]) -> View {
        let domain = Shape::new(shape);
        assert_eq!(domain.size(), self.domain.size());
        let strides = domain.strides();
        let dims = strides.iter().enumerate().map(|(a, &s)| Dim::along(a as u8, 0, s)).collect();
        let mut map = Map { chart: Chart::Linear, dims };
        map.normalise(&domain);
        View { store: self.store.clone(), map, domain }
    }

    /// With an extent-1 or absent leading axis stretched to `domain`.
    pub fn broadcast(&self, domain: &[usize]) -> View {
        let domain = Shape::new(domain);
        let lead = (domain.rank() - self.domain.rank()) as u8;
        let mut map = self.map.clone();
        for dim in &mut map.dims {
            dim.axis = dim.axis.map(|a| a + lead);
        }
        map.normalise(&domain);
        View { store: self.store.clone(), map, domain }
    }
}

/// Emits into a runtime.
#[derive(Clone)]
pub struct Program {
    pub rt: Runtime,
}

impl Program {
    pub fn new(rt: Runtime) -> Program {
        Program { rt }
    }

    pub fn empty(&self, dtype: RealType, shape: &[usize]) -> View {
        let shape = Shape::new(shape);
        let store = StoreOwner::new(self.rt.new_store(dtype, &shape));
        View { store, map: Map::identity(&shape), domain: shape }
    }

    #[track_caller]
    pub fn emit(
        &self,
        op: TaskOp,
        name: &'static str,
        domain: &Shape,
        args: &[(&View, Privilege)],
        scalars: &[Scalar],
    ) {
        let args: Vec<_> = args.iter().map(|(v, p)| (v.store.store().into(), &v.map, *p)).collect();
        let place = Place::caller();
        self.rt.emit(Emission { op, name, domain, args: &args, scalars, place });
    }

    #[track_caller]
    pub fn from(&self, shape: &[usize], values: &[f64]) -> View {
        let bytes = Arc::new(values.to_vec());
        let shape = Shape::new(shape);
        let place = Place::caller();
        let store = self.rt.import(RealType::F64, &shape, bytes, "from_vec", place).unwrap();
        View { store: StoreOwner::new(store), map: Map::identity(&shape), domain: shape }
    }

    #[track_caller]
    pub fn fill(&self, view: &View, value: f64) {
        let args = [(view, Privilege::Write)];
        self.emit(TaskOp::Fill, "full", &view.domain, &args, &[value.into()]);
    }

    #[track_caller]
    pub fn full(&self, shape: &[usize], value: f64) -> View {
        let view = self.empty(RealType::F64, shape);
        self.fill(&view, value);
        view
    }

    #[track_caller]
    pub fn arange(&self, n: usize) -> View {
        let view = self.empty(RealType::F64, &[n]);
        let args = [(&view, Privilege::Write)];
        self.emit(
            TaskOp::Arange { axes: 1 },
            "arange",
            &view.domain,
            &args,
            &[0.0.into(), 1.0.into()],
        );
        view
    }

    #[track_caller]
    pub fn binary(&self, operator: Operator, a: &View, b: &View) -> View {
        let out = self.empty(RealType::F64, &a.domain);
        self.binary_into(operator, &out, a, b);
        out
    }

    #[track_caller]
    pub fn binary_into(&self, operator: Operator, out: &View, a: &View, b: &View) {
        let args = [(out, Privilege::Write), (a, Privilege::Read), (b, Privilege::Read)];
        let op = TaskOp::Apply { operator, compute: Compute::F64, scalars: 0 };
        self.emit(op, operator.name(), &out.domain, &args, &[]);
    }

    #[track_caller]
    pub fn add(&self, a: &View, b: &View) -> View {
        self.binary(Operator::Add, a, b)
    }

    #[track_caller]
    pub fn mul_scalar(&self, a: &View, scalar: f64) -> View {
        let out = self.empty(RealType::F64, &a.domain);
        let op = TaskOp::Apply { operator: Operator::Mul, compute: Compute::F64, scalars: 2 };
        let args = [(&out, Privilege::Write), (a, Privilege::Read)];
        self.emit(op, "multiply", &out.domain, &args, &[scalar.into()]);
        out
    }

    #[track_caller]
    pub fn assign(&self, to: &View, from: &View) {
        let args = [(to, Privilege::Write), (from, Privilege::Read)];
        self.emit(TaskOp::Copy, "assign", &to.domain, &args, &[]);
    }

    /// Outputs without the reduced axes.
    #[track_caller]
    pub fn reduce(&self, reducer: Reducer, a: &View, axes: u32) -> Vec<View> {
        let kept: Vec<usize> = (0..a.domain.rank()).filter(|d| axes >> d & 1 == 0).collect();
        let shape: Vec<usize> = kept.iter().map(|&d| a.domain[d]).collect();
        let output = |dtype| {
            let mut out = self.empty(dtype, &shape);
            for (dim, &axis) in out.map.dims.iter_mut().zip(&kept) {
                dim.axis = dim.axis.map(|_| axis as u8);
            }
            out
        };
        let mut outputs = vec![output(RealType::F64)];
        if reducer.has_index() {
            outputs.push(output(RealType::I64));
        }
        let reduces = Privilege::Reduce(reducer);
        let mut args: Vec<_> = outputs.iter().map(|o| (o, reduces)).collect();
        args.push((a, Privilege::Read));
        self.emit(TaskOp::Reduce { reducer, axes }, reducer.name(), &a.domain, &args, &[]);
        let identity = |o: &View| View { map: Map::identity(&o.domain), ..o.clone() };
        outputs.iter().map(identity).collect()
    }

    #[track_caller]
    pub fn sum(&self, a: &View, axes: u32) -> View {
        self.reduce(Reducer::Sum, a, axes).remove(0)
    }

    #[track_caller]
    pub fn matmul(&self, a: &View, b: &View) -> View {
        let out = self.empty(RealType::F64, &[a.domain[0], b.domain[1]]);
        let args = [(&out, Privilege::Write), (a, Privilege::Read), (b, Privilege::Read)];
        let k = Scalar::from(a.domain[1] as i64);
        self.emit(TaskOp::Builtin(MatMul.into()), "matmul", &out.domain, &args, &[k]);
        out
    }

    #[track_caller]
    pub fn try_bytes(&self, view: &View) -> Result<Vec<u8>> {
        let View { store, map, domain } = view;
        self.rt.read(store.store(), map, domain, "to_vec", Place::caller())
    }

    #[track_caller]
    pub fn read(&self, view: &View) -> Vec<f64> {
        let bytes = self.try_bytes(view).unwrap();
        bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
    }

    #[track_caller]
    pub fn read_i64(&self, view: &View) -> Vec<i64> {
        let bytes = self.try_bytes(view).unwrap();
        bytes.chunks(8).map(|c| i64::from_le_bytes(c.try_into().unwrap())).collect()
    }
}

/// Values that round badly when added in another order.
pub fn noise(n: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..n)
        .map(|_| (next() >> 11) as f64 / (1u64 << 53) as f64 * 10f64.powi((next() % 9) as i32))
        .collect()
}
