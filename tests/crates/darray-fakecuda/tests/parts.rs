//! Parts of the driver that are tested alone.

use darray_fakecuda::parts::Rounding::{Down, Nearest, Up, Zero};
use darray_fakecuda::parts::{
    Chain, Code, Config, Failure, Kind, LANES, Number, Races, Schedule, Width, add32, chain,
    divide64, dot_bytes, dot_words, double_to_half, fused32, fused64, half_to_double, join,
    multiply32, tokens,
};

#[test]
fn words_keep_their_points_and_numbers_their_bits() {
    let kinds: Vec<Kind> = tokens("@%p1 ld.v2.f64 [%rd1+-8], 0d3FF0000000000000; // x\n$L:")
        .unwrap()
        .into_iter()
        .map(|token| token.kind)
        .collect();
    let word = |text: &str| Kind::Word(text.to_string());
    let expected = [
        Kind::Punctuation('@'),
        word("%p1"),
        word("ld.v2.f64"),
        Kind::Punctuation('['),
        word("%rd1"),
        Kind::Punctuation('+'),
        Kind::Punctuation('-'),
        Kind::Integer(8),
        Kind::Punctuation(']'),
        Kind::Punctuation(','),
        Kind::Double(1.0f64.to_bits()),
        Kind::Punctuation(';'),
        word("$L"),
        Kind::Punctuation(':'),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn errors_name_the_line() {
    assert_eq!(tokens("\n\n0dxyz").unwrap_err().to_string(), "line 3: 0dxyz is no number");
}

#[test]
fn results_lie_on_the_side_that_is_asked_for() {
    let third = 1.0 / 3.0;
    assert_eq!(divide64(1.0, 3.0, Down), third);
    assert_eq!(divide64(1.0, 3.0, Up), third.next_up());
    assert_eq!(divide64(-1.0, 3.0, Up), -third);
    assert_eq!(divide64(-1.0, 3.0, Zero), -third);
    assert_eq!(add32(1.0, f32::MIN_POSITIVE, Down), 1.0);
    assert_eq!(add32(1.0, f32::MIN_POSITIVE, Up), 1f32.next_up());
    assert_eq!(add32(1.0, -f32::MIN_POSITIVE, Zero), 1f32.next_down());
    assert_eq!(multiply32(f32::MAX, 2.0, Zero), f32::MAX);
    assert_eq!(multiply32(f32::MAX, 2.0, Nearest), f32::INFINITY);
    assert_eq!(add32(1.0, -1.0, Down).to_bits(), (-0f32).to_bits());
}

#[test]
fn fused_operations_round_once() {
    let x = 1.0 + f32::EPSILON;
    let exact = f64::from(x) * f64::from(x) - 1.0;
    assert!(f64::from(fused32(x, x, -1.0, Down)) <= exact);
    assert!(f64::from(fused32(x, x, -1.0, Up)) >= exact);
    let y = 1.0 + f64::EPSILON;
    assert_eq!(fused64(y, y, -1.0, Up), (2.0 * f64::EPSILON).next_up());
    assert_eq!(fused64(y, y, -1.0, Down), 2.0 * f64::EPSILON);
}

#[test]
fn long_sums_and_differences_carry() {
    let number = Number::Unsigned(Width::W32);
    let mut registers = vec![[0xffff_ffff; LANES], [1; LANES], [0; LANES]];
    let mut carries = 0;
    chain(&mut registers, &mut carries, 1, Chain::Add, number, [false, true], 2, [0, 1, 0]);
    assert_eq!((registers[2][0], carries), (0, 1));
    chain(&mut registers, &mut carries, 1, Chain::Add, number, [true, true], 2, [1, 1, 0]);
    assert_eq!((registers[2][0], carries), (3, 0));
    chain(&mut registers, &mut carries, 1, Chain::Subtract, number, [false, true], 2, [1, 0, 0]);
    assert_eq!((registers[2][0], carries), (2, 1));
}

#[test]
fn products_of_parts_are_added() {
    let (a, b) = (0xfffe_0003, 0x80ff_0205);
    assert_eq!(dot_words(a, b, 1, [false, false], false), 0xfffe * 2 + 3 * 5 + 1);
    assert_eq!(dot_words(a, b, 1, [true, true], false), (-4i32 + 15 + 1) as u32 as u64);
    assert_eq!(dot_words(a, b, 0, [true, true], true), (256i32 - 3) as u32 as u64);
    assert_eq!(dot_words(a, b, 0, [true, false], true), (-256i32 + 3 * 255) as u32 as u64);
    assert_eq!(dot_bytes(0xff02, 0x0304, 5, [true, false]), (-3i32 + 8 + 5) as u32 as u64);
    assert_eq!(dot_bytes(0, 0, 0xffff_ffff, [true, false]), 0xffff_ffff);
    assert_eq!(dot_bytes(1, 1, 0xffff_ffff, [true, false]), 0);
}

#[test]
fn every_half_goes_to_double_and_back() {
    for bits in 0..=u16::MAX {
        let value = half_to_double(bits);
        if !value.is_nan() {
            assert_eq!(double_to_half(value, Nearest), bits, "{value}");
        }
    }
    assert_eq!(double_to_half(65519.0, Nearest), 0x7bff);
    assert_eq!(double_to_half(65520.0, Nearest), 0x7c00);
    assert_eq!(double_to_half(1e9, Zero), 0x7bff);
}

fn reach(races: &mut Races, stream: u64, start: u64, bytes: u64, writes: bool) -> bool {
    races.touched.borrow_mut().note(start, bytes, writes);
    races.enter(stream, "work").is_ok()
}

#[test]
fn only_what_comes_behind_may_reach_what_was_written() {
    let mut races = Races::default();
    assert!(reach(&mut races, 1, 100, 50, true));
    assert!(reach(&mut races, 2, 150, 50, true), "other bytes");
    assert!(reach(&mut races, 1, 100, 10, false), "the same stream");
    let clock = races.clock(1).clone();
    join(races.clock(2), &clock);
    assert!(reach(&mut races, 2, 90, 60, false), "behind the first stream");
    assert!(!reach(&mut races, 1, 140, 5, true), "the second reads them");
    assert!(!reach(&mut races, 3, 160, 1, false), "the third knows nobody");
    races.forget(100..200);
    assert!(reach(&mut races, 3, 160, 1, false), "new memory");
}

#[test]
fn settings_are_read_from_text() {
    let mut config = Config::default();
    config.apply("devices=4 sched=random:9 memory=4096 fail=3:2 peers=off").unwrap();
    assert_eq!(config.devices, 4);
    assert_eq!(config.schedule, Schedule::Random(9));
    assert_eq!(config.memory, 4096);
    assert_eq!(config.fail, Some(Failure { call: 3, code: Code(2) }));
    assert!(!config.peers);
    config.apply("fail=0").unwrap();
    assert_eq!(config.fail, None);
    assert_eq!(config.apply("speed=9").unwrap_err(), "speed is no setting");
    assert_eq!(config.apply("memory=all").unwrap_err(), "memory: all is no number");
}
