//! The operations of a nest in order, with what is known about their values.

use crate::code::Primitive;
use crate::layout::{FoldMode, Layout, StrideClass};
use crate::program::{Nest, Node, Phase, Program};
use darray_kernel::ir::Value;
use darray_kernel::random::BitGenerator;
use smallvec::SmallVec;

/// An operation with its operands, whatever its kind.
#[derive(Debug)]
pub(super) struct Step {
    pub phase: Phase,
    pub kind: Kind,
    /// Operands; for a store the value and the mask, for random the key and the counter.
    pub args: SmallVec<[Value; 5]>,
    pub result: Option<Value>,
    /// Position in the nest's accesses.
    pub access: Option<u16>,
    /// Makes one element per row rather than a block.
    pub uniform: bool,
    /// Whether anything uses it.
    pub needed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Apply(Primitive),
    Load,
    Store,
    Index(u8),
    Random(BitGenerator),
    Yield {
        item: u16,
        index: bool,
    },
    /// Where the accumulators read; a position of its own.
    FoldEnd,
}

/// The steps of a nest and the facts about its values, which are indexed by their number.
#[derive(Debug)]
pub(super) struct Steps {
    pub list: Vec<Step>,
    /// The position of [`Kind::FoldEnd`].
    pub fold_end: usize,
    /// The phase that defines a value; none for cells.
    pub defined_in: Vec<Option<Phase>>,
    /// Values by the position of their last use.
    pub last_uses: Vec<SmallVec<[Value; 4]>>,
    /// Position of the last use of a value.
    pub last_use: Vec<usize>,
    /// Whether a use lies in another phase than the definition.
    pub crosses: Vec<bool>,
    /// The buffer of every access of the nest.
    pub buffers: Vec<u16>,
    uniform: Vec<bool>,
    lanes: bool,
}

impl Steps {
    pub fn new(program: &Program, nest: &Nest, layout: &Layout) -> Steps {
        let count = program.dtypes.len();
        let nodes = [Phase::Before, Phase::Fold, Phase::After].map(|phase| nest.nodes(phase).len());
        let mut steps = Steps {
            list: Vec::with_capacity(nodes.iter().sum::<usize>() + 1),
            fold_end: 0,
            defined_in: vec![None; count],
            last_uses: Vec::new(),
            last_use: vec![0; count],
            crosses: vec![false; count],
            buffers: nest
                .accesses
                .iter()
                .map(|&(access, _)| program.accesses[access as usize].buffer)
                .collect(),
            uniform: vec![true; count],
            lanes: layout.mode == FoldMode::Lanes,
        };
        for phase in [Phase::Before, Phase::Fold, Phase::After] {
            for node in nest.nodes(phase) {
                steps.list.push(step_of(nest, phase, node));
            }
            if phase == Phase::Fold {
                steps.fold_end = steps.list.len();
                steps.list.push(fold_end());
            }
        }
        steps.find_needed(program, nest);
        steps.find_uniform(nest, layout);
        steps.find_uses(nest);
        steps
    }

    /// Whether a value is one element as seen from a phase.
    pub fn is_uniform(&self, value: Value, phase: Phase) -> bool {
        let at = value.0 as usize;
        let by_element = self.lanes
            && phase == Phase::Fold
            && self.defined_in[at].is_some_and(|defined| defined != Phase::Fold);
        self.uniform[at] || by_element
    }

    fn find_needed(&mut self, program: &Program, nest: &Nest) {
        // Other nests may use cells.
        let mut used: Vec<bool> = program.cells.of_value.iter().map(Option::is_some).collect();
        for item in nest.fold.iter().flat_map(|fold| &fold.items) {
            used[item.value.0 as usize] = true;
        }
        for step in self.list.iter_mut().rev() {
            step.needed = match step.result {
                Some(result) => used[result.0 as usize],
                None => step.kind != Kind::FoldEnd,
            };
            if step.needed {
                step.args.iter().for_each(|arg| used[arg.0 as usize] = true);
            }
        }
    }

    fn find_uniform(&mut self, nest: &Nest, layout: &Layout) {
        for at in 0..self.list.len() {
            if at == self.fold_end {
                self.define_results(nest, layout);
            }
            let step = &self.list[at];
            let axis = match (&nest.fold, step.phase, layout.mode) {
                (Some(fold), Phase::Fold, FoldMode::Lanes) => fold.order.last().copied(),
                _ => layout.vector,
            };
            let phase = step.phase;
            let args_uniform = || step.args.iter().all(|&arg| self.is_uniform(arg, phase));
            let still = |access: u16| layout.classes[access as usize] == StrideClass::Still;
            let uniform = match step.kind {
                _ if axis.is_none() => true,
                Kind::Store | Kind::Yield { .. } | Kind::FoldEnd => false,
                Kind::Index(index) => Some(index) != axis,
                Kind::Load => step.access.is_some_and(still),
                Kind::Apply(_) => args_uniform(),
                Kind::Random(_) => self.is_uniform(step.args[4], phase),
            };
            self.list[at].uniform = uniform;
            if let Some(result) = self.list[at].result {
                self.uniform[result.0 as usize] = uniform;
                self.defined_in[result.0 as usize] = Some(phase);
            }
        }
    }

    fn define_results(&mut self, nest: &Nest, layout: &Layout) {
        for item in nest.fold.iter().flat_map(|fold| &fold.items) {
            for value in [item.result].into_iter().chain(item.index) {
                self.uniform[value.0 as usize] = layout.vector.is_none();
                self.defined_in[value.0 as usize] = Some(Phase::Fold);
            }
        }
    }

    fn find_uses(&mut self, nest: &Nest) {
        self.last_uses.resize_with(self.list.len(), SmallVec::new);
        let mut seen: Vec<bool> = vec![false; self.uniform.len()];
        let mut use_at = |this: &mut Steps, value: Value, position: usize, phase: Phase| {
            let at = value.0 as usize;
            let defined = this.defined_in[at];
            this.crosses[at] |= defined.is_some_and(|defined| defined != phase);
            if !seen[at] {
                seen[at] = true;
                this.last_use[at] = position;
                this.last_uses[position].push(value);
            }
        };
        // Backwards, so that the first use met is the last.
        for position in (0..self.list.len()).rev() {
            let Step { needed, phase, .. } = self.list[position];
            if needed {
                for k in 0..self.list[position].args.len() {
                    let value = self.list[position].args[k];
                    // The body of a fold runs again: values from above live until its end.
                    let above = self.defined_in[value.0 as usize] != Some(Phase::Fold);
                    let repeated = phase == Phase::Fold && above;
                    let position = if repeated { self.fold_end } else { position };
                    use_at(self, value, position, phase);
                }
            }
            if position == self.fold_end {
                for item in nest.fold.iter().flat_map(|fold| &fold.items) {
                    use_at(self, item.value, position, Phase::Fold);
                }
            }
        }
    }
}

fn fold_end() -> Step {
    Step {
        phase: Phase::Fold,
        kind: Kind::FoldEnd,
        args: SmallVec::new(),
        result: None,
        access: None,
        uniform: false,
        needed: false,
    }
}

fn step_of(nest: &Nest, phase: Phase, node: &Node) -> Step {
    let kind = match node {
        Node::Index { axis, .. } => Kind::Index(*axis),
        Node::Random { generator, .. } => Kind::Random(*generator),
        Node::Load { .. } => Kind::Load,
        Node::Apply { operator, .. } => Kind::Apply(Primitive::Apply(*operator)),
        Node::Store { .. } => Kind::Store,
        Node::Yield { item, index, .. } => Kind::Yield { item: *item, index: *index },
    };
    let access = node.access().map(|access| {
        let known = nest.accesses.iter().position(|&(a, _)| a == access);
        known.expect("a nest lists its accesses") as u16
    });
    Step {
        phase,
        kind,
        args: node.uses(),
        result: node.result(),
        access,
        uniform: false,
        needed: true,
    }
}
