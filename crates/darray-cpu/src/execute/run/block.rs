//! Runs a list of instructions on a block.

use super::super::bind::Bound;
use super::super::code::operations::MachineOp;
use super::fold_memory::FoldMemory;
#[cfg(test)]
use crate::jit::PathCounter;
use crate::vector::{self, MOST_INTERLEAVED};
use darray_kernel::random::Stream;
use smallvec::SmallVec;

/// Runs `list` on `n` elements.
///
/// # Safety
/// `pointers` is a complete table for the machine that the list belongs to: cells and registers
/// are writable, accesses point at their current elements of which `n` along the vector axis exist,
/// `index` has an entry per axis, and `results` holds the results of the folds, those of the first element at a point
/// of its own, if the list yields.
pub(in super::super) unsafe fn run(
    list: &[MachineOp],
    pointers: &[*mut u8],
    index: &[i64],
    bound: &Bound<'_>,
    (results, point): (&FoldMemory, usize),
    n: usize,
) {
    // SAFETY: the machine numbers pointers below the length of the table.
    let at = |pointer: u16| unsafe { *pointers.get_unchecked(pointer as usize) };
    let mut rest = list;
    while let [op, next @ ..] = rest {
        rest = next;
        // SAFETY: the caller's contract, and that of code generation: every operand has been
        // written, and block-sized operands have `n` elements.
        unsafe {
            match *op {
                MachineOp::Compute { run, args, uniform, out } => {
                    run(args.map(|arg| at(arg).cast_const()), uniform, at(out), n);
                }
                MachineOp::Gather { access, from, out, size } => {
                    let stride = bound.schedule.along[access as usize];
                    let mut to = at(out);
                    if let Some(place) = stored_at_once(out, size, next, bound) {
                        #[cfg(test)]
                        PathCounter::GatheredInPlace.add(1);
                        (to, rest) = (at(place), &[]);
                    }
                    vector::copy((at(from), stride), (to, size as i64), n, size as usize);
                }
                MachineOp::Scatter { access, to, value, step, size } => {
                    if bound.schedule.non_temporal.is_direct(access) {
                        vector::stream(at(value), at(to), n * size as usize);
                        continue;
                    }
                    let stride = bound.schedule.along[access as usize];
                    let sources = stored_together((op, next), bound, at);
                    if sources.is_empty() {
                        vector::copy((at(value), step as i64), (at(to), stride), n, size as usize);
                        continue;
                    }
                    // What is stored is read before, or is a load that no store of the nest touches.
                    vector::interleave(&sources, (at(to), stride), n, size as usize);
                    rest = &next[sources.len() - 1..];
                }
                MachineOp::Blend { access, to, value, step, mask, mask_step, size } => {
                    let stride = bound.schedule.along[access as usize];
                    let value = (at(value).cast_const(), step as usize);
                    let mask = (at(mask).cast_const(), mask_step as usize);
                    vector::blend(value, mask, at(to), stride, n, size as usize);
                }
                MachineOp::Fill { value, out, size } => {
                    vector::fill(at(value), at(out), n, size as usize);
                }
                MachineOp::Native { number } => {
                    let natives = &bound.specialised.machine.natives;
                    natives.get_unchecked(number as usize).run(pointers.as_ptr(), n);
                }
                MachineOp::Iota { axis, out } => vector::iota(index[axis as usize], at(out), n),
                MachineOp::Random { generator, dtype, key, counter, out } => {
                    let key = key.map(|word| at(word).cast::<i64>().read());
                    let stream = Stream::new(generator, key);
                    vector::random(stream, dtype, at(counter), at(out), n);
                }
                MachineOp::Yield { to, access, item, index, size } => {
                    let fold = bound.fold.as_ref().expect("only folds yield");
                    let along = bound.schedule.along[access as usize];
                    let slot_stride = fold.slot_strides[access as usize];
                    let size_of_value = fold.items[item as usize].size;
                    for slot in 0..fold.tree.slots() {
                        let vectors =
                            results.result(item as usize, slot).from(point, size_of_value);
                        let from = if index { vectors.indices } else { vectors.values };
                        let to = at(to).offset(slot as isize * slot_stride as isize);
                        vector::copy((from, size as i64), (to, along), n, size as usize);
                    }
                }
            }
        }
    }
}

/// Where what was gathered to an operand goes, if all that is left to do is to store it in one piece: then it goes there at once.
#[inline]
fn stored_at_once(gathered: u16, bytes: u8, next: &[MachineOp], bound: &Bound<'_>) -> Option<u16> {
    let &[MachineOp::Scatter { access, to, value, step, size }] = next else { return None };
    let in_one_piece = step == size && bound.schedule.along[access as usize] == i64::from(size);
    // What comes after a fold may read the operand.
    let is_all = bound.fold.is_none() && (value, size) == (gathered, bytes);
    (in_one_piece && is_all && !bound.schedule.non_temporal.is_direct(access)).then_some(to)
}

/// Where values are, and bytes from one to the next.
type Sources = SmallVec<[(*const u8, i64); MOST_INTERLEAVED]>;

/// The values that an instruction and those behind it write side by side, as the channels of an image, in the gaps between its
/// elements; nothing where it writes alone. `at` are the addresses of operands.
#[inline]
fn stored_together(
    (first, next): (&MachineOp, &[MachineOp]),
    bound: &Bound<'_>,
    at: impl Fn(u16) -> *mut u8,
) -> Sources {
    let MachineOp::Scatter { access, to, value, step, size } = *first else {
        return Sources::new();
    };
    let source = |value: u16, step: u8| (at(value).cast_const(), i64::from(step));
    let (stride, bytes) = (bound.schedule.along[access as usize], usize::from(size));
    let most = (stride.unsigned_abs() as usize / bytes).min(MOST_INTERLEAVED);
    if most < 2 {
        return Sources::new();
    }
    let others = next.iter().zip(1..most).map_while(|(op, number)| match *op {
        MachineOp::Scatter { access, to: other, value, step, size: other_size } => {
            let is_beside = at(other) == at(to).wrapping_add(number * bytes)
                && (bound.schedule.along[access as usize], other_size) == (stride, size)
                && !bound.schedule.non_temporal.is_direct(access);
            is_beside.then(|| source(value, step))
        }
        _ => None,
    });
    let mut sources: Sources = std::iter::once(source(value, step)).chain(others).collect();
    if sources.len() == 1 {
        sources.clear();
    }
    sources
}

#[cfg(test)]
mod tests {
    use crate::execute::testing::{self, Array};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;

    /// Every `step`th element of 5,000, and whether blocks were gathered where they are stored.
    fn run(body: &str, step: i64, jit: Option<Target>) -> (Vec<u64>, bool) {
        let text = format!(
            "kernel params=4 scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
             {{ for (i0: extent=p0 origin=p1 global=p0 logical=0) {{
                 %0 = load b0[p1 + p2*i0] {body} }} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[1] },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        let params = [5000, 0, step as usize, 2];
        let before = PathCounter::GatheredInPlace.count();
        let sizes = (5000 * step as usize, 2 * 5000);
        let (bits, _) = testing::run(&text, &arrays, &params, jit, usize::MAX, sizes, |_| ());
        (bits, PathCounter::GatheredInPlace.count() > before)
    }

    #[test]
    fn what_is_only_copied_is_gathered_where_it_is_stored() {
        let target = Target::of(Level::detect());
        for (body, step, expected) in [
            ("store b1[p1 + 1*i0] %0", 2, true),
            ("store b1[p1 + 1*i0] %0", 3, true),
            ("%1 = neg.f64 %0 store b1[p1 + 1*i0] %1", 2, false),
            // In gaps, and in one piece, which is no gathering.
            ("store b1[p1 + p3*i0] %0", 2, false),
            ("store b1[p1 + 1*i0] %0", 1, false),
        ] {
            let (bits, in_place) = run(body, step, target);
            assert_eq!(in_place, expected, "{body} {step}");
            assert!(bits == run(body, step, None).0, "{body} {step}");
        }
    }
}
