use super::*;
use crate::jit::lane::{Args, Body, Held, NEXT, Relation};
use darray_core::RealType;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

const REGISTERS: usize = 31;

fn scheduled(nodes: &[Node], side: u8) -> Vec<Node> {
    schedule(nodes.to_vec(), Target::Avx512, side, REGISTERS)
}

/// The nodes as [`order`] has them.
fn schedule(nodes: Vec<Node>, target: Target, side: u8, registers: usize) -> Vec<Node> {
    let Some(order) = order(&nodes, target, side, registers) else { return nodes };
    let mut numbers = vec![0; nodes.len()];
    order.iter().zip(0..).for_each(|(&at, number)| numbers[at as usize] = number);
    let node = |&at: &Value| {
        let node = nodes[at as usize];
        Node { args: node.args.map(|arg| numbers[arg as usize]), ..node }
    };
    order.iter().map(node).collect()
}

/// Squares a number so often.
fn chain(body: &mut Body, mut value: Value, length: usize) -> Value {
    for _ in 0..length {
        value = body.add(Op::Mul, Lane::F64, &[value, value]);
    }
    value
}

fn load(body: &mut Body, pointer: u16) -> Value {
    body.add(Op::Load(pointer, RealType::F64, 0), Lane::F64, &[])
}

fn store(body: &mut Body, pointer: u16, value: Value) {
    body.add(Op::Store(pointer, RealType::F64, 0), Lane::F64, &[value]);
}

/// Vectors that are alive at once, at most.
fn most_alive(nodes: &[Node]) -> usize {
    let end = |value: usize| match nodes[value].op.is_remade() {
        true => None,
        false => nodes.iter().rposition(|node| node.args.contains(&(value as Value))),
    };
    let ends: Vec<Option<usize>> = (0..nodes.len()).map(end).collect();
    let alive = |at| (0..=at).filter(|&value| ends[value].is_some_and(|end| end > at)).count();
    (0..nodes.len()).map(alive).max().unwrap_or(0)
}

#[test]
fn chains_that_do_not_wait_for_each_other_take_turns() {
    let mut body = Body::new(0);
    // As they are lowered: one behind the other.
    let results = [0, 1].map(|pointer| {
        let value = load(&mut body, pointer);
        chain(&mut body, value, 30)
    });
    results.iter().for_each(|&result| store(&mut body, 2, result));
    let nodes = body.used();
    let order = scheduled(&nodes, 1);
    // The chain of each node: that of what it uses.
    let mut chains: Vec<u16> = Vec::new();
    for node in &order {
        chains.push(match node.op {
            Op::Load(pointer, ..) => pointer,
            _ => chains[node.args[0] as usize],
        });
    }
    let products: Vec<u16> =
        (0..order.len()).filter(|&at| order[at].op == Op::Mul).map(|at| chains[at]).collect();
    assert_eq!(products.len(), 60);
    let turns = products.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(turns > 50, "{turns} of 59: {products:?}");
}

#[test]
fn no_more_is_begun_than_registers_hold() {
    // The sum takes four cycles an element, in which more chains could begin than end.
    let nodes = sum_of_chains(100, 1);
    for registers in [8, 16, 31] {
        let most = most_alive(&schedule(nodes.clone(), Target::Avx512, 1, registers));
        let allowed = registers + registers * Pace::here().spare / 4;
        assert!((allowed - 2..=allowed).contains(&most), "{most} of {registers}");
    }
}

/// The sum of so many chains of this length.
fn sum_of_chains(count: u64, length: usize) -> Vec<Node> {
    let mut body = Body::new(0);
    let mut sum = load(&mut body, 0);
    for k in 0..count {
        let bits = body.constant(k, Lane::F64);
        let first = load(&mut body, 0);
        let first = body.add(Op::Add, Lane::F64, &[first, bits]);
        let end = chain(&mut body, first, length);
        sum = body.add(Op::Add, Lane::F64, &[sum, end]);
    }
    store(&mut body, 1, sum);
    body.used()
}

/// What code does: a number for all that it stores, in order, and for what accumulators hold in the end.
fn effect(nodes: &[Node]) -> u64 {
    let hash = |of: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        of(&mut hasher);
        hasher.finish()
    };
    let mut memory = 0u64;
    let mut accumulators: HashMap<Held, u64> = HashMap::new();
    let mut values: Vec<u64> = Vec::new();
    for node in nodes {
        let used: Vec<u64> = node
            .args
            .iter()
            .map(|&arg| match nodes[arg as usize].op {
                // There is no copy of it.
                Op::Held(held) => accumulators.get(&held).copied().unwrap_or(1),
                _ => values[arg as usize],
            })
            .collect();
        let value = hash(&|hasher| {
            (node.op, node.lane, &used).hash(hasher);
            if let Op::Load(..) = node.op {
                memory.hash(hasher);
            }
        });
        match node.op {
            Op::Store(..) => memory = hash(&|hasher| (memory, value).hash(hasher)),
            Op::Hold(held) => drop(accumulators.insert(held, used[0])),
            _ => {}
        }
        values.push(value);
    }
    let mut held: Vec<_> =
        accumulators.into_iter().map(|(held, value)| (held.pointer, value)).collect();
    held.sort_unstable();
    hash(&|hasher| (memory, &held).hash(hasher))
}

/// The next of random numbers below a bound.
fn below(state: &mut u64, bound: usize) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize % bound
}

/// Code of loads, stores, operations of all costs, and folds.
fn random(seed: u64) -> Vec<Node> {
    let mut state = seed;
    let mut body = Body::new(0);
    let mut values = vec![load(&mut body, 0), body.constant(7, Lane::F64)];
    let operations = [Op::Add, Op::Mul, Op::MulAdd, Op::Div, Op::Sqrt, Op::Select];
    for _ in 0..90 + below(&mut state, 100) {
        let mut some = || values[below(&mut state, values.len())];
        let [a, b, c] = [some(), some(), some()];
        let value = match below(&mut state, 12) {
            0 | 1 => load(&mut body, below(&mut state, 4) as u16),
            2 => {
                store(&mut body, below(&mut state, 4) as u16, a);
                continue;
            }
            _ => match operations[below(&mut state, operations.len())] {
                Op::Sqrt => body.add(Op::Sqrt, Lane::F64, &[a]),
                Op::MulAdd => body.add(Op::MulAdd, Lane::F64, &[a, b, c]),
                Op::Select => {
                    let less = Op::Compare(Relation::Less, Lane::F64);
                    let mask = body.add(less, Lane::Mask, &[a, b]);
                    body.add(Op::Select, Lane::F64, &[mask, b, c])
                }
                op => body.add(op, Lane::F64, &[a, b]),
            },
        };
        values.push(value);
    }
    let holds = [0, 1].map(|pointer| {
        let held = Held { pointer: 10 + pointer, dtype: RealType::F64, group: 0 };
        let value = body.put(Op::Held(held), Lane::F64, Args::new(&[]));
        let element = values[below(&mut state, values.len())];
        (held, body.add(Op::Add, Lane::F64, &[value, element]), value)
    });
    // What one takes is of what the other holds, too.
    let both = body.add(Op::Mul, Lane::F64, &[holds[0].2, holds[1].1]);
    body.add(Op::Hold(holds[1].0), Lane::F64, &[both]);
    body.add(Op::Hold(holds[0].0), Lane::F64, &[holds[0].1]);
    store(&mut body, 0, *values.last().expect("a value"));
    body.used()
}

#[test]
fn another_order_does_the_same() {
    let mut changed = 0;
    for seed in 0..2000 {
        let nodes = random(seed);
        let order = scheduled(&nodes, 1 + (seed % 4) as u8);
        assert_eq!(order.len(), nodes.len());
        assert_eq!(effect(&order), effect(&nodes), "of seed {seed}");
        let ops = |nodes: &[Node]| nodes.iter().map(|node| node.op).collect::<Vec<_>>();
        changed += usize::from(ops(&order) != ops(&nodes));
    }
    assert!(changed > 1900, "{changed}");
}

/// How many values, vectors and masks, are alive more when a node comes behind those in `order`.
fn change(nodes: &[Node], order: &[Value], at: Value) -> [i8; 2] {
    let node = &nodes[at as usize];
    let mut change = [0; 2];
    change[file(node)] += i8::from(!node.op.has_effect());
    let mut args = node.args.to_vec();
    args.sort_unstable();
    args.dedup();
    for arg in args.into_iter().filter(|&arg| !nodes[arg as usize].op.is_remade()) {
        let is_load = matches!(nodes[arg as usize].op, Op::Load(..));
        change[file(&nodes[arg as usize])] += i8::from(is_load && !order.contains(&arg));
        let uses = |user: &Value| *user != at && nodes[*user as usize].args.contains(&arg);
        let users = (0..nodes.len() as Value).filter(uses);
        change[file(&nodes[arg as usize])] -= i8::from({ users }.all(|user| order.contains(&user)));
    }
    change
}

#[test]
fn changes_are_known_at_every_step() {
    let mut known = 0;
    for seed in 0..40 {
        let nodes = random(seed);
        let remade = (0..nodes.len() as Value).filter(|&at| nodes[at as usize].op.is_remade());
        let mut scheduler = Scheduler::new(&nodes, remade.collect(), 1, REGISTERS);
        while scheduler.order.len() < nodes.len() {
            for ready in scheduler.ready.iter().map(|ready| ready.node()) {
                let state = &scheduler.graph.states[ready as usize];
                assert_eq!(state.change, change(&nodes, &scheduler.order, ready), "{seed} {ready}");
                known += 1;
            }
            scheduler.step();
        }
    }
    assert!(known > 10_000, "{known}");
}

#[test]
fn what_is_exchanged_is_loaded_before_it_is_stored() {
    let mut body = Body::new(0);
    let [a, b] = [0, 1].map(|pointer| load(&mut body, pointer));
    // Of other arrays, so that the code is long.
    let c = load(&mut body, 2);
    let c = chain(&mut body, c, LONG);
    store(&mut body, 0, b);
    store(&mut body, 1, a);
    store(&mut body, 2, c);
    let nodes = body.used();
    let order = scheduled(&nodes, 3);
    assert_eq!(effect(&order), effect(&nodes));
}

#[test]
fn short_code_and_that_of_few_registers_stays_as_it_is() {
    let ops = |nodes: &[Node]| nodes.iter().map(|node| node.op).collect::<Vec<_>>();
    let short = sum_of_chains(3, 8);
    assert_eq!(ops(&scheduled(&short, 3)), ops(&short));
    let long = sum_of_chains(8, 8);
    assert_ne!(ops(&scheduled(&long, 3)), ops(&long));
    assert_eq!(ops(&schedule(long.clone(), Target::Avx2, 3, 15)), ops(&long));
}

/// What rounds of code have stored, by pointer and round.
type Memory = HashMap<(u16, usize), u64>;

/// Runs code in a round: loads of the next round are of the round behind it.
fn run_round(nodes: &[Node], round: usize, memory: &mut Memory, carried: &mut HashMap<u8, u64>) {
    let mut values: Vec<u64> = Vec::new();
    for node in nodes {
        let used = |&arg: &Value| match nodes[arg as usize].op {
            // It stays where it is.
            Op::Carried(number) => carried[&number],
            _ => values[arg as usize],
        };
        let used: Vec<u64> = node.args.iter().map(used).collect();
        let mut hasher = DefaultHasher::new();
        (node.op, node.lane, &used).hash(&mut hasher);
        let value = match node.op {
            Op::Load(pointer, _, group) => {
                let place = (pointer, round + usize::from(group == NEXT));
                memory.get(&place).copied().unwrap_or(u64::from(pointer) << 32 | place.1 as u64)
            }
            Op::Store(pointer, ..) => {
                memory.insert((pointer, round), used[0]);
                0
            }
            Op::Carry(number) => {
                carried.insert(number, used[0]);
                0
            }
            _ => hasher.finish(),
        };
        values.push(value);
    }
}

/// Random code without what is folded, which nothing overlaps; its last value is stored.
pub(in super::super) fn unfolded(seed: u64) -> Option<Vec<Node>> {
    let mut nodes = random(seed);
    let fold = nodes.iter().position(|node| matches!(node.op, Op::Held(_))).expect("a fold");
    nodes.truncate(fold);
    let last = *nodes.last()?;
    let args = Args::new(&[fold as Value - 1]);
    nodes.push(Node { op: Op::Store(0, RealType::F64, 0), args, ..nodes[0] });
    (!last.op.has_effect() && last.lane != Lane::Mask).then_some(nodes)
}

#[test]
fn rounds_that_overlap_do_the_same() {
    const ROUNDS: usize = 4;
    let mut cut = 0;
    for seed in 0..2000 {
        let Some(nodes) = unfolded(seed) else { continue };
        let Some(Overlapped { first, round }) = overlap(&nodes, Target::Avx512) else { continue };
        cut += 1;
        let [mut want, mut found] = [Memory::new(), Memory::new()];
        let mut carried = HashMap::new();
        run_round(&first, 0, &mut found, &mut carried);
        let round = scheduled(&round, 2);
        for k in 0..ROUNDS {
            run_round(&nodes, k, &mut want, &mut HashMap::new());
            match k + 1 < ROUNDS {
                true => run_round(&round, k, &mut found, &mut carried),
                false => run_round(&nodes, k, &mut found, &mut HashMap::new()),
            }
        }
        assert_eq!(found, want, "of seed {seed}");
    }
    assert!(cut > 200, "{cut} were cut");
}
