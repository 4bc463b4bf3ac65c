//! Constants that groups side by side read.

use super::super::allocate::{Accumulators, Allocated, allocate};
use super::super::instruction::{Instruction, Source};
use super::super::lane::{self, Body, Lane, Node, Op};
use super::super::target::Target;
use darray_core::DType;

/// `y = 0.1 + x (0.2 + x (0.3 + ..))` of so many coefficients, beside so many other values that are needed again.
fn polynomial(coefficients: u64, others: u16) -> Vec<Node> {
    let mut body = Body::new(0);
    let others: Vec<_> = (0..others)
        .map(|k| {
            let x = body.add(Op::Load(2 + k, DType::F64, 0), Lane::F64, &[]);
            body.add(Op::Mul, Lane::F64, &[x, x])
        })
        .collect();
    let x = body.add(Op::Load(0, DType::F64, 0), Lane::F64, &[]);
    let mut y = x;
    for k in 0..coefficients {
        let coefficient = body.constant((0.1 * (k + 1) as f64).to_bits(), Lane::F64);
        y = body.add(Op::MulAdd, Lane::F64, &[y, x, coefficient]);
    }
    let sum = |y, other| body.add(Op::Add, Lane::F64, &[y, other]);
    let y = others.into_iter().fold(y, sum);
    body.add(Op::Store(1, DType::F64, 0), Lane::F64, &[y]);
    body.used()
}

fn groups(nodes: &[Node], groups: u8) -> Allocated {
    let all = lane::abreast(nodes, None, groups, groups);
    allocate(&all, 8, Target::Avx512, Accumulators::InMemory)
}

/// How often instructions read constants from memory.
fn reads(code: &Allocated) -> usize {
    let is_read =
        |one: &&Instruction| matches!(one, Instruction::Vector { second: Source::Constant(_), .. });
    code.code.iter().filter(is_read).count()
}

#[test]
fn groups_side_by_side_load_a_constant_once() {
    let nodes = polynomial(10, 0);
    for count in 1..=4 {
        assert_eq!(reads(&groups(&nodes, count)), 10, "{count} groups");
    }
}

#[test]
fn where_no_register_is_free_instructions_read_constants() {
    // 7 values of each of 4 groups wait, beside the argument and the polynomial: that is 36 vectors.
    let code = groups(&polynomial(10, 7), 4);
    assert!((11..=40).contains(&reads(&code)), "{}", reads(&code));
    // 5 of them: 28 vectors, and three are left.
    let code = groups(&polynomial(10, 5), 4);
    assert_eq!((reads(&code), code.slots), (10, 0));
}
