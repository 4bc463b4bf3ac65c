//! The values of operations: what they define and use, of which type, and their canonical numbers.

use crate::ir::{Access, Kernel, Op, Region, Value};
use darray_core::RealType;
use hashbrown::HashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

impl Op {
    /// The values that the operation defines in its region (not those inside its body).
    pub fn results(&self) -> SmallVec<[Value; 2]> {
        match self {
            Op::Const { result, .. }
            | Op::Scalar { result, .. }
            | Op::Index { result, .. }
            | Op::Random { result, .. }
            | Op::Load { result, .. }
            | Op::Apply { result, .. } => SmallVec::from_slice(&[*result]),
            Op::Store { .. } | Op::For { .. } | Op::Yield { .. } => SmallVec::new(),
            Op::Fold { folds, .. } => {
                folds.iter().flat_map(|f| [Some(f.result), f.index]).flatten().collect()
            }
        }
    }

    /// The values that the operation itself uses (not those used inside its body). For a fold these
    /// are the folded values, which may be defined in its body.
    pub fn operands(&self) -> SmallVec<[Value; 5]> {
        match self {
            Op::Const { .. } | Op::Scalar { .. } | Op::Index { .. } | Op::Load { .. } => {
                SmallVec::new()
            }
            Op::For { .. } => SmallVec::new(),
            Op::Random { key, counter, .. } => key.iter().chain([counter]).copied().collect(),
            Op::Apply { args, .. } => args.iter().copied().collect(),
            Op::Store { value, mask, .. } => [Some(*value), *mask].into_iter().flatten().collect(),
            Op::Yield { value, .. } => SmallVec::from_slice(&[*value]),
            Op::Fold { folds, .. } => folds.iter().map(|f| f.value).collect(),
        }
    }

    /// Replaces every value of the operation, its body not included: results where `defines`.
    pub fn map_values(&mut self, mut map: impl FnMut(Value, /* defines */ bool) -> Value) {
        let mut put = |value: &mut Value, defines| *value = map(*value, defines);
        match self {
            Op::Const { result, .. }
            | Op::Scalar { result, .. }
            | Op::Index { result, .. }
            | Op::Load { result, .. } => put(result, true),
            Op::Random { result, key, counter, .. } => {
                key.iter_mut().chain([counter]).for_each(|v| put(v, false));
                put(result, true);
            }
            Op::Apply { result, args, .. } => {
                args.iter_mut().for_each(|v| put(v, false));
                put(result, true);
            }
            Op::Store { value, mask, .. } => {
                put(value, false);
                mask.iter_mut().for_each(|v| put(v, false));
            }
            Op::For { .. } => {}
            Op::Yield { value, .. } => put(value, false),
            Op::Fold { folds, .. } => {
                for fold in folds {
                    put(&mut fold.value, false);
                    put(&mut fold.result, true);
                    fold.index.iter_mut().for_each(|v| put(v, true));
                }
            }
        }
    }

    /// The element that the operation reads or writes.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Op::Load { from, .. } => Some(from),
            Op::Store { to, .. } | Op::Yield { to, .. } => Some(to),
            _ => None,
        }
    }

    /// The region inside the operation.
    pub fn body(&self) -> Option<&Region> {
        match self {
            Op::For { body } | Op::Fold { body, .. } => Some(body),
            _ => None,
        }
    }

    /// As [`body`](Self::body).
    pub fn body_mut(&mut self) -> Option<&mut Region> {
        match self {
            Op::For { body } | Op::Fold { body, .. } => Some(body),
            _ => None,
        }
    }

    /// The types of [`results`](Self::results), in the same order; none where the operation is not
    /// well typed. `type_of` gives the types of operands.
    pub fn result_types(
        &self,
        kernel: &Kernel,
        type_of: impl Fn(Value) -> Option<RealType>,
    ) -> SmallVec<[Option<RealType>; 2]> {
        let one = |dtype| SmallVec::from_slice(&[dtype]);
        match self {
            Op::Const { scalar, .. } => one(Some(scalar.dtype())),
            Op::Scalar { index, .. } => one(kernel.scalars.get(*index as usize).copied()),
            Op::Index { .. } => one(Some(RealType::INDEX)),
            Op::Random { dtype, .. } => one(Some(*dtype)),
            Op::Load { from, .. } => one(kernel.buffers.get(from.buffer as usize).map(|b| b.dtype)),
            Op::Apply { operator, args, .. } => {
                let types: Option<SmallVec<[RealType; 4]>> =
                    args.iter().map(|a| type_of(*a)).collect();
                one(types.and_then(|types| operator.result(&types)))
            }
            Op::Store { .. } | Op::For { .. } | Op::Yield { .. } => SmallVec::new(),
            Op::Fold { folds, .. } => folds
                .iter()
                .flat_map(|f| {
                    let value = type_of(f.value).and_then(|t| f.reducer.result(t));
                    [Some(value), f.index.map(|_| Some(RealType::INDEX))]
                })
                .flatten()
                .collect(),
        }
    }
}

impl Kernel {
    /// The type of every value that has one: all of a verified kernel.
    pub fn value_types(&self) -> BTreeMap<Value, RealType> {
        let mut types = BTreeMap::new();
        self.type_region(&self.body, &mut types);
        types
    }

    fn type_region(&self, region: &Region, types: &mut BTreeMap<Value, RealType>) {
        for op in &region.ops {
            if let Some(body) = op.body() {
                self.type_region(body, types);
            }
            let of_results = op.result_types(self, |v| types.get(&v).copied());
            for (result, dtype) in op.results().into_iter().zip(of_results) {
                dtype.map(|dtype| types.insert(result, dtype));
            }
        }
    }

    /// Numbers values in the order of the text: an operation's body before its results.
    ///
    /// ```text
    /// %7 = load b0[p0 + 1*i0]        %0 = load b0[p0 + 1*i0]
    /// %2 = neg.f64 %7                %1 = neg.f64 %0
    /// ```
    ///
    /// Values that are used but never defined keep numbers after all others.
    pub fn renumber(&mut self) {
        let mut numbers = HashMap::new();
        define(&self.body, &mut numbers);
        replace(&mut self.body, &mut numbers);
    }
}

fn define(region: &Region, numbers: &mut HashMap<Value, Value>) {
    for op in &region.ops {
        if let Some(body) = op.body() {
            define(body, numbers);
        }
        for result in op.results() {
            let next = Value(numbers.len() as u32);
            numbers.entry(result).or_insert(next);
        }
    }
}

fn replace(region: &mut Region, numbers: &mut HashMap<Value, Value>) {
    for op in &mut region.ops {
        op.map_values(|value, _| {
            let next = Value(numbers.len() as u32);
            *numbers.entry(value).or_insert(next)
        });
        if let Some(body) = op.body_mut() {
            replace(body, numbers);
        }
    }
}
