//! Orders of windows by brute force: tasks that run one by one in another order find what they find in the program's, and every
//! rule is needed for that.

use crate::random_windows::{
    Dice, SIDE, element, indices, window_of, window_of_numbers, window_of_readers,
    window_of_updates,
};
use darray_core::{Map, Shape};
use darray_fusion::order::{Order, Orders};
use darray_fusion::plan::{Costs, Rule, Rules};
use darray_ir::{IndexTask, Privilege, StoreId, TaskArg, TaskOp, Window};

/// Elements of the largest nests that follow each other.
const COSTS: Costs = Costs { small: 4, ..Costs::CPU };

/// A number that no other of these numbers gives, most likely.
fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ z >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    z ^ z >> 32
}

/// What is in the stores behind the tasks of a window, run one by one: each element is a number that says what it was made of. The
/// program has so many stores; what nothing has written of these is 0.
fn run(window: &Window, known: usize) -> Vec<Vec<u64>> {
    let elements = SIDE * SIDE;
    let is_clear = |store: usize| store < known && !window.stores()[store].initialised;
    let at = |store: usize, e: i64| if is_clear(store) { 0 } else { mix(store as u64, e as u64) };
    let initial = |store: usize| (0..elements).map(|e| at(store, e as i64)).collect();
    let mut stores: Vec<Vec<u64>> = (0..window.stores().len()).map(initial).collect();
    for task in window.tasks() {
        let all = indices(window.domain(task.domain));
        let made = |index: &Vec<usize>| {
            let reads = task.args.iter().filter(|arg| arg.privilege == Privilege::Read);
            // What does the same to the same gives the same.
            let mut scalars = task.scalars.iter().map(|scalar| scalar.bits());
            if let TaskOp::Random { .. } = task.op {
                // A draw is known by its number.
                let kind = scalars.by_ref().take(4).fold(task.op.code(), mix);
                let first = scalars.next().unwrap_or_default();
                let moved = scalars.zip(index).map(|(step, &at)| step.wrapping_mul(at as u64));
                return mix(kind, moved.fold(first, u64::wrapping_add));
            }
            let kind = scalars.fold(task.op.code(), mix);
            reads.fold(kind, |value, arg| {
                mix(value, stores[arg.store.0 as usize][element(window, arg, index) as usize])
            })
        };
        let mut values: Vec<u64> = all.iter().map(made).collect();
        // What copies changes nothing.
        let is_copy = task.op == TaskOp::Copy;
        if is_copy {
            let element = |index| element(window, &task.args[1], index) as usize;
            let from = &stores[task.args[1].store.0 as usize];
            values = all.iter().map(|index| from[element(index)]).collect();
        }
        for (position, arg) in task.args.iter().enumerate() {
            let store = &mut stores[arg.store.0 as usize];
            let at = |index: &Vec<usize>| element(window, arg, index) as usize;
            match arg.privilege {
                Privilege::Read => continue,
                Privilege::Reduce(_) => {
                    // What nothing is folded into has a value, too.
                    let one = |(axis, &n): (usize, &usize)| {
                        if task.reduced_axes() >> axis & 1 == 1 { 1 } else { n }
                    };
                    let domain = window.domain(task.domain);
                    let kept: Vec<usize> = domain.iter().enumerate().map(one).collect();
                    let kept = indices(&Shape::new(&kept));
                    kept.iter().for_each(|index| store[at(index)] = 0);
                    for (index, value) in all.iter().zip(&values) {
                        store[at(index)] = store[at(index)].wrapping_add(*value);
                    }
                }
                _ => {
                    for (index, value) in all.iter().zip(&values) {
                        store[at(index)] =
                            if is_copy { *value } else { mix(*value, position as u64) };
                    }
                }
            }
        }
    }
    stores
}

/// A random window some of whose stores nobody sees behind it.
fn random(dice: &mut Dice) -> Window {
    let (tasks, stores) = (2 + dice.roll(9), 3 + dice.roll(6));
    let mut window = window_of(dice, (tasks, stores), false, false);
    for store in 0..window.stores().len() as u32 {
        window.set_live(StoreId(store), dice.roll(4) > 0);
    }
    window
}

/// Whether live stores hold the same behind both orders.
fn finds_the_same(window: &Window, order: &Order) -> bool {
    let known = window.stores().len();
    let (program, ordered) = (run(window, known), run(&order.applied(window), known));
    let stores = window.stores().iter().zip(program.iter().zip(&ordered));
    stores.into_iter().all(|(store, (a, b))| !store.live || a == b)
}

/// The orders that the planner chooses from.
fn orders(window: &Window, rules: Rules) -> Vec<Order> {
    let of = |orders: &Orders<'_>| {
        let kernels: Vec<u32> = (0..orders.window().tasks().len() as u32).collect();
        let program =
            [&kernels[..], &[0]].into_iter().filter_map(|kernels| Some(orders.program(kernels)?.0));
        let others = orders.others().into_iter().map(|(order, _)| order);
        program.chain(others).collect::<Vec<_>>()
    };
    let all = Orders::new(window, rules, COSTS);
    let inlined = all.with_inlined(rules, COSTS, 0);
    let rewritten = [Some(&all), inlined.as_ref()].into_iter().flatten();
    let with_twins = |orders: &Orders<'_>| {
        let twins = orders.with_twins(rules, COSTS);
        [of(orders), twins.as_ref().map(of).unwrap_or_default()].concat()
    };
    rewritten.flat_map(with_twins).collect()
}

#[test]
fn tasks_find_in_another_order_what_they_find_in_the_programs() {
    let mut dice = Dice(11);
    let (mut moved, mut dropped) = (0, 0);
    for _ in 0..6000 {
        let window = random(&mut dice);
        for order in orders(&window, Rules::default()) {
            assert!(finds_the_same(&window, &order), "{window}order: {order}");
            assert!(order.is_sound(&window), "{window}order: {order}");
            moved += usize::from(!order.tasks.is_sorted());
            dropped += usize::from(order.tasks.len() < window.tasks().len());
        }
    }
    println!("{moved} orders are not the program's, {dropped} have fewer tasks");
    assert!(moved > 500 && dropped > 1000, "{moved} {dropped}");
}

#[test]
fn tasks_that_compute_numbers_for_themselves_find_the_same() {
    let mut dice = Dice(13);
    let mut again = 0;
    for _ in 0..6000 {
        let count = 3 + dice.roll(9);
        let mut window = window_of_numbers(&mut dice, count);
        for store in 0..window.stores().len() as u32 {
            window.set_live(StoreId(store), dice.roll(3) == 0);
        }
        for order in orders(&window, Rules::default()) {
            assert!(finds_the_same(&window, &order), "{window}order: {order}");
            assert!(order.is_sound(&window), "{window}order: {order}");
            again += order.applied(&window).stores().len() - window.stores().len();
        }
    }
    println!("{again} stores of numbers that are computed again");
    assert!(again > 500, "{again}");
}

#[test]
fn what_is_computed_where_it_is_read_is_the_same() {
    let mut dice = Dice(17);
    let (mut again, mut fewer, mut twins) = (0, 0, 0);
    for _ in 0..6000 {
        let count = 3 + dice.roll(9);
        let mut window = window_of_readers(&mut dice, count);
        for store in 0..window.stores().len() as u32 {
            window.set_live(StoreId(store), dice.roll(3) == 0);
        }
        for order in orders(&window, Rules::default()) {
            assert!(finds_the_same(&window, &order), "{window}order: {order}");
            assert!(order.is_sound(&window), "{window}order: {order}");
            again += order.inlined.len();
            let inlined = order.inlined.tasks();
            fewer += inlined.iter().filter(|task| !order.tasks.contains(task)).count();
            twins += usize::from(!order.inlined.is_empty() && !order.twins.is_empty());
        }
    }
    println!("{again} tasks are there again, in place of {fewer}; {twins} orders have twins, too");
    assert!(again > 5000 && fewer > 2000 && twins > 100, "{again} {fewer} {twins}");
}

#[test]
fn updates_in_two_buffers_find_the_same() {
    let mut dice = Dice(15);
    let (mut twins, mut odd, mut strips, mut forwarded) = (0, 0, 0, 0);
    for _ in 0..6000 {
        let count = 3 + dice.roll(9);
        let mut window = window_of_updates(&mut dice, count);
        for store in 0..window.stores().len() as u32 {
            window.set_live(StoreId(store), dice.roll(3) > 0);
        }
        for order in orders(&window, Rules::default()) {
            assert!(finds_the_same(&window, &order), "{window}order: {order}");
            assert!(order.is_sound(&window), "{window}order: {order}");
            twins += order.twins.len();
            strips += order.behind.iter().flatten().count();
            forwarded += order.twins.iter().map(|twin| twin.copies.len()).sum::<usize>();
            let updates = |store: StoreId| {
                let args = window.tasks().iter().map(|task| task.args[0]);
                args.filter(|arg| arg.store == store).count()
            };
            odd += order.twins.iter().filter(|twin| updates(twin.store) % 2 == 1).count();
        }
    }
    println!(
        "{twins} stores have twins, {odd} of them an odd number of updates; {strips} strips, {forwarded} copies are read where they are from"
    );
    assert!(twins > 1000 && odd > 300, "{twins} {odd}");
    assert!(strips > 1000 && forwarded > 300, "{strips} {forwarded}");
}

/// The same with tasks that are there again later, and somebody who reads what they give.
fn with_repeats(dice: &mut Dice, window: &Window) -> Window {
    let mut repeated = window.clone();
    repeated.reorder(&[]);
    let mut again = Vec::new();
    for task in window.tasks() {
        again.push(task.clone());
        if dice.roll(2) > 0 {
            continue;
        }
        let mut same = again[dice.roll(again.len())].clone();
        let outputs = same.outputs();
        for arg in &mut same.args[..outputs] {
            let (dtype, shape) = {
                let store = repeated.store(arg.store);
                (store.dtype, store.shape.clone())
            };
            arg.store = repeated.add_store(dtype, &shape, false);
        }
        let (made, shape) = (same.args[0].store, repeated.store(same.args[0].store).shape.clone());
        let (dtype, map) = (repeated.store(made).dtype, Map::identity(&shape));
        let seen = repeated.add_store(dtype, &shape, false);
        let (domain, map) = (repeated.intern_domain(&shape), repeated.intern_map(&map));
        let both = [(seen, Privilege::Write), (made, Privilege::Read)];
        let args = both.map(|(store, privilege)| TaskArg { store, map, privilege });
        again.push(same.clone());
        let args = args.into_iter().collect();
        again.push(IndexTask { op: TaskOp::Copy, domain, args, ..same });
    }
    for task in again {
        let IndexTask { op, name, domain, args, scalars, place } = task;
        repeated.push(op, name, domain, args, scalars, place);
    }
    for store in window.stores().len() as u32..repeated.stores().len() as u32 {
        repeated.set_live(StoreId(store), dice.roll(4) > 0);
    }
    repeated
}

#[test]
fn what_is_computed_once_is_what_was_computed_again() {
    let mut dice = Dice(21);
    let (mut once, mut orders_of_them) = (0, 0);
    for round in 0..2500 {
        let window = match round % 2 {
            0 => random(&mut dice),
            _ => window_of_numbers(&mut dice, 3 + round % 5),
        };
        let window = with_repeats(&mut dice, &window);
        for order in orders(&window, Rules::default()) {
            assert!(finds_the_same(&window, &order), "{window}order: {order}");
            assert!(order.is_sound(&window), "{window}order: {order}");
            once += order.equals.once.len();
            orders_of_them += usize::from(!order.equals.is_empty());
        }
    }
    println!("{once} tasks are computed once, in {orders_of_them} orders");
    assert!(once > 500 && orders_of_them > 500, "{once} {orders_of_them}");
}

#[test]
fn an_order_with_replicas_is_sound_only_if_tasks_find_the_same() {
    let mut dice = Dice(14);
    let (mut sound, mut wrong) = (0, 0);
    for _ in 0..8000 {
        let count = 3 + dice.roll(6);
        let mut window = window_of_numbers(&mut dice, count);
        for store in 0..window.stores().len() as u32 {
            window.set_live(StoreId(store), dice.roll(3) == 0);
        }
        let all = orders(&window, Rules::default());
        if all.is_empty() {
            continue;
        }
        let mut order = all[dice.roll(all.len())].clone();
        let places = order.tasks.len();
        if places < 2 {
            continue;
        }
        match dice.roll(3) {
            0 => order.tasks.swap(dice.roll(places), dice.roll(places)),
            1 if !order.replicas.is_empty() => {
                let gone = order.replicas.remove(dice.roll(order.replicas.len()));
                order.tasks.remove(gone as usize);
                let behind = |place: &mut u32| *place -= u32::from(*place > gone);
                order.replicas.iter_mut().for_each(behind);
                order.begins.iter_mut().for_each(behind);
            }
            _ => {
                let at = dice.roll(places - 1);
                order.tasks.swap(at, at + 1);
            }
        }
        match order.is_sound(&window) {
            true => {
                sound += 1;
                assert!(finds_the_same(&window, &order), "{window}order: {order}");
            }
            false => wrong += usize::from(!finds_the_same(&window, &order)),
        }
    }
    println!("{sound} changed orders are sound, {wrong} give other values");
    assert!(sound > 500 && wrong > 500, "{sound} {wrong}");
}

#[test]
fn every_rule_is_needed() {
    for rule in [Rule::TrueDependence, Rule::AntiDependence, Rule::Reduction, Rule::SingleReduction]
    {
        let mut dice = Dice(12);
        let wrong = (0..16_000).filter(|_| {
            let window = random(&mut dice);
            let orders = orders(&window, Rules::without(rule));
            orders.iter().any(|order| !finds_the_same(&window, order))
        });
        let wrong = wrong.count();
        println!("{}: {wrong} of 16000 windows wrong without it", rule.name());
        assert!(wrong >= 5, "{} is hardly ever needed: {wrong}", rule.name());
    }
}

/// What a replica reads is overwritten before it, or not.
#[test]
fn a_replica_serves_no_window_in_which_it_finds_something_else() {
    let text = |element: usize| {
        format!(
            "s0: f64 [8] initialised live\ns1: f64 [] live\ns2: f64 [4] initialised live\n\
             s3: f64 [4] live\n\
             t0: neg.f64 over []: s1[] = s0[{element}]\n\
             t1: copy over [4]: s0[4 + i0] = s2[i0]\n\
             t2: mul.f64 over [4]: s3[i0] = s1[], s2[i0]\n"
        )
    };
    let order = Order {
        tasks: vec![0, 1, 0, 2],
        begins: vec![1, 2],
        replicas: vec![2],
        ..Order::default()
    };
    let (apart, shared) = (Window::parse(&text(1)).unwrap(), Window::parse(&text(5)).unwrap());
    assert!(order.is_sound(&apart) && !order.is_sound(&shared));
    let program = Order { tasks: vec![0, 1, 2], ..Order::default() };
    assert!(program.is_sound(&shared));
}

#[test]
fn an_order_serves_no_window_that_needs_another() {
    let text = |start: i64| {
        format!(
            "s0: f64 [4] live\ns1: f64 [8] initialised live\ns2: f64 [4] initialised live\n\
             t0: copy over [4]: s0[i0] = s1[{start} + i0]\n\
             t1: copy over [4]: s1[i0] = s2[i0]\n"
        )
    };
    let (apart, shared) = (Window::parse(&text(4)).unwrap(), Window::parse(&text(2)).unwrap());
    let turned = Order { tasks: vec![1, 0], ..Order::default() };
    assert!(turned.is_sound(&apart) && !turned.is_sound(&shared));
    let program = Order { tasks: vec![0, 1], ..Order::default() };
    assert!(program.is_sound(&apart) && program.is_sound(&shared));
    // What is needed is not left out, and what is not needed is.
    let half = Order { tasks: vec![1], ..Order::default() };
    assert!(!half.is_sound(&apart));
    let mut unseen = apart.clone();
    unseen.set_live(StoreId(0), false);
    assert!(half.is_sound(&unseen));
    assert!(!program.is_sound(&unseen));
}
