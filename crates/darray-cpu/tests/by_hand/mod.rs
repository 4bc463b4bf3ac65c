//! Kernels built by hand, and a device to run them on.
#![allow(dead_code)]

use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions};
use darray_device::{Arg, Command, Device, Fault, Queue, Rect};
use darray_kernel::ir::*;
use darray_kernel::operator::Operator;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};

/// Plain data as bytes.
pub fn bytes<T: Copy>(values: &[T]) -> Vec<u8> {
    let length = size_of_val(values);
    // SAFETY: numbers have no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), length) }.to_vec()
}

/// Bytes as f64.
pub fn f64s(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}

/// A kernel of at most one nest with one region, over contiguous buffers.
pub struct Builder {
    pub kernel: Kernel,
    pub params: Vec<i64>,
    pub scalars: Vec<Scalar>,
    pub shapes: Vec<Vec<usize>>,
    extents: Vec<usize>,
    axes: Vec<Axis>,
    prologue: Vec<Op>,
    ops: Vec<Op>,
    values: u32,
}

impl Builder {
    pub fn new() -> Builder {
        Builder {
            kernel: Kernel {
                params: 0,
                scalars: vec![],
                buffers: vec![],
                body: Region::default(),
                by_rows: false,
            },
            params: vec![],
            scalars: vec![],
            shapes: vec![],
            extents: vec![],
            axes: vec![],
            prologue: vec![],
            ops: vec![],
            values: 0,
        }
    }

    pub fn param(&mut self, value: i64) -> Param {
        self.params.push(value);
        Param(self.params.len() as u16 - 1)
    }

    pub fn axis(&mut self, extent: usize) -> u8 {
        let (e, o) = (self.param(extent as i64), self.param(0));
        let logical = self.axes.len() as u8;
        self.axes.push(Axis { extent: e, origin: o, global: e, logical });
        self.extents.push(extent);
        logical
    }

    pub fn buffer(&mut self, dtype: RealType, rank: u8) -> u16 {
        self.kernel.buffers.push(Buffer { dtype, rank, role: Role::ReadWrite, no_alias: true });
        self.shapes.push(vec![]);
        self.shapes.len() as u16 - 1
    }

    fn value(&mut self) -> Value {
        self.values += 1;
        Value(self.values - 1)
    }

    pub fn scalar(&mut self, scalar: Scalar) -> Value {
        let result = self.value();
        self.kernel.scalars.push(scalar.dtype());
        self.scalars.push(scalar);
        self.prologue.push(Op::Scalar { result, index: self.scalars.len() as u16 - 1 });
        result
    }

    pub fn constant(&mut self, scalar: Scalar) -> Value {
        let result = self.value();
        self.prologue.push(Op::Const { result, scalar });
        result
    }

    fn access(&mut self, buffer: u16, axes: &[u8]) -> Access {
        let zero = self.param(0);
        self.shapes[buffer as usize] = axes.iter().map(|&a| self.extents[a as usize]).collect();
        let dim =
            |&axis: &u8| AccessDim { axis: Some(axis), start: zero, step: Step::One, shift: 0 };
        Access { buffer, dims: axes.iter().map(dim).collect() }
    }

    pub fn load(&mut self, buffer: u16, axes: &[u8]) -> Value {
        let (result, from) = (self.value(), self.access(buffer, axes));
        self.ops.push(Op::Load { result, from });
        result
    }

    pub fn apply(&mut self, operator: Operator, args: &[Value]) -> Value {
        let result = self.value();
        self.ops.push(Op::Apply { result, operator, args: args.into() });
        result
    }

    pub fn store(&mut self, buffer: u16, axes: &[u8], value: Value) {
        let to = self.access(buffer, axes);
        self.ops.push(Op::Store { to, value, mask: None });
    }

    pub fn finish(&mut self) -> Kernel {
        let mut kernel = self.kernel.clone();
        kernel.params = self.params.len() as u16;
        kernel.body.ops = self.prologue.clone();
        if self.axes.is_empty() {
            kernel.body.ops.extend(self.ops.iter().cloned());
        } else {
            let body = Region { axes: self.axes.clone(), ops: self.ops.clone() };
            kernel.body.ops.push(Op::For { body });
        }
        kernel
    }
}

/// One device.
pub struct Host {
    pub device: Arc<dyn Device>,
}

const QUEUE: Queue = Queue(0);

impl Host {
    pub fn new() -> Host {
        Host { device: CpuDevices::new(1, CpuOptions::default()).remove(0) }
    }

    /// Runs a built kernel on buffers with these contents; gives their contents afterwards.
    pub fn run(&self, builder: Builder, contents: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        self.try_run(builder, contents).unwrap()
    }

    pub fn try_run(&self, mut b: Builder, contents: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Fault> {
        let code = self.device.compile(&b.finish())?;
        let mut args = vec![];
        let mut rects = vec![];
        for (buffer, content) in contents.iter().enumerate() {
            let dtype = b.kernel.buffers[buffer].dtype;
            let block = self.device.allocate(QUEUE, content.len() as u64)?;
            let strides: SmallVec<[i64; 4]> =
                darray_core::Shape::new(&b.shapes[buffer]).strides().into_iter().collect();
            args.push(Arg::Buffer { block, offset: 0, strides });
            let rect = Rect {
                block,
                dtype,
                offset: 0,
                extents: SmallVec::from_slice(&[content.len() / dtype.size()]),
                strides: SmallVec::from_slice(&[1]),
            };
            self.submit(Command::Upload { from: Arc::new(content.clone()), to: rect.clone() })?;
            rects.push(rect);
        }
        args.extend(b.params.iter().map(|&p| Arg::Bits(p as u64)));
        args.extend(b.scalars.iter().map(|s| Arg::Bits(s.bits())));
        self.submit(Command::Launch { code, args })?;
        let mut out = vec![];
        for (rect, content) in rects.into_iter().zip(&contents) {
            let host: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0; content.len()]));
            let block = rect.block;
            self.submit(Command::Download { from: rect, to: host.clone(), at: 0 })?;
            self.device.release(QUEUE, block, &[]);
            out.push(host.lock().unwrap().clone());
        }
        Ok(out)
    }

    fn submit(&self, command: Command) -> Result<(), Fault> {
        let event = self.device.submit(QUEUE, &[], &[command])?;
        self.device.wait(event).map_err(|fault| fault.fault)
    }
}
