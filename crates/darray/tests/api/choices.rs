//! Random orders and choices.

use crate::devices::everywhere;
use darray::{DArray, Sample, default_rng};
use std::cell::RefCell;

#[test]
fn choices_are_the_same_everywhere_and_numpys_with_probabilities() {
    let first = RefCell::new(None);
    everywhere(|_| {
        let p = DArray::from([0.1, 0.0, 0.4, 0.3, 0.2]);
        // numpy.random.default_rng(5).choice(5, (2, 4), p=[0.1, 0, 0.4, 0.3, 0.2])
        let numbers = default_rng(5).choice(5, Sample::new((2, 4)).p(&p));
        assert_eq!(numbers.to_vec(), [4, 4, 3, 2, 0, 2, 2, 0]);
        let rows = DArray::from([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]);
        let mut rng = default_rng(9);
        let chosen = rng.choice(&rows, 4);
        assert_eq!(chosen.shape(), [4, 2]);
        assert!(
            (chosen.slice(darray::s![.., 0]) * 10.0)
                .array_equal(&chosen.slice(darray::s![.., 1]))
                .item()
        );
        let weights = DArray::from([1, 0, 3, 1, 2]);
        let distinct = rng.choice(5, Sample::new(4).without_replacement().p(&weights));
        assert_eq!(distinct.sort(0).to_vec(), [0, 2, 3, 4], "what has no weight comes last");
        let order = rng.permutation(50);
        assert_eq!(order.sort(0).to_vec(), (0..50).collect::<Vec<i64>>());
        let shuffled = rows.copy();
        rng.shuffle(&shuffled);
        assert_eq!(shuffled.sum(0).to_vec(), [6.0, 60.0]);
        let all = [
            chosen.flatten().cast::<i64>().to_vec(),
            distinct.to_vec(),
            order.to_vec(),
            shuffled.flatten().cast::<i64>().to_vec(),
        ];
        let mut first = first.borrow_mut();
        assert_eq!(first.get_or_insert_with(|| all.clone()), &all);
    });
}

#[test]
fn shares_are_the_probabilities() {
    let p = DArray::from([1.0, 0.0, 3.0]);
    let counts = default_rng(2).choice(3, Sample::new(40_000).p(&p)).bincount(3).to_vec();
    assert_eq!(counts[1], 0);
    assert!((counts[0] - 10_000).abs() < 300, "{counts:?}");
    // The first of all without replacement is as likely as with it.
    let mut rng = default_rng(3);
    let firsts =
        (0..2000).map(|_| rng.choice(3, Sample::new(1).without_replacement().p(&p)).item());
    let zeros = firsts.filter(|&first| first == 0).count();
    assert!((400..600).contains(&zeros), "{zeros}");
    let orders: Vec<DArray<i64>> = (0..600).map(|_| rng.permutation(3)).collect();
    let numbers = orders.iter().map(|o| 100 * o.at(0) + 10 * o.at(1) + o.at(2));
    let numbers = DArray::stack(numbers.collect::<Vec<_>>(), 0);
    let (values, counts) = numbers.unique_counts();
    assert_eq!(values.size(), 6);
    assert!(counts.min(..).item() > 60, "{counts}");
}

#[test]
fn what_cannot_be_chosen_is_an_error_and_draws_nothing() {
    let mut rng = default_rng(1);
    let text = |result: darray::Result<DArray<i64>>| result.unwrap_err().to_string();
    let p = DArray::from([0.5, 0.5]);
    assert!(text(rng.try_choice(0, 1)).starts_with("choice: nothing to choose from"));
    let wrong = text(rng.try_choice(3, Sample::new(1).p(&p)));
    assert!(wrong.starts_with("choice: shapes [2]: expected 3 probabilities"), "{wrong}");
    assert!(text(rng.try_choice(3, (2, -1))).starts_with("choice: extent -1 is negative"));
    assert_eq!(rng.choice(0, 0).shape(), [0]);
    assert_eq!(rng.random(1).item(), default_rng(1).random(1).item());
}
