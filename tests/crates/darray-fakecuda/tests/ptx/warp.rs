//! What threads do together, functions, and memories other than the device's.

use super::bench::{Bench, Random, argument};

const TEXT: &str = include_str!("warp.ptx");

fn whole_numbers(count: usize, end: u64) -> Vec<i32> {
    let mut random = Random(11);
    (0..count).map(|_| (random.next() % end) as i32).collect()
}

#[test]
fn structures_functions_constants_and_local_arrays() {
    let mut bench = Bench::new(TEXT);
    let from: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.25 - 3.0).collect();
    let (x, y) = (bench.buffer(&from), bench.buffer(&[0f64; 100]));
    let weights = [0.5, -1.0, 2.0, 1e-3];
    let mut parts = [x.clone(), y.clone(), argument(100i64)].concat();
    weights.iter().for_each(|weight: &f64| parts.extend(weight.to_le_bytes()));
    parts.extend([9, 0, 0, 0, 0, 0, 0, 0]);
    let rotation = 3usize;
    bench.run("by_value", 4, 32, &[&parts, &argument(rotation as i32)]).unwrap();
    let table = [1.0, -2.5, 3.0, 1e300];
    let kept: Vec<f64> = (0..8).map(|k| weights[(k + rotation) & 3] * k as f64).collect();
    let expected: Vec<f64> = (0..100)
        .map(|i| {
            let at = (rotation + i) & 3;
            let helped = from[i] * table[at] + weights[at] + 9.0;
            helped + kept[(rotation + i % 32) & 7]
        })
        .collect();
    assert_eq!(bench.read::<f64>(&y), expected);
}

#[test]
fn functions_that_call_themselves() {
    let mut bench = Bench::new(TEXT);
    let out = bench.buffer(&[0u32; 40]);
    bench.run("recursion", 1, 40, &[&out]).unwrap();
    let expected: Vec<u32> = (0..40).map(|i| (1..=i % 13).product()).collect();
    assert_eq!(bench.read::<u32>(&out), expected);
}

#[test]
fn shuffles() {
    let mut bench = Bench::new(TEXT);
    let values = whole_numbers(64, 1000);
    let (x, out) = (bench.buffer(&values), bench.buffer(&[0i32; 320]));
    bench.run("shuffles", 1, 64, &[&x, &out]).unwrap();
    let found = bench.read::<i32>(&out);
    for i in 0..64usize {
        let (warp, lane) = (i / 32 * 32, i % 32);
        let value = |lane: usize| values[warp + lane];
        assert_eq!(found[i], value(lane ^ 5), "butterfly");
        let up = if lane >= 3 { lane - 3 } else { lane };
        assert_eq!(found[64 + i], value(up), "up");
        let down = if lane % 16 + 7 < 16 { lane + 7 } else { lane };
        assert_eq!(found[128 + i], value(down), "down");
        assert_eq!(found[192 + i], value(i * 3 % 32), "index");
        let next = if lane == 31 { 31 } else { lane + 1 };
        assert_eq!(found[256 + i], value(next) * 3, "down, of doubles");
    }
}

#[test]
fn votes() {
    let mut bench = Bench::new(TEXT);
    let mut values = whole_numbers(64, 900);
    values[40] = 5000;
    let (x, out) = (bench.buffer(&values), bench.buffer(&[0u32; 384]));
    bench.run("votes", 1, 64, &[&x, &out]).unwrap();
    let found = bench.read::<u32>(&out);
    for i in 0..64usize {
        let warp: Vec<i32> = values[i / 32 * 32..][..32].to_vec();
        let mask = |holds: &dyn Fn(i32) -> bool| {
            warp.iter()
                .enumerate()
                .fold(0u32, |mask, (lane, v)| mask | u32::from(holds(*v)) << lane)
        };
        let odd = mask(&|v| v & 1 == 1);
        assert_eq!(found[i], odd);
        assert_eq!(found[64 + i], u32::from(i >= 32) | 2);
        assert_eq!(found[128 + i], mask(&|v| v & 3 == values[i] & 3));
        assert_eq!(found[192 + i], warp.iter().sum::<i32>() as u32);
        assert_eq!(found[256 + i], *warp.iter().max().unwrap() as u32);
        let together = if values[i] & 1 == 1 { odd } else { (!odd).count_ones() };
        assert_eq!(found[320 + i], together);
    }
}

#[test]
fn lanes_that_part_meet_again() {
    let mut bench = Bench::new(TEXT);
    let values: Vec<i32> = (1..=96).collect();
    let (x, out) = (bench.buffer(&values), bench.buffer(&[0i32; 192]));
    bench.run("parting", 1, 96, &[&x, &out]).unwrap();
    let steps: Vec<i32> = values
        .iter()
        .map(|start| {
            let (mut v, mut steps) = (*start, 0);
            while v != 1 {
                v = if v & 1 == 1 { 3 * v + 1 } else { v / 2 };
                steps += 1;
            }
            steps
        })
        .collect();
    let most = steps.chunks(32).flat_map(|warp| vec![*warp.iter().max().unwrap(); 32]);
    let expected: Vec<i32> = steps.iter().copied().chain(most).collect();
    assert_eq!(bench.read::<i32>(&out), expected);
}

#[test]
fn shared_memory_and_barriers_in_any_order_of_warps() {
    for seed in 0..8 {
        let mut bench = Bench::new(TEXT);
        bench.seed = seed;
        bench.shared = 4 * 200;
        let values: Vec<f32> = (0..600).map(|i| i as f32).collect();
        let (x, out) = (bench.buffer(&values), bench.buffer(&[0f32; 600]));
        bench.run("reverse", 3, 200, &[&x, &out]).unwrap();
        let expected: Vec<f32> =
            (0..600).map(|i| 3.0 * (i / 200 * 200 + 199 - i % 200) as f32).collect();
        assert_eq!(bench.read::<f32>(&out), expected);

        let numbers: Vec<f64> = (0..1000).map(f64::from).collect();
        let (x, out) = (bench.buffer(&numbers), bench.buffer(&[0f64; 2]));
        bench.run("block_sum", 2, 256, &[&x, &out, &argument(1000i32)]).unwrap();
        assert_eq!(bench.read::<f64>(&out).iter().sum::<f64>(), 499500.0);
    }
}

#[test]
fn barriers_count() {
    let mut bench = Bench::new(TEXT);
    let values = whole_numbers(70, 900);
    let (x, out) = (bench.buffer(&values), bench.buffer(&[0i32; 140]));
    bench.run("counts", 1, 70, &[&x, &out]).unwrap();
    let odd = values.iter().filter(|v| *v & 1 == 1).count() as i32;
    assert_eq!(bench.read::<i32>(&out), [[odd; 70], [2; 70]].concat());
}

#[test]
fn atomic_operations() {
    let mut bench = Bench::new(TEXT);
    let i = bench.buffer(&[0i32; 6]);
    let u = bench.buffer(&[0u32, u32::MAX, 0, 0, 0]);
    let (d, f) = (bench.buffer(&[1f64]), bench.buffer(&[1f32]));
    let l = bench.buffer(&[1u64, 1]);
    bench.run("atomics", 3, 64, &[&i, &u, &d, &f, &l]).unwrap();
    let sum: i32 = (0..192).sum();
    let found = bench.read::<i32>(&i);
    assert_eq!(found[..3], [sum, 191, -191]);
    assert_eq!(found[4], sum);
    assert_eq!(found[5], 7 + 64, "the variable that a pointer of the module leads to");
    let turns = |down: bool| {
        (0..192).fold(0u32, |old, _| match down {
            false => {
                if old >= 9 {
                    0
                } else {
                    old + 1
                }
            }
            true => {
                if old == 0 || old > 9 {
                    9
                } else {
                    old - 1
                }
            }
        })
    };
    let exclusive = (0..192).fold(0, |all, t| all ^ t);
    let expected = [u32::MAX, u32::MAX << 8, exclusive, turns(false), turns(true)];
    assert_eq!(bench.read::<u32>(&u), expected);
    assert_eq!(bench.read::<f64>(&d), [97.0]);
    assert_eq!(bench.read::<f32>(&f), [49.0]);
    assert_eq!(bench.read::<u64>(&l)[0], 1 + ((sum as u64) << 32));
}

#[test]
fn vectors_are_loaded_and_stored() {
    let mut bench = Bench::new(TEXT);
    let values: Vec<f32> = (0..80).map(|i| i as f32 * 1.5).collect();
    let x = bench.buffer(&values);
    let (doubles, bytes) = (bench.buffer(&[0f64; 40]), bench.buffer(&[0u8; 80]));
    bench.run("vectors", 1, 32, &[&x, &doubles, &bytes, &argument(20i32)]).unwrap();
    for i in 0..20 {
        let [a, b, c, d] = values[4 * i..4 * i + 4].try_into().unwrap();
        let found = bench.read::<f64>(&doubles);
        assert_eq!(found[2 * i..2 * i + 2], [f64::from(a + b), f64::from(c * d)]);
        let found = bench.read::<u8>(&bytes);
        assert_eq!(found[4 * i..4 * i + 4], [i as u8, i as u8 + 1, a as u8, 255 - i as u8]);
    }
}

#[test]
fn branches_by_value() {
    let mut bench = Bench::new(TEXT);
    let values = whole_numbers(64, 10);
    let (x, out) = (bench.buffer(&values), bench.buffer(&[1i32; 64]));
    bench.run("branches", 1, 64, &[&x, &out]).unwrap();
    let expected: Vec<i32> = (0..64)
        .map(|i: i32| match values[i as usize] {
            0 => i * 3,
            1 => i - 100,
            2 => !i,
            3 => i << 4,
            4 => i.count_ones() as i32,
            5 => 5 * i + 1,
            6 => i ^ 0x55,
            7 => i % 7,
            _ => -1,
        })
        .collect();
    assert_eq!(bench.read::<i32>(&out), expected);
}

/// What NVRTC writes seldom: tables of labels, parts of registers, predicates as values.
const RARE: &str = "
.version 9.0
.target sm_90
.address_size 64
.visible .entry rare(.param .u64 rare_param_0)
{
    .reg .pred %p<4>;
    .reg .b16 %h<3>;
    .reg .b32 %r<9>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [rare_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d1, %d1, %d2;
    and.b32 %r2, %r1, 3;
    $table: .branchtargets $a, $b, $c;
    @!%p3 brx.idx %r2, $table;
$a:
    mov.b64 %d3, {%r1, %r2};
    mov.b64 {%r3, %r4}, %d3;
    bra $end;
$b:
    setp.lt.u32 %p1|%p2, %r1, 16;
    selp.u32 %r3, 1, 0, %p1;
    selp.u32 %r4, 1, 0, %p2;
    bra $end;
$c:
    setp.ne.and.s32 %p1, %r1, 2, %p3;
    not.pred %p2, %p1;
    set.eq.u32.u32 %r3, %r1, 2;
    slct.s32.s32 %r4, 5, 6, %r3;
    and.pred %p1, %p1, %p2;
    @%p1 trap;
$end:
    shl.b32 %r4, %r4, 16;
    xor.b32 %r3, %r3, %r4;
    st.global.u32 [%d1], %r3;
    ret;
}";

#[test]
fn rare_instructions() {
    let mut bench = Bench::new(RARE);
    let out = bench.buffer(&[0u32; 32]);
    bench.run("rare", 1, 32, &[&out]).unwrap();
    let expected: Vec<u32> = (0..32)
        .map(|i| match i & 3 {
            0 => i,
            1 => u32::from(i < 16) | u32::from(i >= 16) << 16,
            _ if i == 2 => u32::MAX ^ 6 << 16,
            _ => 5 << 16,
        })
        .collect();
    assert_eq!(bench.read::<u32>(&out), expected);
}
