//! Folds of points whose elements are a row each: the way through the tree is the same for all of them.

use super::bind::Bound;
use super::bound_fold::BoundFold;
use super::compiled::FoldLoops;
use super::fold::FoldRun;
use super::fold_places::NO_PLACE;
use super::whole_rows::whole_steps;
use crate::jit::Native;
use darray_kernel::tree::TileStep;
use smallvec::SmallVec;

/// A step of the way.
#[derive(Clone, Copy)]
enum Step {
    /// A leaf that many elements behind the one before, and how many it has.
    Leaf {
        position: usize,
        behind: usize,
        elements: usize,
    },
    Combine {
        position: usize,
    },
    Slot {
        position: usize,
        slot: usize,
    },
}

impl BoundFold {
    /// The function that folds `n` points of a bound nest, where a point's elements are a row and the function is
    /// [`fold_alone`](super::machine::Machine::fold_alone).
    pub(super) fn alone_in_rows(&self, bound: &Bound<'_>, n: usize) -> Option<u32> {
        let (machine, code) = (&bound.specialised.machine, &bound.specialised.code);
        let is_leaf = || self.extents[0] <= self.blocks[0];
        let is_row = self.order.len() == 1 && (n >= FEW || is_leaf());
        let plain = self.packing.is_empty() && code.kept.is_empty();
        machine.fold_alone.filter(|_| is_row && plain)
    }
}

impl FoldRun<'_> {
    /// Folds `n` kept points, each a row, by the function of this number.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest; [`alone_in_rows`](BoundFold::alone_in_rows) gave the number.
    pub(super) unsafe fn compiled_points(&mut self, number: u32, n: usize) {
        let (bound, fold, memory) = (self.bound, self.fold, self.memory);
        let machine = &bound.specialised.machine;
        let native = &machine.natives[number as usize];
        let accesses = machine.table.accesses;
        let step = |access: u16| match bound.nest.kept {
            0 => 0,
            _ => bound.stride(bound.vector.axis, access.into()) as isize,
        };
        let mut steps: SmallVec<[Step; 32]> = SmallVec::new();
        let mut begin = 0;
        fold.tree.walk(|step| {
            steps.push(match step {
                TileStep::Leaf { position, ranges } => {
                    let behind = ranges[0].start - begin;
                    begin = ranges[0].start;
                    Step::Leaf { position, behind, elements: ranges[0].len() }
                }
                TileStep::Combine { position } => Step::Combine { position },
                TileStep::Slot { position, slot } => Step::Slot { position, slot },
            });
        });
        // Of each access, the way from element to element and the one from the last leaf of a point to the next point.
        let ways = fold.accesses.iter().map(|&access| {
            let along = fold.step(bound, 0, access.into()) as isize;
            (accesses + access as usize, along, step(access) - along * begin as isize)
        });
        let ways: SmallVec<[(usize, isize, isize); 8]> = ways.collect();
        self.point_at(&[0], 0);
        // A function of whole leaves, if no leaf is without elements.
        let whole =
            machine.whole().filter(|_| (1..=ROOM).contains(&fold.leaves()) && fold.points > 0);
        if whole.is_some() {
            self.begin_whole();
        }
        if let [Step::Leaf { elements, .. }, Step::Slot { .. }] = steps[..]
            && (whole.is_some() || !fold.backward)
        {
            // SAFETY: the caller's contract; a row is one leaf.
            return unsafe {
                match whole {
                    Some(native) => self.whole_points(native, &ways, elements, n),
                    None => self.leaf_points(number, &ways, elements, n),
                }
            };
        }
        if let Some(native) = whole {
            // From the first leaf of a point to that of the next one.
            let ways: SmallVec<[(usize, isize, isize); 8]> = ways
                .iter()
                .map(|&(place, along, next)| (place, along, next + along * begin as isize))
                .collect();
            // SAFETY: the caller's contract; the frame is at the first point, and the steps are those of the tree.
            return unsafe { self.whole_leaves_of_points(native, &steps, &ways, n) };
        }
        // SAFETY: the frame is laid out for the machine; points and rows lie inside the nest, the stack has the positions
        // of the tree, and results have room for the block.
        unsafe {
            // Where the accumulators are that the function knows.
            let mut known = usize::MAX;
            for point in 0..n {
                let mut begin = 0;
                for &step in &steps {
                    match step {
                        Step::Leaf { position, behind, elements } => {
                            begin += behind;
                            if behind > 0 {
                                for &(place, along, _) in &ways {
                                    let pointer = &mut self.frame.pointers[place];
                                    *pointer = pointer.wrapping_offset(along * behind as isize);
                                }
                            }
                            let lanes = |item: usize| memory.stack(item, position);
                            self.start(lanes, memory.width, NO_PLACE);
                            if fold.backward {
                                let row = begin..begin + elements;
                                let row = std::slice::from_ref(&row);
                                self.backward_rows(row, point, usize::MAX, |item, _| lanes(item));
                            } else if elements > 0 {
                                if known != position {
                                    self.point_values(|item| lanes(item).values);
                                    known = position;
                                }
                                native.run(self.frame.pointers.as_ptr(), elements);
                            }
                            self.combine_lanes(lanes);
                        }
                        Step::Combine { position } => self.combine(position, 1),
                        Step::Slot { position, slot } => self.fill_slot(position, slot, point, 1),
                    }
                }
                for &(place, _, next) in &ways {
                    let pointer = &mut self.frame.pointers[place];
                    *pointer = pointer.wrapping_offset(next);
                }
            }
        }
    }

    /// Folds `n` points, each a row of several leaves, by a function of whole leaves, which takes all leaves of a row at once
    /// but a last one that is shorter. The steps through the tree are done for some points together, so that little is
    /// left to do from row to row. Of each access of the body, `ways` has its place in the table, the way along the row and the
    /// one from point to point.
    ///
    /// # Safety
    /// As for [`compiled_points`](Self::compiled_points), whose steps these are; the frame is at the first point.
    unsafe fn whole_leaves_of_points(
        &mut self,
        native: &Native,
        steps: &[Step],
        ways: &[(usize, isize, isize)],
        n: usize,
    ) {
        let (bound, fold, memory) = (self.bound, self.fold, self.memory);
        let accesses = bound.specialised.machine.table.accesses;
        let (extent, block, leaves) = (fold.extents[0], fold.blocks[0], fold.leaves());
        let (whole, rest) = (extent / block, extent % block);
        let along = |access: usize| {
            ways.iter().find(|way| way.0 == accesses + access).map_or(0, |&(_, along, _)| along)
        };
        let leaf_steps = whole_steps(bound, fold, 1, |access| (0, along(access) * block as isize));
        let begins: SmallVec<[*mut u8; 8]> =
            ways.iter().map(|&(place, ..)| self.frame.pointers[place]).collect();
        let together = (ROOM / leaves).clamp(1, memory.width).min(n);
        // Of each item and point the values of its leaves, in one piece, and room for what is read with the last one.
        let room = together * leaves + 1;
        let mut values: SmallVec<[u64; 128]> = SmallVec::from_elem(0, room * fold.items.len());
        let values = values.as_mut_ptr();
        let of_item = |(number, item): (usize, &FoldLoops)| {
            (values.wrapping_add(number * room).cast::<u8>(), item.size)
        };
        let values: SmallVec<[(*mut u8, usize); 4]> =
            fold.items.iter().enumerate().map(of_item).collect();
        // SAFETY: points and rows lie inside the nest, there is room for the values of so many leaves, the stack has the
        // positions of the tree with 8 bytes for each of these points, and results have room for the block.
        unsafe {
            for from in (0..n).step_by(together) {
                let points = from..(from + together).min(n);
                for point in points.clone() {
                    let first = (point - from) * leaves;
                    for (elements, leaf, leaves) in [(block, 0, whole), (rest, whole, 1)] {
                        if elements == 0 || leaves == 0 {
                            continue;
                        }
                        for (&(place, along, next), begin) in ways.iter().zip(&begins) {
                            let behind = next * point as isize + along * (leaf * block) as isize;
                            self.frame.pointers[place] = begin.wrapping_offset(behind);
                        }
                        self.point_values(|item| {
                            let (values, size) = values[item];
                            values.wrapping_add((first + leaf) * size)
                        });
                        let pointers = &mut self.frame.pointers;
                        let sizes = (elements, leaves, true);
                        native.run_whole(pointers, accesses, sizes, &leaf_steps);
                    }
                }
                let mut leaf = 0;
                for &step in steps {
                    match step {
                        Step::Leaf { position, .. } => {
                            for (number, &(values, size)) in values.iter().enumerate() {
                                let to = memory.stack(number, position).values;
                                for point in 0..points.len() {
                                    // With what lies behind a value, which the next one overwrites.
                                    let value =
                                        values.add((point * leaves + leaf) * size).cast::<u64>();
                                    let to = to.add(point * size).cast::<u64>();
                                    to.write_unaligned(value.read_unaligned());
                                }
                            }
                            leaf += 1;
                        }
                        Step::Combine { position } => self.combine(position, points.len()),
                        Step::Slot { position, slot } => {
                            self.fill_slot(position, slot, from, points.len());
                        }
                    }
                }
            }
        }
    }

    /// Folds `n` points, each a row of one leaf of so many elements, by a function of whole leaves; for `ways` see
    /// [`leaf_points`](Self::leaf_points).
    unsafe fn whole_points(
        &mut self,
        native: &Native,
        ways: &[(usize, isize, isize)],
        elements: usize,
        n: usize,
    ) {
        let (bound, memory) = (self.bound, self.memory);
        let first = bound.specialised.machine.table.accesses;
        let next = |access: usize| {
            ways.iter().find(|way| way.0 == first + access).map_or(0, |&(_, _, next)| next)
        };
        let steps = whole_steps(bound, self.fold, 1, |access| (0, next(access)));
        self.point_values(|item| memory.result(item, 0).values);
        // SAFETY: the caller's contract: the frame is at the first point, and results have room for all.
        unsafe { native.run_whole(&mut self.frame.pointers, first, (elements, n, false), &steps) };
    }

    /// Folds `n` points, each a row of one leaf of so many elements: nothing is left of the tree but its lanes. Of each access
    /// of the body, `ways` has its place in the table and the way from point to point.
    unsafe fn leaf_points(
        &mut self,
        number: u32,
        ways: &[(usize, isize, isize)],
        elements: usize,
        n: usize,
    ) {
        let (bound, fold, memory) = (self.bound, self.fold, self.memory);
        let native = &bound.specialised.machine.natives[number as usize];
        let lanes = |item: usize| memory.stack(item, 0);
        self.point_values(|item| lanes(item).values);
        // SAFETY: the caller's contract: the frame is at the first point, and results have room for all.
        unsafe {
            for point in 0..n {
                self.start(lanes, memory.width, NO_PLACE);
                if elements > 0 {
                    native.run(self.frame.pointers.as_ptr(), elements);
                }
                self.combine_lanes(lanes);
                for (number, item) in fold.items.iter().enumerate() {
                    let values = memory.result(number, 0).values.wrapping_add(point * item.size);
                    lanes(number).values.copy_to_nonoverlapping(values, item.size);
                }
                for &(place, _, next) in ways {
                    let pointer = &mut self.frame.pointers[place];
                    *pointer = pointer.wrapping_offset(next);
                }
            }
        }
    }
}

/// Leaves whose values are kept until the tree combines them, at most: those of a point, and of more points if they are few.
const ROOM: usize = 1024;

/// Points for which the way through a tree of several leaves is not worth writing down.
const FEW: usize = 4;

#[cfg(test)]
mod tests {
    use crate::execute::testing::{Array, run};
    use crate::jit::Target;
    use crate::level::Level;

    #[test]
    fn rows_of_several_leaves_are_one_way() {
        const MOST: usize = 5;
        let target = Target::ALL.into_iter().rfind(|target| target.level() <= Level::detect());
        // Leaves of 64: of one row a single one, three, three of which the last has no whole round, and 31.
        for (columns, points, expected) in [
            (64, 5, true),
            (192, 5, true),
            (150, 5, true),
            (1970, 5, true),
            (64, 1, true),
            (192, 3, false),
        ] {
            let text = "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
                 { for (i0: extent=p0 origin=p2 global=p0 logical=0) {
                    fold (i1: extent=p1 origin=p2 global=p1 logical=1)
                    innermost lanes=32 inner=64 outer=8 max_leaves=1024 {
                    %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = sqrt.f64 %0 }
                    %2 = sum %1 store b1[p2 + 1*i0] %2 } }";
            let arrays = [
                Array { block: 0, offset: 0, strides: &[columns as i64 + 3, 1] },
                Array { block: 1, offset: 0, strides: &[1] },
            ];
            let params = [points, columns, 0];
            let sums = |jit: Option<Target>| {
                run(
                    text,
                    &arrays,
                    &params,
                    jit,
                    usize::MAX,
                    (MOST * (columns + 3), MOST),
                    |bound| {
                        let fold = bound.fold.as_ref().unwrap();
                        fold.alone_in_rows(bound, points).is_some()
                    },
                )
            };
            let (interpreted, _) = sums(None);
            let (compiled, ways) = sums(target);
            assert_eq!(ways, [expected && target.is_some()], "{points} rows of {columns}");
            assert!(compiled == interpreted, "{points} rows of {columns}");
        }
    }
}
