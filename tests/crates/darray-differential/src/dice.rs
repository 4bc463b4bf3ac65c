//! Random choices.

use darray_core::{RealType, Scalar};
use darray_kernel::random::Pcg64;

/// A source of choices that a seed determines.
#[derive(Clone, Debug)]
pub struct Dice {
    stream: Pcg64,
}

impl Dice {
    /// The choices of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice { stream: Pcg64::from_seed(seed) }
    }

    /// A number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.stream.next_u64() >> 11) as usize % count
    }

    /// A number of the range, ends included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True once in `count` times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of the items, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// The items in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// A value of a type: mostly of moderate size, sometimes special.
    pub fn scalar(&mut self, dtype: RealType) -> Scalar {
        match dtype {
            RealType::Bool => self.one_in(2).into(),
            _ if dtype.is_integer() => {
                // Ends of every type, and what narrower ones wrap.
                let special =
                    [i64::MIN, i64::MAX, i32::MIN as i64, i32::MAX as i64, 255, (1 << 53) + 1];
                let value =
                    if self.one_in(12) { self.pick(&special) } else { self.between(-20, 20) };
                Scalar::from(value).cast(dtype)
            }
            _ => self.float().cast(dtype),
        }
    }

    fn float(&mut self) -> Scalar {
        const SPECIAL: [f64; 10] = [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            5e-324,
            -1e-310,
            1e-40,
            1e300,
            -700.5,
        ];
        match self.below(12) {
            0 => self.pick(&SPECIAL).into(),
            1..4 => (self.between(-6, 6) as f64).into(),
            _ => {
                let scale = 10f64.powi(self.between(-3, 3) as i32);
                ((self.stream.next_f64() * 2.0 - 1.0) * scale).into()
            }
        }
    }
}
