//! Nests bound to memory, for tests that look at what binding decides.

use super::bind::arguments::Arguments;
use super::bind::compiled::Compiled;
use super::bind::{Bound, Streaming, bind};
use super::launch::launch;
use crate::jit::Target;
use crate::level::Level;
use crate::memory::Memory;
use crate::workers::Workers;
use darray_device::{Arg, DeviceId};
use darray_kernel::ir::Kernel;
use std::sync::Arc;

/// Where a buffer lies: its block, and its first element and strides there.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    pub block: usize,
    pub offset: usize,
    pub strides: &'a [i64],
}

/// Binds the first nest of a kernel to blocks of a mebibyte and looks at it.
pub(super) fn with_bound<R>(
    kernel: &str,
    arrays: &[Array<'_>],
    params: &[usize],
    jit: Option<Target>,
    from: usize,
    look: impl FnOnce(&Bound<'_>) -> R,
) -> R {
    with_arguments(kernel, arrays, params, jit, |compiled, arguments, _| {
        look(&bind(compiled, 0, arguments, Streaming::from(from)).unwrap().unwrap())
    })
}

/// Compiles a kernel and looks at it with arguments in four blocks of a mebibyte and one of 512 bytes, whose
/// addresses come along.
pub(super) fn with_arguments<R>(
    kernel: &str,
    arrays: &[Array<'_>],
    params: &[usize],
    jit: Option<Target>,
    look: impl FnOnce(&Compiled, &Arguments<'_>, &[*mut f64]) -> R,
) -> R {
    with_launches(kernel, &[(arrays, params)], jit, |compiled, launches, blocks| {
        look(compiled, &launches[0], blocks)
    })
}

/// The same with arguments of several launches.
pub(super) fn with_launches<R>(
    kernel: &str,
    launches: &[(&[Array<'_>], &[usize])],
    jit: Option<Target>,
    look: impl FnOnce(&Compiled, &[Arguments<'_>], &[*mut f64]) -> R,
) -> R {
    let kernel = Kernel::parse(kernel).unwrap();
    let compiled = Compiled::new(&kernel, Level::detect(), jit, Arc::default(), None).unwrap();
    let mut memory = Memory::new(DeviceId(0), 16 << 20);
    // A range of addresses for all of them, which lie side by side there.
    let all = memory.allocate(8 << 20).unwrap();
    memory.release(all);
    let sizes = [1 << 20, 1 << 20, 1 << 20, 1 << 20, 512];
    let blocks = sizes.map(|bytes| memory.allocate(bytes).unwrap());
    let buffer = |array: &Array<'_>| Arg::Buffer {
        block: blocks[array.block],
        offset: array.offset as i64,
        strides: array.strides.iter().copied().collect(),
    };
    let args_of = |(arrays, params): &(&[Array<'_>], &[usize])| -> Vec<Arg> {
        let params = params.iter().map(|&param| Arg::Bits(param as u64));
        arrays.iter().map(buffer).chain(params).collect()
    };
    let args: Vec<Vec<Arg>> = launches.iter().map(args_of).collect();
    let locate = |block| memory.locate(block);
    let arguments =
        args.iter().map(|args| Arguments::new(compiled.program(), args, locate).unwrap());
    let places = blocks.iter().map(|&block| memory.locate(block).unwrap().pointer.cast());
    look(&compiled, &arguments.collect::<Vec<_>>(), &places.collect::<Vec<_>>())
}

/// What a kernel writes to the first elements of its second block, the first one holding `1/3, 1/4, ..`, and what is
/// seen of its nests. One thread runs it; nests that touch so many bytes are large.
pub(super) fn run<R>(
    kernel: &str,
    arrays: &[Array<'_>],
    params: &[usize],
    jit: Option<Target>,
    from: usize,
    elements: (usize, usize),
    look: impl Fn(&Bound<'_>) -> R,
) -> (Vec<u64>, Vec<R>) {
    run_on(1, kernel, (arrays, params), jit, from, elements, look)
}

/// The same on so many threads.
pub(super) fn run_on<R>(
    threads: usize,
    kernel: &str,
    (arrays, params): (&[Array<'_>], &[usize]),
    jit: Option<Target>,
    from: usize,
    (read, written): (usize, usize),
    look: impl Fn(&Bound<'_>) -> R,
) -> (Vec<u64>, Vec<R>) {
    assert!(read.max(written) <= (1 << 20) / 8);
    with_arguments(kernel, arrays, params, jit, |compiled, arguments, blocks| {
        let streaming = Streaming::from(from);
        // SAFETY: the blocks hold so many elements, and nobody else knows them.
        let bits = unsafe {
            (0..read).for_each(|k| blocks[0].add(k).write(1.0 / (k + 3) as f64));
            (0..written).for_each(|k| blocks[1].add(k).write(0.0));
            launch(compiled, arguments, &Workers::new(threads, 0), streaming).unwrap();
            (0..written).map(|k| blocks[1].add(k).read().to_bits()).collect()
        };
        let nests = 0..compiled.program().nests.len();
        let bound = nests.map(|nest| bind(compiled, nest, arguments, streaming).unwrap().unwrap());
        (bits, bound.map(|bound| look(&bound)).collect())
    })
}

/// A fold of a cube: its extents in logical order, elements per step of each axis, the axes that are summed, and those per
/// step of the axes of the result.
pub(super) struct Cube<'a> {
    pub extents: [usize; 3],
    pub strides: [i64; 3],
    pub reduced: &'a [usize],
    pub to: &'a [i64],
}

/// Folds of elements of every kind, as [`Cube::fold`] takes them: the type, the reducer. Floats come from doubles, those of f16
/// as f32; integers are their bits.
pub(super) const FOLDS: [(&str, &str); 8] = [
    ("f64", "sum"),
    ("f64", "max"),
    ("f32", "prod"),
    ("f16", "sum"),
    ("i64", "sum"),
    ("i32", "min"),
    ("f64", "argmax"),
    ("i64", "argmin"),
];

impl Cube<'_> {
    /// The kernel that folds elements of a type, and stores or yields the result; that of `argmax` and `argmin` is the
    /// place. Of the axes only the last one counts as an innermost one, so that leaves have few rows and small cubes many leaves.
    pub fn kernel(&self, (dtype, reducer): (&str, &str), yields: bool) -> String {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p3 global=p{k} logical={k}");
        let kept: Vec<usize> = (0..3).filter(|k| !self.reduced.contains(k)).collect();
        let number = |k: usize| {
            let at = |list: &[usize]| list.iter().position(|&one| one == k);
            at(&kept).or_else(|| Some(kept.len() + at(self.reduced)?)).unwrap()
        };
        let axes = |list: &[usize]| {
            let axes = list
                .iter()
                .map(|&k| axis(k).replacen(&format!("i{k}:"), &format!("i{}:", number(k)), 1));
            axes.collect::<Vec<_>>().join(", ")
        };
        let place = |list: &[usize]| {
            let places = list.iter().map(|&k| format!("p3 + 1*i{}", number(k)));
            places.collect::<Vec<_>>().join(", ")
        };

        let (from, body, value, dtype) = match dtype {
            "f16" => ("f64", "%1 = to_f16.f64 %0 %2 = to_f32.f16 %1", "%2", "f32"),
            "f32" => ("f64", "%1 = to_f32.f64 %0", "%1", dtype),
            _ => (dtype, "", "%0", dtype),
        };
        let (result, to) = match reducer.starts_with("arg") {
            true => ("%8 %9", "i64"),
            false => ("%9", dtype),
        };
        let (rank, access, store, slot) = match yields {
            true => (kept.len() + 1, "partial", "yield", Some("p3".to_string())),
            false => (kept.len(), "write", "store", None),
        };
        let to_place = slot.into_iter().chain((!kept.is_empty()).then(|| place(&kept)));
        let to_place = to_place.collect::<Vec<_>>().join(", ");
        let (points, end) = match kept.is_empty() {
            true => (String::new(), ""),
            false => (format!("for ({}) {{", axes(&kept)), "}"),
        };
        format!(
            "kernel params=4 scalars=[] b0: {from} rank 3 read noalias b1: {to} rank {rank} {access} noalias
             {{ {} fold ({}) lanes=32 width=64 rounds=32 alone=8 {{
                %0 = load b0[{}] {body} }} {result} = {reducer} {value} {store} b1[{}] %9 {} }}",
            points,
            axes(self.reduced),
            place(&[0, 1, 2]),
            to_place,
            end,
        )
    }

    /// What the fold gives, stored and yielded, and what is seen of its nest.
    pub fn fold<R>(
        &self,
        (dtype, reducer): (&str, &str),
        jit: Option<Target>,
        look: impl Fn(&Bound<'_>) -> R,
    ) -> (Vec<u64>, R) {
        let [a, b, c] = self.extents;
        let steps = self.extents.iter().zip(self.strides);
        let read = 1 + steps.map(|(&extent, step)| (extent - 1) * step as usize).sum::<usize>();
        let written = (a * b * c).min(1 << 17);
        let yielded: Vec<i64> = [&[1], self.to].concat();
        let [(bits, mut seen), (others, _)] =
            [(false, self.to), (true, &yielded)].map(|(yields, to)| {
                let text = self.kernel((dtype, reducer), yields);
                let arrays = [
                    Array { block: 0, offset: 0, strides: &self.strides },
                    Array { block: 1, offset: 0, strides: to },
                ];
                run(&text, &arrays, &[a, b, c, 0], jit, usize::MAX, (read, written), &look)
            });
        assert!(bits == others, "stored and yielded: {dtype} {reducer} {:?}", self.strides);
        (bits, seen.remove(0))
    }
}
