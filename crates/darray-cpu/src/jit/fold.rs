//! Functions that fold: the elements of a leaf, or of the columns of one, in rounds, in pairs.
//!
//! ```text
//! parts      the body of so many rounds, in pairs: as many as are combined at once, half as many, .., one
//! combine    a value that waits, on the stack, and the one in the accumulators
//! deferred   by lanes: a part that waits in registers, and the value in the accumulators; that part to the accumulators
//! tails      by lanes: the body of the last round, for each group of the accumulators, which take only the elements that are there
//! lanes      by lanes: accumulator l and l + w for w = 16, 8, .., 1: first whole vectors, then their halves
//! rest       by kept points: the body of one round, for the points behind the last group
//!
//! Where rows of kept points are dealt to lanes, and these are taken together, a round is a row of each lane; each has accumulators, and
//! the values of the lanes become one in the end: lane l and l + w for w = half of the lanes, .., 1.
//! ```

use super::allocate::{self, Accumulators, Allocated, HeldIn};
use super::emit::{self, DEFERRED, Emitted, Fold, Groups};
use super::lane::{self, Args, Body, Form, Held, Lane, Node, Op, Value};
use super::lower::{self, combine, held_dtype};
use super::run::{Folded, Place, Run};
use super::target::Target;
use super::{legal, pointers};
use crate::vector::{LANES, LINE};
use darray_codegen::FoldMode;
use smallvec::SmallVec;

/// Operations of all bodies of a part, at most.
const MOST: usize = 192;

/// Rounds that are combined at once, at most. With eight, the loads of a round were too many for the hardware's prefetching on Zen 5:
/// sums of what the second-level cache has took up to twice as long.
const JAM: usize = 4;

/// The function, if the run can have one: reducers without indices, of elements that straight-line code computes.
pub(super) fn compile(
    run: &Run<'_>,
    items: &[Folded],
    mode: FoldMode,
    target: Target,
) -> Option<Emitted> {
    if items.is_empty() || items.iter().any(|fold| fold.reducer.operator().is_none()) {
        return None;
    }
    let one = lower::lower_fold(run, items, mode, target).used();
    if !one.iter().all(|node| suits(node, mode, target)) {
        return None;
    }
    let legal = legal(one.clone(), target);
    let width = lane::width(&legal, target.bytes());
    let lanes = usize::from(run.traffic.lanes).max(1);
    let count = lanes * legal.iter().filter(|node| !node.op.is_remade()).count();
    // Groups of elements whose code is one; of lanes that are taken together accumulators fill a quarter of the registers, or more.
    let few = match mode {
        FoldMode::Lanes => LANES / width,
        FoldMode::Kept if lanes == 1 => (LINE / 8).div_ceil(width).max(1),
        FoldMode::Kept => (target.vectors().len().next_power_of_two() / 4 / lanes).max(1),
    };
    let mut maker = Maker { one: &one, items, mode, target, width, groups: few, lanes };
    // Of many kept points the steps from row to row, and what is one for all points, serve for several groups.
    let many = 4.min(LANES / width);
    if mode == FoldMode::Kept && lanes == 1 && many > few && 2 * many * count <= MOST {
        maker.groups = many;
        if !maker.holds() {
            maker.groups = few;
        }
    }
    let maker = maker;
    if !maker.holds() {
        return None;
    }
    let allocate = |nodes: Vec<Node>, held: Accumulators<'_>| {
        allocate::allocate(&self::legal(nodes, target), width, target, held)
    };
    let rounds = |groups: usize| -> Vec<usize> {
        let rounds = (0..=maker.most_rounds(groups).ilog2()).rev().map(|bit| 1 << bit);
        rounds.filter(|&rounds| rounds == 1 || rounds * groups * count <= MOST).collect()
    };
    // Those of parts that wait, too, behind the accumulators.
    let levels = maker.deferred_levels(rounds(maker.groups)[0]);
    let all: Vec<HeldIn> = (0..=levels).flat_map(|level| maker.held_at(level)).collect();
    let taken = Accumulators::Taken(&all);
    let of_groups = |groups: usize| {
        let rounds = rounds(groups);
        let of_rounds = |&now: &usize| {
            let level = if now < rounds[0] && levels > 0 { now.ilog2() as usize + 1 } else { 0 };
            allocate(maker.part(now, groups, level), taken)
        };
        let mut parts: Vec<Allocated> = rounds.iter().map(of_rounds).collect();
        if run.traffic.backward == 0 {
            parts.iter_mut().for_each(Allocated::load_by_operations);
        }
        let of_level = |level| {
            [maker.combine(groups, level), maker.take(groups, level)]
                .map(|nodes| allocate(nodes, taken))
        };
        let deferred = (1..=levels).map(of_level);
        let combine = allocate(maker.combine(groups, 0), taken);
        let lanes = (maker.lanes > 1).then(|| allocate(maker.lanes_of_points(groups), taken));
        Groups { count: groups, parts, rounds, combine, deferred: deferred.collect(), lanes }
    };
    let mut sizes = vec![of_groups(maker.groups)];
    if maker.groups > few {
        sizes.push(of_groups(few));
    }
    let (mut tails, mut lanes, mut rest) = (Vec::new(), None, None);
    match mode {
        FoldMode::Lanes => {
            let tail = |group| allocate(maker.tail(group), Accumulators::Merged(&all));
            tails = (0..maker.groups as u8).map(tail).collect();
            lanes = Some(allocate(maker.lanes(), taken));
        }
        FoldMode::Kept => {
            let [part, combine] =
                [maker.part(1, 1, 0), maker.combine(1, 0)].map(|nodes| allocate(nodes, taken));
            let lanes = (maker.lanes > 1).then(|| allocate(maker.lanes_of_points(1), taken));
            let (parts, deferred) = (vec![part], Vec::new());
            rest = Some(Groups { count: 1, parts, rounds: vec![1], combine, deferred, lanes });
        }
    }
    let bodies = sizes.iter().flat_map(|size| &size.parts).chain(&tails);
    let mut bodies = bodies.chain(rest.iter().flat_map(|rest| &rest.parts));
    // Else uniform elements would be laid out for each of them.
    if bodies.any(|other| other.uniforms != sizes[0].parts[0].uniforms) {
        return None;
    }
    let out = |fold: &Folded| (run.pointer)(Place::Folded(fold.item));
    let fold = Fold {
        sizes: &sizes,
        tails: &tails,
        lanes: lanes.as_ref(),
        rest: rest.as_ref(),
        held: &maker.held_at(0),
        starts: items.iter().map(start).collect(),
        outs: items.iter().map(out).collect(),
    };
    emit::emit_fold(&fold, width, target, pointers(run))
}

/// The bits of what a fold starts from.
fn start(fold: &Folded) -> u64 {
    fold.reducer.start(fold.source.dtype, false).0.bits()
}

/// Whether an operation can be part of the body.
fn suits(node: &Node, mode: FoldMode, target: Target) -> bool {
    match node.op {
        Op::Patch(..) | Op::Position(_) | Op::Carried(_) | Op::Carry(_) => false,
        // Of elements of one or two bytes AVX2 loads and stores the last ones one by one.
        Op::Load(_, dtype, _) | Op::Store(_, dtype, _) => {
            let is_whole = mode == FoldMode::Lanes || target == Target::Avx512;
            is_whole || Form::of(dtype) == Form::Plain
        }
        Op::Broadcast(_, dtype) => Form::of(dtype) == Form::Plain,
        _ => true,
    }
}

/// What makes the parts of a function from the body of one group.
struct Maker<'m> {
    one: &'m [Node],
    items: &'m [Folded],
    mode: FoldMode,
    target: Target,
    width: usize,
    groups: usize,
    /// Lanes of kept points that are taken together.
    lanes: usize,
}

impl Maker<'_> {
    /// Whether the accumulators take half of all registers at most.
    fn holds(&self) -> bool {
        self.lanes * self.items.len() * self.groups <= self.target.vectors().len().div_ceil(2)
    }

    /// The registers of the accumulators, on level 0, or of a part that waits.
    fn held_at(&self, level: usize) -> Vec<HeldIn> {
        let each = self.lanes * self.groups;
        let (count, end) = (self.items.len() * each, self.target.vectors().end);
        let registers = (0..end - (level * count) as u8).rev();
        let groups = self.items.iter().flat_map(|fold| {
            (0..each as u8).map(move |group| self.accumulators(fold, level, group))
        });
        groups
            .zip(registers)
            .map(|(accumulators, register)| HeldIn { accumulators, register, value: Value::MAX })
            .collect()
    }

    fn accumulators(&self, fold: &Folded, level: usize, group: u8) -> Held {
        let group = (level * self.groups) as u8 + group;
        Held { pointer: fold.item, dtype: held_dtype(fold.source.dtype), group }
    }

    /// How many parts wait in registers where so many rounds are combined at once: all that are shorter, or none.
    fn deferred_levels(&self, rounds: usize) -> usize {
        let (levels, count) = (rounds.ilog2() as usize, self.items.len() * self.groups);
        let free = self.target.vectors().len().saturating_sub(levels * count);
        match self.mode == FoldMode::Lanes && self.fits_in(free, rounds, self.groups) {
            true => levels,
            false => 0,
        }
    }

    /// Whether registers have what waits of so many rounds of some groups, and what combines it.
    fn fits(&self, rounds: usize, groups: usize) -> bool {
        self.fits_in(self.target.vectors().len(), rounds, groups)
    }

    /// The same of so many registers, with the accumulators.
    fn fits_in(&self, registers: usize, rounds: usize, groups: usize) -> bool {
        let levels = rounds.ilog2() as usize + 1;
        self.lanes * (self.groups + levels * groups) * self.items.len() + 4 <= registers
    }

    /// Groups whose rounds are gone through before those of the next ones: as many as registers allow.
    fn together(&self, rounds: usize, groups: usize) -> usize {
        let mut together = groups;
        while self.mode == FoldMode::Lanes && together > 1 && !self.fits(rounds, together) {
            together /= 2;
        }
        together
    }

    /// Rounds that are combined at once, at most: fewer where registers do not have what waits of all groups. By lanes some groups go
    /// before the others then, so that memory is read in steps: these are whole lines, and few.
    fn most_rounds(&self, groups: usize) -> usize {
        if self.fits(JAM, groups) {
            return JAM;
        }
        let mut most = JAM / 2;
        while most > 2 && self.together(most, groups) * self.target.bytes() < LINE {
            most /= 2;
        }
        most
    }

    fn body(&self, about: usize) -> Body {
        let mut body = Body::new(about);
        body.has_avx512 = self.target == Target::Avx512;
        body
    }

    /// The body of so many rounds of some groups, in pairs, for the accumulators or to wait on a level.
    fn part(&self, rounds: usize, groups: usize, level: usize) -> Vec<Node> {
        let mut body = self.body((rounds * groups + 1) * (self.one.len() + 2));
        let mut copies = Copies::default();
        let together = self.together(rounds, groups);
        for first in (0..groups).step_by(together) {
            let groups_now = first..first + together;
            // Values that wait, by item and group.
            let mut deferred: Vec<Vec<Vec<Value>>> =
                vec![vec![Vec::new(); self.lanes * together]; self.items.len()];
            for (round, lane) in (0..rounds).flat_map(|k| (0..self.lanes).map(move |l| (k, l))) {
                let values = copies.round(self, &mut body, round, groups_now.clone());
                for (fold, (values, deferred)) in
                    self.items.iter().zip(values.into_iter().zip(&mut deferred))
                {
                    let of_lane = &mut deferred[lane * together..];
                    for (value, deferred) in values.into_iter().zip(of_lane) {
                        let mut value = value;
                        for _ in 0..round.trailing_ones() {
                            let left = deferred.pop().expect("as many wait as there are ones");
                            value = combine(&mut body, fold, left, value);
                        }
                        deferred.push(value);
                    }
                }
                if self.mode == FoldMode::Kept {
                    push(&mut body, Node { op: Op::NextRow, lane: Lane::F64, ..self.one[0] }, &[]);
                }
            }
            for (fold, deferred) in self.items.iter().zip(deferred) {
                for (number, values) in deferred.into_iter().enumerate() {
                    let (lane, group) = (number / together, first + number % together);
                    let group = (lane * self.groups + group) as u8;
                    self.hold(&mut body, fold, level, group, values[0]);
                }
            }
        }
        body.used()
    }

    /// The body of one group, whose accumulators take what is there.
    fn tail(&self, group: u8) -> Vec<Node> {
        let mut body = self.body(2 * self.one.len());
        let values = Copies::default().round(self, &mut body, 0, 0..1);
        for (fold, values) in self.items.iter().zip(values) {
            self.hold(&mut body, fold, 0, group, values[0]);
        }
        body.used()
    }

    /// What combines values that wait with the accumulators: those on a level, in registers, or on the stack.
    fn combine(&self, groups: usize, level: usize) -> Vec<Node> {
        let mut body = self.body(8 * self.lanes * groups * self.items.len());
        for fold in self.items {
            for number in 0..self.lanes * groups {
                let group = (number / groups * self.groups + number % groups) as u8;
                let held = self.accumulators(fold, 0, group);
                let lane = Lane::of(held.dtype);
                let deferred = match level {
                    0 => Op::Load(DEFERRED + fold.item, lane.dtype(), group),
                    _ => Op::Held(self.accumulators(fold, level, group)),
                };
                let left = body.add(deferred, lane, &[]);
                let right = body.add(Op::Held(held), lane, &[]);
                let value = combine(&mut body, fold, left, right);
                self.hold(&mut body, fold, 0, group, value);
            }
        }
        body.used()
    }

    /// What waits in registers on a level to the accumulators.
    fn take(&self, groups: usize, level: usize) -> Vec<Node> {
        let mut body = self.body(4 * groups * self.items.len());
        for fold in self.items {
            for group in 0..groups as u8 {
                let held = self.accumulators(fold, level, group);
                let value = body.add(Op::Held(held), Lane::of(held.dtype), &[]);
                self.hold(&mut body, fold, 0, group, value);
            }
        }
        body.used()
    }

    /// What combines the accumulators of each fold in the first.
    fn lanes(&self) -> Vec<Node> {
        let mut body = self.body(4 * LANES * self.items.len());
        for fold in self.items {
            let lane = Lane::of(held_dtype(fold.source.dtype));
            let (mut value, mut lanes) =
                (self.halves(&mut body, fold, 0..self.groups as u8), self.width);
            while lanes > 1 {
                let upper = body.add(Op::Upper(lanes as u8), lane, &[value]);
                value = combine(&mut body, fold, value, upper);
                lanes /= 2;
            }
            self.hold(&mut body, fold, 0, 0, value);
        }
        body.used()
    }

    /// What combines the accumulators of all lanes of kept points in those of the first one.
    fn lanes_of_points(&self, groups: usize) -> Vec<Node> {
        let mut body = self.body(4 * self.lanes * groups * self.items.len());
        for fold in self.items {
            for group in 0..groups {
                let of_lanes = (0..self.lanes).map(|lane| (lane * self.groups + group) as u8);
                let value = self.halves(&mut body, fold, of_lanes);
                self.hold(&mut body, fold, 0, group as u8, value);
            }
        }
        body.used()
    }

    /// The value of some accumulators, as many as a power of two: the first half of them is combined with the other one, and so on.
    fn halves(&self, body: &mut Body, fold: &Folded, groups: impl Iterator<Item = u8>) -> Value {
        let mut held = |group: u8| {
            let held = self.accumulators(fold, 0, group);
            body.add(Op::Held(held), Lane::of(held.dtype), &[])
        };
        let mut values: SmallVec<[Value; 16]> = groups.map(&mut held).collect();
        while values.len() > 1 {
            let half = values.len() / 2;
            for k in 0..half {
                values[k] = combine(body, fold, values[k], values[k + half]);
            }
            values.truncate(half);
        }
        values[0]
    }

    fn hold(&self, body: &mut Body, fold: &Folded, level: usize, group: u8, value: Value) {
        let held = self.accumulators(fold, level, group);
        body.add(Op::Hold(held), Lane::of(held.dtype), &[value]);
    }
}

fn push(body: &mut Body, node: Node, args: &[Value]) -> Value {
    body.nodes.push(Node { args: Args::new(args), ..node });
    (body.nodes.len() - 1) as Value
}

/// Copies of the body of one group.
#[derive(Default)]
struct Copies {
    /// What serves for all of them, by those of the body.
    remade: Vec<Option<Value>>,
}

impl Copies {
    /// Adds the body of a round for some groups, operation by operation; gives the values that items take, by group.
    fn round(
        &mut self,
        maker: &Maker<'_>,
        body: &mut Body,
        round: usize,
        groups: std::ops::Range<usize>,
    ) -> Vec<Vec<Value>> {
        let one = maker.one;
        self.remade.resize(one.len(), None);
        let count = groups.len();
        // By operation and group.
        let mut numbers: Vec<Value> = vec![0; one.len() * count];
        let mut taken = vec![vec![0; count]; maker.items.len()];
        // What is one value for all groups.
        let mut is_one = vec![false; one.len()];
        for (at, node) in one.iter().enumerate() {
            if node.op.is_remade() {
                let value = *self.remade[at].get_or_insert_with(|| {
                    body.nodes.push(*node);
                    (body.nodes.len() - 1) as Value
                });
                numbers[at * count..][..count].fill(value);
                is_one[at] = true;
                continue;
            }
            is_one[at] = !node.op.is_grouped() && node.args.iter().all(|&arg| is_one[arg as usize]);
            if is_one[at] {
                let args = node.args.map(|arg| numbers[arg as usize * count]);
                body.nodes.push(Node { args, ..*node });
                numbers[at * count..][..count].fill((body.nodes.len() - 1) as Value);
                continue;
            }
            for (k, group) in groups.clone().enumerate() {
                let args = node.args.map(|arg| numbers[arg as usize * count + k]);
                if let Op::Hold(held) = node.op {
                    let item = maker.items.iter().position(|fold| fold.item == held.pointer);
                    taken[item.expect("one of the items")][k] = args[0];
                    continue;
                }
                // By lanes rounds follow one another.
                let number = match maker.mode {
                    FoldMode::Lanes => round * maker.groups + group,
                    FoldMode::Kept => group,
                } as u8;
                let op = match node.op {
                    Op::Load(pointer, dtype, _) => Op::Load(pointer, dtype, number),
                    Op::Store(pointer, dtype, _) => Op::Store(pointer, dtype, number),
                    other => other,
                };
                body.nodes.push(Node { op, args, ..*node });
                numbers[at * count + k] = (body.nodes.len() - 1) as Value;
            }
        }
        taken
    }
}
