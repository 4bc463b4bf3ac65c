//! The builtins element by element.

use super::{Memory, indices};
use darray_core::{RealType, Scalar};
use darray_device::builtin::{
    Compact, Gather, MatMul, Merge, ReduceFinish, Scan, ScanPart, Scatter, Search, Sort,
    resolve_index, sort_key,
};
use darray_device::{Arg, Fault};
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::product;
use darray_kernel::tree::GridTree;
use smallvec::SmallVec;
use std::ops::Range;

impl Memory {
    /// Runs a builtin.
    pub(super) fn builtin(&mut self, name: &str, args: &[Arg]) -> Result<(), Fault> {
        match name {
            MatMul::NAME => self.matmul(&MatMul::decode(args)?),
            ReduceFinish::NAME => self.finish(&ReduceFinish::decode(args)?),
            Scan::NAME => self.scan(&Scan::decode(args)?),
            Gather::NAME => self.look_up(&Gather::decode(args)?),
            Scatter::NAME => self.write_by_index(&Scatter::decode(args)?),
            Sort::NAME => self.sort(&Sort::decode(args)?),
            Merge::NAME => self.merge(&Merge::decode(args)?),
            Compact::NAME => self.compact(&Compact::decode(args)?),
            Search::NAME => self.search(&Search::decode(args)?),
            other => Err(Fault::Execution(format!("no builtin `{other}`"))),
        }
    }

    fn matmul(&mut self, matmul: &MatMul) -> Result<(), Fault> {
        let &MatMul { dtype, m, k, n, .. } = matmul;
        let (multiply, add) = match dtype {
            RealType::Bool => (Operator::And, Operator::Or),
            _ => (Operator::Mul, Operator::Add),
        };
        let compute = dtype.compute();
        let zero = Scalar::from(0.0).cast(compute);
        for stack in indices(&matmul.stack) {
            let at = |i: usize, j: usize| -> SmallVec<[usize; 4]> {
                stack.iter().copied().chain([i, j]).collect()
            };
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let factors = |p: usize| -> Result<[Scalar; 2], Fault> {
                    let a = self.element(&matmul.a, dtype, &at(i, p))?.cast(compute);
                    Ok([a, self.element(&matmul.b, dtype, &at(p, j))?.cast(compute)])
                };
                let chain = |mut products: Range<usize>| {
                    products.try_fold(Scalar::from(-0.0).cast(dtype), |sum, p| {
                        let [a, b] = factors(p)?;
                        Ok(Operator::Fma.apply(&[a, b, sum]))
                    })
                };
                let join = |a: Result<Scalar, Fault>, b: Result<Scalar, Fault>| {
                    Ok(Operator::Add.apply(&[a?, b?]))
                };
                let sum = match dtype.is_float() {
                    true => product::sum(k, chain, join).unwrap_or(Ok(zero)),
                    false => (0..k).try_fold(zero, |sum, p| {
                        Ok(add.apply(&[sum, multiply.apply(&factors(p)?)]))
                    }),
                };
                self.set_element(&matmul.out, sum?.cast(dtype), &at(i, j))?;
            }
        }
        Ok(())
    }

    fn scan(&mut self, scan: &Scan) -> Result<(), Fault> {
        let Scan { dtype, block, axis, .. } = *scan;
        let combine = |a: &Scalar, b: &Scalar| scan.reducer.combine((*a, 0), (*b, 0)).0;
        let mut others = scan.extents.clone();
        others.remove(axis);
        for kept in indices(&others) {
            let along = |i: usize| {
                let mut at = kept.clone();
                at.insert(axis, i);
                at
            };
            let row = |b: usize| -> SmallVec<[usize; 4]> {
                std::iter::once(b).chain(kept.iter().copied()).collect()
            };
            let from = if scan.part.has_carries() { &scan.out } else { &scan.operand };
            let mut values = (0..scan.extents[axis])
                .map(|i| self.element(from, dtype, &along(i)))
                .collect::<Result<Vec<Scalar>, Fault>>()?;
            match scan.part {
                ScanPart::Whole => darray_kernel::scan::scan(&mut values, block, combine),
                ScanPart::Blocks => darray_kernel::scan::scan_blocks(&mut values, block, combine),
                ScanPart::Carry => {
                    let before = (!scan.first).then(|| self.element(&scan.operand, dtype, &row(0)));
                    let carries =
                        darray_kernel::scan::carries(before.transpose()?, &values, block, combine);
                    for (b, carry) in carries.into_iter().enumerate().skip(1) {
                        let carry = carry.expect("a block has a total");
                        self.set_element(&scan.operand, carry, &row(b))?;
                    }
                    continue;
                }
                ScanPart::Add => {
                    let carry = |b: usize| match b == 0 && scan.first {
                        true => Ok(None),
                        false => self.element(&scan.operand, dtype, &row(b)).map(Some),
                    };
                    let carries = (0..scan.blocks()).map(carry).collect::<Result<Vec<_>, _>>()?;
                    darray_kernel::scan::add_carries(&mut values, block, &carries, combine);
                }
            }
            for (i, value) in values.into_iter().enumerate() {
                self.set_element(&scan.out, value, &along(i))?;
            }
        }
        Ok(())
    }

    fn sort(&mut self, sort: &Sort) -> Result<(), Fault> {
        let Sort { dtype, axis, origin, .. } = *sort;
        let mut others = sort.extents.clone();
        others[axis] = 1;
        for lane in indices(&others) {
            let along = |i: usize| {
                let mut at = lane.clone();
                at[axis] = i;
                at
            };
            let mut elements = (0..sort.extents[axis])
                .map(|i| Ok((self.element(&sort.input, dtype, &along(i))?, i)))
                .collect::<Result<Vec<(Scalar, usize)>, Fault>>()?;
            elements.sort_by_key(|(value, _)| sort_key(dtype, value.bits()));
            for (i, (value, index)) in elements.into_iter().enumerate() {
                if let Some(view) = &sort.values {
                    self.set_element(view, value, &along(i))?;
                }
                if let Some(view) = &sort.indices {
                    self.set_element(view, ((origin + index) as i64).into(), &along(i))?;
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, merge: &Merge) -> Result<(), Fault> {
        let mut elements = Vec::new();
        for (run, &length) in merge.lengths.iter().enumerate() {
            for i in 0..length {
                let value = self.element(&merge.values[run], merge.dtype, &[i])?;
                let result = match merge.indices.get(run) {
                    Some(view) => self.element(view, RealType::I64, &[i])?,
                    None => value,
                };
                elements.push((sort_key(merge.dtype, value.bits()), result));
            }
        }
        elements.sort_by_key(|(key, _)| *key);
        let wanted = &elements[merge.start..merge.start + merge.count];
        for (i, (_, result)) in wanted.iter().enumerate() {
            self.set_element(&merge.out, *result, &[i])?;
        }
        Ok(())
    }

    fn finish(&mut self, finish: &ReduceFinish) -> Result<(), Fault> {
        let global: Vec<usize> = finish.cuts.iter().map(|c| c[c.len() - 1]).collect();
        let tree = GridTree::new(finish.rule, finish.group, &global, &finish.cuts);
        for kept in indices(&finish.kept) {
            let take = |tile: usize, slot: usize| {
                let mut at: SmallVec<[usize; 4]> = SmallVec::from_slice(&[slot]);
                at.extend_from_slice(&kept);
                let views = &finish.tiles[tile];
                let value = self.element(&views[0], finish.dtype, &at)?;
                let index =
                    views.get(1).map(|v| self.element(v, RealType::I64, &at)).transpose()?;
                Ok((value, index.map_or(0, Scalar::to_i64)))
            };
            let root = tree
                .fold(take, |a, b| Ok(finish.reducer.combine(a?, b?)))
                .ok_or_else(|| Fault::Execution("a reduction without slots".to_string()))??;
            self.set_element(&finish.outputs[0], root.0, &kept)?;
            if let Some(index) = finish.outputs.get(1) {
                self.set_element(index, root.1.into(), &kept)?;
            }
        }
        Ok(())
    }

    fn look_up(&mut self, gather: &Gather) -> Result<(), Fault> {
        for (number, at) in indices(&gather.extents).enumerate() {
            let index = self.element(&gather.index, RealType::I64, &at)?.to_i64();
            let Some(found) = resolve_index(index, gather.bound) else {
                return Err(gather.out_of_range(number, index));
            };
            let mut from = at.clone();
            from.push(found);
            let value = self.element(&gather.source, gather.dtype, &from)?;
            self.set_element(&gather.out, value, &at)?;
        }
        Ok(())
    }

    fn write_by_index(&mut self, scatter: &Scatter) -> Result<(), Fault> {
        let Scatter { axis, bound, .. } = *scatter;
        let own = scatter.origin[axis]..scatter.origin[axis] + scatter.extents[axis];
        for (number, at) in indices(&scatter.index_extents()).enumerate() {
            let index = self.element(&scatter.index, RealType::I64, &at)?.to_i64();
            let Some(found) = resolve_index(index, bound) else {
                return Err(scatter.out_of_range(number, index));
            };
            if own.contains(&found) {
                let value = self.element(&scatter.value, scatter.dtype, &at)?;
                let mut to = at.clone();
                to[axis] = found - own.start;
                let value = match scatter.add {
                    true => {
                        let sum = (self.element(&scatter.out, scatter.dtype, &to)?, 0);
                        Reducer::Sum.combine(sum, (value, 0)).0
                    }
                    false => value,
                };
                self.set_element(&scatter.out, value, &to)?;
            }
        }
        Ok(())
    }

    fn compact(&mut self, compact: &Compact) -> Result<(), Fault> {
        let mut number = 0;
        for at in 0..compact.bound {
            let holds = self.element(&compact.mask, RealType::Bool, &[at])?.to_i64() != 0;
            if holds && number >= compact.start && number - compact.start < compact.count {
                let value = match &compact.source {
                    Some(source) => self.element(source, compact.dtype, &[at])?,
                    None => (at as i64).into(),
                };
                self.set_element(&compact.out, value, &[number - compact.start])?;
            }
            number += usize::from(holds);
        }
        Ok(())
    }

    fn search(&mut self, search: &Search) -> Result<(), Fault> {
        let key = |value: Scalar| sort_key(search.dtype, value.bits());
        for at in indices(&search.extents) {
            let value = key(self.element(&search.values, search.dtype, &at)?);
            let mut found = 0i64;
            for k in 0..search.bound {
                let mut from = at.clone();
                from.push(k);
                let other = key(self.element(&search.sorted, search.dtype, &from)?);
                found += i64::from(other < value || search.right && other == value);
            }
            self.set_element(&search.out, found.into(), &at)?;
        }
        Ok(())
    }
}
