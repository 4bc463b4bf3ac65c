//! Orders of windows by brute force: tasks that run one by one in another order find what they find in the program's, and every
//! rule is needed for that.

use crate::random_windows::{Dice, SIDE, element, indices, window_of};
use darray_core::Shape;
use darray_fusion::order::{Order, orders};
use darray_fusion::plan::{Rule, Rules};
use darray_ir::{Privilege, StoreId, Window};

/// A number that no other of these numbers gives, most likely.
fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ z >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    z ^ z >> 32
}

/// What is in the stores behind the tasks of a window, run one by one: each element is a number that says what it was made of.
fn run(window: &Window, numbers: &[u32]) -> Vec<Vec<u64>> {
    let elements = SIDE * SIDE;
    let initial = |store: usize| (0..elements).map(|e| mix(store as u64, e as u64)).collect();
    let mut stores: Vec<Vec<u64>> = (0..window.stores().len()).map(initial).collect();
    for (task, &number) in window.tasks().iter().zip(numbers) {
        let all = indices(window.domain(task.domain));
        let made = |index: &Vec<usize>| {
            let reads = task.args.iter().filter(|arg| arg.privilege == Privilege::Read);
            reads.fold(number as u64, |value, arg| {
                mix(value, stores[arg.store.0 as usize][element(window, arg, index) as usize])
            })
        };
        let values: Vec<u64> = all.iter().map(made).collect();
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
                        store[at(index)] = mix(*value, position as u64);
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
    let all: Vec<u32> = (0..window.tasks().len() as u32).collect();
    let program = run(window, &all);
    let ordered = run(&window.in_order(&order.tasks), &order.tasks);
    let stores = window.stores().iter().zip(program.iter().zip(&ordered));
    stores.into_iter().all(|(store, (a, b))| !store.live || a == b)
}

#[test]
fn tasks_find_in_another_order_what_they_find_in_the_programs() {
    let mut dice = Dice(11);
    let (mut moved, mut dropped) = (0, 0);
    for _ in 0..6000 {
        let window = random(&mut dice);
        for (order, _) in orders(&window, Rules::default()) {
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
fn every_rule_is_needed() {
    for rule in [Rule::TrueDependence, Rule::AntiDependence, Rule::Reduction, Rule::SingleReduction]
    {
        let mut dice = Dice(12);
        let wrong = (0..16_000).filter(|_| {
            let window = random(&mut dice);
            let orders = orders(&window, Rules::without(rule));
            orders.iter().any(|(order, _)| !finds_the_same(&window, order))
        });
        let wrong = wrong.count();
        println!("{}: {wrong} of 16000 windows wrong without it", rule.name());
        assert!(wrong >= 5, "{} is hardly ever needed: {wrong}", rule.name());
    }
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
    let turned = Order { tasks: vec![1, 0], begins: vec![] };
    assert!(turned.is_sound(&apart) && !turned.is_sound(&shared));
    let program = Order { tasks: vec![0, 1], begins: vec![] };
    assert!(program.is_sound(&apart) && program.is_sound(&shared));
    // What is needed is not left out, and what is not needed is.
    let half = Order { tasks: vec![1], begins: vec![] };
    assert!(!half.is_sound(&apart));
    let mut unseen = apart.clone();
    unseen.set_live(StoreId(0), false);
    assert!(half.is_sound(&unseen));
    assert!(!program.is_sound(&unseen));
}
