//! Random numbers, as NumPy draws them.

use crate::devices::everywhere;
use darray::{Generator, default_rng, s};

#[test]
fn numbers_are_numpys_on_any_number_of_devices() {
    everywhere(|_| {
        let mut last: Option<([&str; 2], Vec<f64>, Vec<f32>)> = None;
        let mut checked = 0;
        for line in include_str!("../numpy/random.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let stream = [words[0], words[1]];
            if last.as_ref().is_none_or(|(of, ..)| *of != stream) {
                let seed = words[1].parse().unwrap();
                let start = if words[0] == "philox" { Generator::philox } else { default_rng };
                let doubles = start(seed).random(100_001).to_vec();
                last = Some((stream, doubles, start(seed).random_as::<f32>(100_001).to_vec()));
            }
            let (_, doubles, singles) = last.as_ref().unwrap();
            let index: usize = words[2].parse().unwrap();
            assert_eq!(doubles[index], words[4].parse::<f64>().unwrap(), "{line}");
            assert_eq!(singles[index], words[5].parse::<f32>().unwrap(), "{line}");
            checked += 1;
        }
        assert_eq!(checked, 96);
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
        let row = default_rng(5).random((4, 5));
        assert_eq!(row.slice(s![2, ..;-1]).to_vec(), [all[14], all[13], all[12], all[11], all[10]]);
    });
}

#[test]
fn singles_take_half_a_draw_each() {
    everywhere(|_| {
        let all = default_rng(5).random_as::<f32>((3, 7)).to_vec();
        let mut rng = default_rng(5);
        let parts = [3, 0, 1, 2, 15].map(|n| rng.random_as::<f32>(n).to_vec());
        assert_eq!(parts.concat(), all);
        // 21 halves are 11 draws; doubles begin with the next one, and the half that is left waits.
        assert_eq!(rng.random(2).to_vec(), default_rng(5).random(13).to_vec()[11..]);
        let halves = default_rng(5).random_as::<f32>(28).to_vec();
        assert_eq!(rng.random_as::<f32>((1, 3)).to_vec(), [halves[21], halves[26], halves[27]]);
        // As in NumPy, a jump drops it.
        let mut rng = default_rng(5);
        drop(rng.random_as::<f32>(1));
        rng.advance(2);
        assert_eq!(rng.random_as::<f32>(1).item(), halves[6]);
    });
}

#[test]
fn halves_wait_for_the_next_singles() {
    everywhere(|_| {
        let (mut checked, mut rng) = (0, default_rng(0));
        for line in include_str!("../numpy/interleaved.txt").lines() {
            let Some((dtype, rest)) = line.split_once(';') else {
                let (name, seed) = line.split_once(' ').unwrap();
                let start = if name == "philox" { Generator::philox } else { default_rng };
                rng = start(seed.parse().unwrap());
                continue;
            };
            let (shape, values) = rest.split_once(';').unwrap();
            let shape: Vec<usize> = shape.split(',').filter_map(|n| n.parse().ok()).collect();
            let values: Vec<f64> = values.split_whitespace().map(|v| v.parse().unwrap()).collect();
            let drawn = match dtype {
                "f32" => rng.random_as::<f32>(shape).cast::<f64>(),
                _ => rng.random(shape),
            };
            assert_eq!(drawn.to_vec(), values, "{line}");
            checked += 1;
        }
        assert_eq!(checked, 8 * 44);
    });
}

#[test]
fn a_refused_shape_does_not_move_the_stream() {
    let mut rng = Generator::philox(9);
    let error = rng.try_random((2, -1)).unwrap_err().to_string();
    assert!(error.starts_with("random: extent -1 is negative"), "{error}");
    assert_eq!(rng.random(3).to_vec(), Generator::philox(9).random(3).to_vec());
}
