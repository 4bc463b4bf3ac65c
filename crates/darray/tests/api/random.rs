//! Random numbers, as NumPy draws them.

use crate::devices::everywhere;
use darray::{DArray, default_rng, s};

#[test]
fn numbers_are_numpys_on_any_number_of_devices() {
    everywhere(|_| {
        let mut last = None;
        let mut checked = 0;
        for line in include_str!("../numpy/random.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let seed: u64 = words[0].parse().unwrap();
            let index: usize = words[1].parse().unwrap();
            if last.as_ref().is_none_or(|(of, _)| *of != seed) {
                last = Some((seed, default_rng(seed).random(100_001).to_vec()));
            }
            let numbers = &last.as_ref().unwrap().1;
            assert_eq!(numbers[index], words[2].parse::<f64>().unwrap(), "{line}");
            checked += 1;
        }
        assert_eq!(checked, 48);
    });
}

#[test]
fn a_generator_continues_its_stream() {
    everywhere(|_| {
        let all = default_rng(5).random((4, 5)).to_vec();
        let mut rng = default_rng(5);
        let first = rng.random((2, 3));
        let mut copy = rng.clone();
        let rest = rng.random(14);
        assert_eq!([first.to_vec(), rest.to_vec()].concat(), all);
        assert_eq!(copy.random(14).to_vec(), rest.to_vec(), "a clone continues from where it is");
        let single: DArray<f32> = default_rng(5).random_as(20);
        let rounded: Vec<f32> = all.iter().map(|v| *v as f32).collect();
        assert_eq!(single.to_vec(), rounded);
        let row = default_rng(5).random((4, 5));
        assert_eq!(row.slice(s![2, ..;-1]).to_vec(), [all[14], all[13], all[12], all[11], all[10]]);
    });
}
