//! Simplification: the same results, bit by bit (all NaNs being equal), with fewer operations.
//!
//! - Constants and task arguments stand first, each once.
//! - Equal operations on equal operands are computed once; equal loads too, where no store to an
//!   overlapping buffer may come between.
//! - An operation stands in the outermost region that knows its operands. Loads stay: an empty loop
//!   must not read.
//! - Operations on constants are computed here, and trivial ones dropped (`identities.rs`); operands of
//!   commutative operators are ordered.
//! - What reaches no store and no yield is dropped. Buffers, params and scalars keep their numbers,
//!   so the launch does not change.
//!
//! ```text
//! for (i0: ..) {                         %0 = scalar 0
//!   %0 = scalar 0                        %1 = exp.f64 %0
//!   %1 = exp.f64 %0                      for (i0: ..) {
//!   %2 = load b0[p3 + 1*i0]                %2 = load b0[p3 + 1*i0]
//!   %3 = load b0[p3 + 1*i0]        =>      %3 = add.f64 %1 %2
//!   %4 = const.f64 1.0                     %4 = mul.f64 %3 %3
//!   %5 = mul.f64 %3 %4                     store b1[p3 + 1*i0] %4
//!   %6 = add.f64 %2 %1                   }
//!   %7 = add.f64 %1 %5
//!   %8 = mul.f64 %6 %7
//!   %9 = neg.f64 %8
//!   store b1[p3 + 1*i0] %8
//! }
//! ```

mod dead;
mod identities;
#[cfg(test)]
mod tests;

use crate::ir::{Access, FoldItem, Kernel, Op, Operands, Region, Value};
use crate::operator::Operator;
use crate::random::BitGenerator;
use darray_core::{RealType, Scalar};
use hashbrown::HashMap;
use identities::Rewrite;
use smallvec::smallvec;

/// Simplifies a verified kernel; the result is verified too and simplifying it again changes nothing.
pub fn simplify(kernel: &Kernel) -> Kernel {
    let mut simplifier = Simplifier {
        kernel,
        renamed: HashMap::new(),
        definitions: Vec::new(),
        first: Vec::new(),
        constants: HashMap::new(),
        arguments: HashMap::new(),
        scopes: Vec::new(),
        axes: Vec::new(),
    };
    let mut body = simplifier.region(&kernel.body);
    body.ops.splice(0..0, std::mem::take(&mut simplifier.first));
    let mut simplified = Kernel { body, ..kernel.clone() };
    dead::drop_dead(&mut simplified);
    simplified.renumber();
    debug_assert_eq!(crate::verify::verify(&simplified).err(), None);
    simplified
}

/// A value of the new kernel.
#[derive(Clone, Debug)]
struct Definition {
    dtype: RealType,
    /// How many regions are around the one that defines it.
    depth: usize,
    /// Whether it is a constant or an argument, which stand first.
    is_first: bool,
    constant: Option<Scalar>,
    /// The operator and its operands.
    apply: Option<(Operator, Operands)>,
}

/// An operation without effect, which gives the same value wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Pure {
    Index(u8),
    Random(BitGenerator, RealType, [Value; 4], Value),
    Apply(Operator, Operands),
}

/// A region under construction.
#[derive(Default)]
struct Scope {
    ops: Vec<Op>,
    known: HashMap<Pure, Value>,
    loads: Vec<(Access, Value)>,
}

struct Simplifier<'k> {
    kernel: &'k Kernel,
    /// Old values to new ones.
    renamed: HashMap<Value, Value>,
    /// By number of the new values.
    definitions: Vec<Definition>,
    /// Constants and arguments.
    first: Vec<Op>,
    constants: HashMap<Scalar, Value>,
    arguments: HashMap<u16, Value>,
    /// The open regions, outermost first.
    scopes: Vec<Scope>,
    /// The depth of the region that each enclosing axis belongs to.
    axes: Vec<usize>,
}

impl Simplifier<'_> {
    fn region(&mut self, region: &Region) -> Region {
        let stored = stored_buffers(region);
        for scope in &mut self.scopes {
            forget_loads(self.kernel, scope, &stored);
        }
        let outer = self.axes.len();
        self.axes.resize(outer + region.axes.len(), self.scopes.len());
        self.scopes.push(Scope::default());
        region.ops.iter().for_each(|op| self.op(op));
        self.axes.truncate(outer);
        let scope = self.scopes.pop().unwrap_or_default();
        Region { axes: region.axes.clone(), ops: scope.ops }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Const { result, scalar } => {
                let value = self.constant(*scalar);
                self.renamed.insert(*result, value);
            }
            Op::Scalar { result, index } => {
                let value = self.argument(*index);
                self.renamed.insert(*result, value);
            }
            Op::Index { result, axis } => {
                let depth = self.axes[*axis as usize];
                let value = self.pure(Pure::Index(*axis), RealType::INDEX, depth);
                self.renamed.insert(*result, value);
            }
            Op::Random { result, generator, dtype, key, counter } => {
                let (key, counter) = (key.map(|k| self.operand(k)), self.operand(*counter));
                let depth = self.depth(&[counter]);
                let value =
                    self.pure(Pure::Random(*generator, *dtype, key, counter), *dtype, depth);
                self.renamed.insert(*result, value);
            }
            Op::Apply { result, operator, args } => {
                let args = args.iter().map(|a| self.operand(*a)).collect();
                let value = self.apply(*operator, args);
                self.renamed.insert(*result, value);
            }
            Op::Load { result, from } => {
                let value = self.load(from);
                self.renamed.insert(*result, value);
            }
            Op::Store { to, .. } => {
                for scope in &mut self.scopes {
                    forget_loads(self.kernel, scope, &[to.buffer]);
                }
                self.push_renamed(op);
            }
            Op::Yield { .. } => self.push_renamed(op),
            Op::For { body } => {
                let body = self.region(body);
                self.push(Op::For { body });
            }
            Op::Fold { body, folds, tree } => {
                let body = self.region(body);
                let folds = self.fold_items(folds);
                self.push(Op::Fold { body, folds, tree: *tree });
            }
        }
    }

    /// The items of a fold; equal ones share a result.
    fn fold_items(&mut self, folds: &[FoldItem]) -> Vec<FoldItem> {
        let mut items: Vec<FoldItem> = Vec::new();
        let depth = self.scopes.len() - 1;
        for fold in folds {
            let value = self.operand(fold.value);
            let same = items.iter().find(|i| (i.reducer, i.value) == (fold.reducer, value));
            let (result, index) = match same {
                Some(item) => (item.result, item.index),
                None => {
                    let dtype = self.definitions[value.0 as usize].dtype;
                    let result = self.define(dtype, depth);
                    let index = fold.index.map(|_| self.define(RealType::INDEX, depth));
                    items.push(FoldItem { reducer: fold.reducer, value, result, index });
                    (result, index)
                }
            };
            self.renamed.insert(fold.result, result);
            if let (Some(old), Some(new)) = (fold.index, index) {
                self.renamed.insert(old, new);
            }
        }
        items
    }

    fn load(&mut self, from: &Access) -> Value {
        let mut known = self.scopes.iter().flat_map(|s| &s.loads);
        if let Some((_, value)) = known.find(|(access, _)| access == from) {
            return *value;
        }
        let dtype = self.kernel.buffers[from.buffer as usize].dtype;
        let result = self.define(dtype, self.scopes.len() - 1);
        self.push(Op::Load { result, from: from.clone() });
        if let Some(scope) = self.scopes.last_mut() {
            scope.loads.push((from.clone(), result));
        }
        result
    }

    /// The value of an operator's application, which may be there already.
    fn apply(&mut self, operator: Operator, mut args: Operands) -> Value {
        let of = |a: &Value| &self.definitions[a.0 as usize];
        let constants: Option<Vec<Scalar>> = args.iter().map(|a| of(a).constant).collect();
        if let Some(constants) = constants {
            return self.constant(operator.apply(&constants));
        }
        match identities::rewrite(operator, &args, &of) {
            Some(Rewrite::Value(value)) => return value,
            Some(Rewrite::Constant(scalar)) => return self.constant(scalar),
            Some(Rewrite::Apply(operator, args)) => return self.apply(operator, args),
            Some(Rewrite::ApplyConstant(operator, arg, scalar)) => {
                let constant = self.constant(scalar);
                return self.apply(operator, smallvec![arg, constant]);
            }
            None => {}
        }
        if operator.row().commutative {
            // Constants and arguments first: the order in which values will be numbered.
            args.sort_by_key(|a| (of(a).depth, !of(a).is_first, *a));
        }
        let types: Vec<RealType> = args.iter().map(|a| of(a).dtype).collect();
        let dtype = operator.result(&types).expect("the kernel is verified");
        let depth = self.depth(&args);
        self.pure(Pure::Apply(operator, args), dtype, depth)
    }

    /// The value of an operation, computed at this depth unless it is known.
    fn pure(&mut self, operation: Pure, dtype: RealType, depth: usize) -> Value {
        if let Some(&value) = self.scopes[depth].known.get(&operation) {
            return value;
        }
        let result = self.define(dtype, depth);
        let op = match operation.clone() {
            Pure::Index(axis) => Op::Index { result, axis },
            Pure::Random(generator, dtype, key, counter) => {
                Op::Random { result, generator, dtype, key, counter }
            }
            Pure::Apply(operator, args) => {
                self.definitions[result.0 as usize].apply = Some((operator, args.clone()));
                Op::Apply { result, operator, args }
            }
        };
        let scope = &mut self.scopes[depth];
        scope.ops.push(op);
        scope.known.insert(operation, result);
        result
    }

    fn constant(&mut self, scalar: Scalar) -> Value {
        if let Some(&value) = self.constants.get(&scalar) {
            return value;
        }
        let result = self.define_first(scalar.dtype());
        self.definitions[result.0 as usize].constant = Some(scalar);
        self.first.push(Op::Const { result, scalar });
        self.constants.insert(scalar, result);
        result
    }

    fn argument(&mut self, index: u16) -> Value {
        if let Some(&value) = self.arguments.get(&index) {
            return value;
        }
        let result = self.define_first(self.kernel.scalars[index as usize]);
        self.first.push(Op::Scalar { result, index });
        self.arguments.insert(index, result);
        result
    }

    fn define(&mut self, dtype: RealType, depth: usize) -> Value {
        let (is_first, constant, apply) = Default::default();
        self.definitions.push(Definition { dtype, depth, is_first, constant, apply });
        Value(self.definitions.len() as u32 - 1)
    }

    /// Defines a constant or an argument.
    fn define_first(&mut self, dtype: RealType) -> Value {
        let value = self.define(dtype, 0);
        self.definitions[value.0 as usize].is_first = true;
        value
    }

    /// The depth of the innermost operand.
    fn depth(&self, args: &[Value]) -> usize {
        args.iter().map(|a| self.definitions[a.0 as usize].depth).max().unwrap_or(0)
    }

    /// The new value for an old one.
    fn operand(&self, old: Value) -> Value {
        self.renamed[&old]
    }

    fn push_renamed(&mut self, op: &Op) {
        let mut op = op.clone();
        op.map_values(|value, _| self.operand(value));
        self.push(op);
    }

    fn push(&mut self, op: Op) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.ops.push(op);
        }
    }
}

/// Buffers that a region stores to.
fn stored_buffers(region: &Region) -> Vec<u16> {
    let mut stored = Vec::new();
    for op in &region.ops {
        if let Op::Store { to, .. } = op {
            stored.push(to.buffer);
        }
        stored.extend(op.body().map(stored_buffers).into_iter().flatten());
    }
    stored
}

/// Forgets loads that stores to these buffers may change.
fn forget_loads(kernel: &Kernel, scope: &mut Scope, stored: &[u16]) {
    let no_alias = |buffer: u16| kernel.buffers[buffer as usize].no_alias;
    scope.loads.retain(|(from, _)| {
        !stored.iter().any(|&to| to == from.buffer || !(no_alias(to) || no_alias(from.buffer)))
    });
}
