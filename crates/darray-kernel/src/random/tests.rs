//! Streams against NumPy's.

use super::*;

#[test]
fn streams_are_those_of_numpy() {
    let mut checked = 0;
    for line in include_str!("../../../darray/tests/numpy/random.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let generator = BitGenerator::from_name(words[0]).unwrap();
        let stream = Stream::new(generator, generator.key(words[1].parse().unwrap()));
        let n = words[2].parse().unwrap();
        assert_eq!(draw(stream, RealType::I64, n), Scalar::from(words[3].parse::<i64>().unwrap()));
        assert_eq!(draw(stream, RealType::F64, n), Scalar::from(words[4].parse::<f64>().unwrap()));
        assert_eq!(draw(stream, RealType::F32, n), Scalar::from(words[5].parse::<f32>().unwrap()));
        checked += 1;
    }
    assert_eq!(checked, 96);
}

#[test]
fn runs_are_their_numbers() {
    for generator in BitGenerator::ALL {
        let stream = Stream::new(generator, generator.key(11));
        for first in [0, 1, 2, 3, 4, 1001, u64::from(u32::MAX), u64::MAX / 2] {
            for step in [0, 1, 2, 5, 1 << 40] {
                for count in [0, 1, 2, 3, 4, 5, 17] {
                    let mut numbers = vec![0; count];
                    stream.fill(first, step, &mut numbers);
                    for (k, number) in numbers.into_iter().enumerate() {
                        let n = first + step * k as u64;
                        assert_eq!(number, stream.number(n), "{generator} {first} {step} {k}");
                    }
                }
            }
        }
    }
}

#[test]
fn names_are_read_back() {
    for generator in BitGenerator::ALL {
        assert_eq!(BitGenerator::from_name(generator.name()), Some(generator));
    }
    assert_eq!(BitGenerator::from_name("mt19937"), None);
}
