//! Random numbers of programs: streams one number after the other, distributions by their inverses.

use super::cell::{Cell, Value, ulps};
use crate::program::{Binary, Draw, Stream};
use darray_core::RealType;
use darray_kernel::random::BitGenerator;

/// Numbers `skip..skip + count` of a stream as cells of this type.
pub fn draw(draw: Draw, dtype: RealType, stream: Stream, skip: u64, count: usize) -> Vec<Cell> {
    let skip = skip as usize;
    if draw == Draw::Random && dtype.is_narrow() {
        // As many bits of those of f32 as the type has.
        let scale = f64::from(1 << dtype.digits());
        let low = |cell: Cell| Value::F64((cell.value.float() * scale).floor() / scale);
        let cells = self::draw(draw, RealType::F32, stream, skip as u64, count).into_iter();
        return cells.map(|cell| Cell::exact(low(cell).cast(dtype))).collect();
    }
    if (draw, dtype) == (Draw::Random, RealType::F32) {
        // Halves, from the first whole number.
        let numbers = numbers(stream, skip + count.div_ceil(2));
        let halves = numbers[skip..].iter().flat_map(|n| [*n as u32, (n >> 32) as u32]);
        let cell = |half: u32| Cell::exact(Value::F32((half >> 8) as f32 / 16777216.0));
        return halves.take(count).map(cell).collect();
    }
    numbers(stream, skip + count)[skip..].iter().map(|&bits| cell(draw, dtype, bits)).collect()
}

fn cell(draw: Draw, dtype: RealType, bits: u64) -> Cell {
    let sure = (bits << 1 >> 1) as f64 + 0.5;
    let near = |value: f64| {
        let radius = ulps(RealType::F64, value.abs(), 16.0) + 1e-16;
        let value = Value::F64(value).cast(dtype);
        Cell { value, radius: radius + ulps(dtype, value.float().abs(), 1.0) }
    };
    let exact = |value: f64| Cell::exact(Value::F64(value));
    let linear = |standard: Draw, factor: f64, addend: f64| {
        let scaled = cell(standard, dtype, bits).binary(Binary::Multiply, exact(factor));
        scaled.binary(Binary::Add, exact(addend))
    };
    match draw {
        Draw::Random => exact((bits >> 11) as f64 / 2f64.powi(53)),
        Draw::Uniform { low, high } => linear(Draw::Random, high - low, low),
        Draw::Integers { low, high } => {
            let range = (high - low) as u128;
            Cell::exact(Value::whole(low + ((u128::from(bits) * range) >> 64) as i64))
        }
        Draw::StandardNormal if bits >> 63 == 1 => near(-normal_quantile(sure / 2f64.powi(64))),
        Draw::StandardNormal => near(normal_quantile(sure / 2f64.powi(64))),
        Draw::Normal { mean, deviation } => linear(Draw::StandardNormal, deviation, mean),
        Draw::StandardExponential => near(-(sure / 2f64.powi(63)).ln()),
        Draw::Exponential { mean } => {
            cell(Draw::StandardExponential, dtype, bits).binary(Binary::Multiply, exact(mean))
        }
    }
}

/// The `z` above which a normal number lies with probability `p <= 1/2`: Newton's method on the
/// logarithm.
fn normal_quantile(p: f64) -> f64 {
    // Right of the root, from where the steps do not overshoot.
    let mut z = (-2.0 * (2.0 * p).ln()).max(0.0).sqrt();
    for _ in 0..60 {
        let above = libm::erfc(z / 2f64.sqrt()) / 2.0;
        let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let step = (above.ln() - p.ln()) * above / density;
        z += step;
        if step.abs() <= 1e-17 {
            break;
        }
    }
    z
}

/// The first numbers of a stream, in order.
fn numbers(stream: Stream, count: usize) -> Vec<u64> {
    if stream.philox {
        let key = BitGenerator::Philox.key(stream.seed).map(|word| word as u64);
        return (1u64..)
            .flat_map(|counter| philox([key[0], key[1]], counter))
            .take(count)
            .collect();
    }
    let key = BitGenerator::Pcg64.key(stream.seed).map(|word| u128::from(word as u64));
    let (mut state, increment) = (key[0] << 64 | key[1], key[2] << 64 | key[3]);
    let next = |_| {
        state = state.wrapping_mul(0x2360ed051fc65da44385df649fccf645).wrapping_add(increment);
        ((state >> 64) as u64 ^ state as u64).rotate_right((state >> 122) as u32)
    };
    (0..count).map(next).collect()
}

/// Ten rounds.
fn philox(mut key: [u64; 2], counter: u64) -> [u64; 4] {
    let mut block = [counter, 0, 0, 0];
    for _ in 0..10 {
        let low = u128::from(block[0]) * 0xd2e7470ee14c6c93;
        let high = u128::from(block[2]) * 0xca5a826395121157;
        block[0] = (high >> 64) as u64 ^ block[1] ^ key[0];
        block[1] = high as u64;
        block[2] = (low >> 64) as u64 ^ block[3] ^ key[1];
        block[3] = low as u64;
        key[0] = key[0].wrapping_add(0x9e3779b97f4a7c15);
        key[1] = key[1].wrapping_add(0xbb67ae8584caa73b);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_at_known_probabilities() {
        for (p, z) in [
            (0.5, 0.0),
            (0.025, 1.9599639845400542),
            (2f64.powi(-65), 9.155293772686072),
            (0.4, 0.2533471031357998),
        ] {
            assert!((normal_quantile(p) - z).abs() < 1e-14, "{p}");
        }
    }
}
