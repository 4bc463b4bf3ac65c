//! Contraction: sums and differences with a product become one fused multiply-add, rounded once.
//!
//! ```text
//! %3 = mul.f64 %0 %1
//! %4 = add.f64 %2 %3        =>    %3 = fma.f64 %0 %1 %2
//! ```
//!
//! This changes results, so it is done only where a runtime is told to, after fusion and before any
//! device sees the kernel: executors round what the kernel says, and agree on its bits as ever. Products
//! of two floats that nothing else uses are contracted; of two such products in a sum, the first. What
//! reductions add up stays as it is.

use crate::ir::{Kernel, Op, Region, Value};
use crate::operator::Operator;
use darray_core::RealType;
use hashbrown::{HashMap, HashSet};
use smallvec::smallvec;
use std::collections::BTreeMap;

/// Contracts a verified kernel; the result is verified too.
pub fn contract(kernel: &Kernel) -> Kernel {
    let types = kernel.value_types();
    let mut uses = HashMap::new();
    count_uses(&kernel.body, &mut uses);
    let next = types.keys().next_back().map_or(0, |last| last.0 + 1);
    let mut contraction = Contraction { types, uses, next };
    let mut contracted = kernel.clone();
    contraction.region(&mut contracted.body);
    contracted.renumber();
    debug_assert_eq!(crate::verify::verify(&contracted).err(), None);
    contracted
}

fn count_uses(region: &Region, uses: &mut HashMap<Value, usize>) {
    for op in &region.ops {
        op.operands().into_iter().for_each(|value| *uses.entry(value).or_default() += 1);
        op.body().into_iter().for_each(|body| count_uses(body, uses));
    }
}

struct Contraction {
    types: BTreeMap<Value, RealType>,
    /// How often a value is used.
    uses: HashMap<Value, usize>,
    /// The first number that no value has.
    next: u32,
}

impl Contraction {
    fn region(&mut self, region: &mut Region) {
        // Products of this region that may be contracted, with their factors.
        let mut products: HashMap<Value, [Value; 2]> = HashMap::new();
        let mut contracted = HashSet::new();
        let mut ops = Vec::with_capacity(region.ops.len());
        for mut op in std::mem::take(&mut region.ops) {
            if let Some(body) = op.body_mut() {
                self.region(body);
            }
            let Op::Apply { result, operator, args } = &op else {
                ops.push(op);
                continue;
            };
            let result = *result;
            if let Some(factors) = factors(*operator, args)
                && self.types[&result].is_float()
                && self.uses.get(&result) == Some(&1)
            {
                products.insert(result, factors);
            }
            let product = match operator {
                Operator::Add | Operator::Sub => {
                    args.iter().position(|arg| products.contains_key(arg))
                }
                _ => None,
            };
            let Some(at) = product else {
                ops.push(op);
                continue;
            };
            let ([mut x, y], mut z) = (products[&args[at]], args[1 - at]);
            contracted.insert(args[at]);
            if *operator == Operator::Sub {
                // x * y - z, or z - x * y.
                let negated = if at == 0 { &mut z } else { &mut x };
                *negated = self.negative(*negated, &mut ops);
            }
            ops.push(Op::Apply { result, operator: Operator::Fma, args: smallvec![x, y, z] });
        }
        ops.retain(|op| !op.results().iter().any(|result| contracted.contains(result)));
        region.ops = ops;
    }

    /// The negative of a value, which is exact.
    fn negative(&mut self, value: Value, ops: &mut Vec<Op>) -> Value {
        let result = Value(self.next);
        self.next += 1;
        self.types.insert(result, self.types[&value]);
        ops.push(Op::Apply { result, operator: Operator::Neg, args: smallvec![value] });
        result
    }
}

/// The factors of a product.
fn factors(operator: Operator, args: &[Value]) -> Option<[Value; 2]> {
    match (operator, args) {
        (Operator::Mul, &[x, y]) => Some([x, y]),
        (Operator::Square, &[x]) => Some([x, x]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::verify;
    use expect_test::expect;

    fn kernel(body: &str) -> Kernel {
        let text = format!(
            "kernel params=3 scalars=[f64]
               b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
               b2: i64 rank 1 read noalias b3: i64 rank 1 write noalias {{
               %0 = scalar 0
               for (i0: extent=p0 origin=p1 global=p0 logical=0) {{
                 %1 = load b0[p1 + 1*i0]
                 {body}
               }}
             }}"
        );
        let kernel = Kernel::parse(&text).unwrap();
        verify(&kernel).unwrap();
        kernel
    }

    /// The loop's operations, contracted.
    fn check(body: &str, expected: expect_test::Expect) {
        let text = contract(&kernel(body)).to_string();
        let (from, to) = (text.find("[p1 + 1*i0]\n").unwrap(), text.find("    store").unwrap());
        let lines = text[from + "[p1 + 1*i0]\n".len()..to].lines();
        expected.assert_eq(&lines.map(|line| format!("{}\n", line.trim())).collect::<String>());
    }

    #[test]
    fn sums_and_differences_on_either_side_are_contracted() {
        check(
            "%2 = mul.f64 %0 %1  %3 = add.f64 %2 %1  store b1[p1 + 1*i0] %3",
            expect![[r#"
                %2 = fma.f64 %0 %1 %1
            "#]],
        );
        check(
            "%2 = square.f64 %1  %3 = sub.f64 %2 %0  store b1[p1 + 1*i0] %3",
            expect![[r#"
                %2 = neg.f64 %0
                %3 = fma.f64 %1 %1 %2
            "#]],
        );
        check(
            "%2 = mul.f64 %0 %1  %3 = sub.f64 %1 %2  store b1[p1 + 1*i0] %3",
            expect![[r#"
                %2 = neg.f64 %0
                %3 = fma.f64 %2 %1 %1
            "#]],
        );
    }

    #[test]
    fn of_two_products_the_first_is_contracted() {
        check(
            "%2 = mul.f64 %0 %1  %3 = mul.f64 %1 %1  %4 = add.f64 %2 %3  store b1[p1 + 1*i0] %4",
            expect![[r#"
                %2 = mul.f64 %1 %1
                %3 = fma.f64 %0 %1 %2
            "#]],
        );
    }

    #[test]
    fn products_that_are_used_twice_and_integers_stay() {
        check(
            "%2 = mul.f64 %0 %1  %3 = add.f64 %2 %1  %4 = add.f64 %3 %2  store b1[p1 + 1*i0] %4",
            expect![[r#"
                %2 = mul.f64 %0 %1
                %3 = add.f64 %2 %1
                %4 = add.f64 %3 %2
            "#]],
        );
        check(
            "%2 = load b2[p1 + 1*i0]  %3 = mul.i64 %2 %2  %4 = add.i64 %3 %2
             store b3[p1 + 1*i0] %4",
            expect![[r#"
                %2 = load b2[p1 + 1*i0]
                %3 = mul.i64 %2 %2
                %4 = add.i64 %3 %2
            "#]],
        );
    }
}
