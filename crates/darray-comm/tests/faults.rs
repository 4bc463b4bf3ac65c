//! Ranks over which messages are lost, cut, doubled, overtaken or late, and ranks that do something else: the right values or an error that says what is
//! wrong, and never a wait without end.

use darray_comm::error::Damage;
use darray_comm::{
    Channel, CommError, Communicator, Fate, Kind, Limits, Packet, Position, ThreadComm, Transport,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SILENCE: Duration = Duration::from_millis(500);
const LIMITS: Limits = Limits { silence: SILENCE, piece: 64, few: 100 };

/// Runs a program on each of these ranks.
fn on_ranks<R: Send>(
    ranks: Vec<Arc<ThreadComm>>,
    program: impl Fn(&mut Communicator) -> Result<R, CommError> + Sync,
) -> Vec<Result<R, CommError>> {
    let program = &program;
    std::thread::scope(|scope| {
        let run = |transport: Arc<ThreadComm>| {
            scope.spawn(move || program(&mut Communicator::with_limits(transport, 0, LIMITS)))
        };
        let ranks: Vec<_> = ranks.into_iter().map(run).collect();
        ranks.into_iter().map(|rank| rank.join().expect("no rank panics")).collect()
    })
}

/// Some of each kind of message; the values that a rank gets.
fn program(ranks: &mut Communicator) -> Result<Vec<u8>, CommError> {
    let (own, size) = (ranks.rank(), ranks.size());
    let mut found = Vec::new();
    for step in 0..3u64 {
        ranks.set_position(Position { operation: 10 * step, hash: step.wrapping_mul(0x9e37) });
        found.extend(ranks.agree(own as u64 + step, u64::max)?.to_le_bytes());
        let (next, before) = ((own + 1) % size, (own + size - 1) % size);
        let packet = Packet::of(&vec![own as u8; 70 + own]);
        let received = ranks.exchange(vec![(next, packet)], &[(before, 70 + before)])?;
        found.extend_from_slice(received[0].contents());
        found.extend(ranks.gather(&vec![own as u8; 11 * own])?.concat());
        let told = [9; 130];
        found.extend(ranks.broadcast(1, (own == 1).then_some(&told[..]), 200)?);
    }
    Ok(found)
}

/// A small generator of pseudo-random numbers (SplitMix64).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Runs the program over ranks one of whose messages has a fate, by number: lost, cut, doubled, overtaken or late.
fn with_one_fate(seed: u64, kind: usize) -> (Vec<Result<Vec<u8>, CommError>>, bool) {
    let size = 2 + (seed % 3) as usize;
    let right = on_ranks(ThreadComm::ranks(size), program);
    let ranks = ThreadComm::ranks(size);
    let (number, chosen) = (AtomicU64::new(0), mix(seed) % 40);
    ranks[0].set_fates(move |_, _, bytes| {
        if number.fetch_add(1, Ordering::Relaxed) != chosen {
            return Fate::Arrives;
        }
        match kind {
            0 => Fate::Lost,
            1 => Fate::Cut(mix(seed + 1) as usize % bytes.len()),
            2 => Fate::Doubled,
            3 => Fate::Overtaken,
            _ => Fate::Delayed(50),
        }
    });
    let begin = Instant::now();
    let found = on_ranks(ranks, program);
    assert!(begin.elapsed() < 10 * SILENCE, "seed {seed} takes {:?}", begin.elapsed());
    for (found, right) in found.iter().zip(&right) {
        assert!(found.is_err() || found == right, "seed {seed}: wrong values");
    }
    let is_right = found == right;
    (found, is_right)
}

#[test]
fn every_fate_of_a_message_ends_in_the_right_values_or_a_named_error() {
    let mut outcomes = [[0; 2]; 5];
    let mut named = [0; 3];
    // They mostly wait, so that many run beside each other.
    for seeds in (0..120u64).collect::<Vec<_>>().chunks(24) {
        let found = std::thread::scope(|scope| {
            let run = |&seed: &u64| {
                let kind = (seed / 3 % 5) as usize;
                scope.spawn(move || (kind, with_one_fate(seed, kind)))
            };
            let running: Vec<_> = seeds.iter().map(run).collect();
            let join = |run: std::thread::ScopedJoinHandle<'_, _>| run.join().expect("no panic");
            running.into_iter().map(join).collect::<Vec<_>>()
        });
        for (kind, (found, is_right)) in found {
            outcomes[kind][usize::from(is_right)] += 1;
            for error in found.into_iter().filter_map(Result::err) {
                match error {
                    CommError::Damaged { .. } => named[0] += 1,
                    CommError::Silent { .. } => named[1] += 1,
                    CommError::Diverged { .. } | CommError::TooLong { .. } => named[2] += 1,
                    other => panic!("{other}"),
                }
            }
        }
    }
    println!("lost, cut, doubled, overtaken, delayed: wrong and right {outcomes:?}; {named:?}");
    assert_eq!(outcomes[4][0], 0, "what is late is waited for");
    assert!(outcomes[..4].iter().all(|outcome| outcome[0] > 10), "{outcomes:?}");
    assert!(named[0] > 20 && named[1] > 20, "{named:?}");
}

#[test]
fn a_rank_that_goes_another_way_is_named() {
    let results = on_ranks(ThreadComm::ranks(2), |ranks| {
        let operation = 7 + ranks.rank() as u64;
        ranks.set_position(Position { operation, hash: operation });
        ranks.barrier()
    });
    let position = |operation| Position { operation, hash: operation };
    for (rank, result) in results.into_iter().enumerate() {
        let (own, other) = (rank as u64, 1 - rank);
        let theirs = (Kind::Agreement, position(7 + other as u64));
        let ours = (Kind::Agreement, position(7 + own));
        assert_eq!(result, Err(CommError::Diverged { rank: other, theirs, ours }));
    }
    // One exchanges where the other one agrees.
    let results = on_ranks(ThreadComm::ranks(2), |ranks| match ranks.rank() {
        0 => ranks.barrier(),
        _ => ranks.exchange(vec![(0, Packet::new(0))], &[(0, 0)]).map(|_| ()),
    });
    let texts: Vec<String> = results.into_iter().map(|r| r.unwrap_err().to_string()).collect();
    assert_eq!(
        texts,
        [
            "rank 1 runs another program than this one: it sends parts of arrays at operation 0 (0000000000000000), where this rank \
             expects an agreement at operation 0 (0000000000000000)",
            "rank 0 runs another program than this one: it sends an agreement at operation 0 (0000000000000000), where this rank \
             expects parts of arrays at operation 0 (0000000000000000)",
        ]
    );
}

#[test]
fn a_part_of_another_size_is_refused() {
    for (sent, expected) in [(10, 11), (11, 10), (0, 1), (100, 200), (200, 100)] {
        let results = on_ranks(ThreadComm::ranks(2), |ranks| match ranks.rank() {
            0 => ranks.exchange(vec![(1, Packet::new(sent))], &[]),
            _ => ranks.exchange(Vec::new(), &[(0, expected)]),
        });
        let error = results[1].as_ref().expect_err("another size");
        let is_named = matches!(
            error,
            CommError::Damaged { from: 0, what: Damage::Length { .. } }
                | CommError::TooLong { from: 0, .. }
        );
        assert!(is_named, "{sent} for {expected}: {error}");
    }
}

#[test]
fn messages_of_another_runtime_are_refused() {
    let ranks = ThreadComm::ranks(2);
    let mut first = Communicator::with_limits(ranks[0].clone(), 4, LIMITS);
    let mut second = Communicator::with_limits(ranks[1].clone(), 5, LIMITS);
    first.exchange(vec![(1, Packet::new(8))], &[]).unwrap();
    let error = second.exchange(Vec::new(), &[(0, 8)]).unwrap_err();
    assert_eq!(error, CommError::Damaged { from: 0, what: Damage::Foreign });
    assert_eq!(error.to_string(), "a message of rank 0 is damaged: it is none of this runtime");
    // Bytes of somebody else.
    ranks[0].send(1, Channel::Data, vec![1; 60]).unwrap();
    let mut third = Communicator::with_limits(ranks[1].clone(), 5, LIMITS);
    let error = third.exchange(Vec::new(), &[(0, 12)]).unwrap_err();
    assert_eq!(error, CommError::Damaged { from: 0, what: Damage::Foreign });
}

#[test]
fn a_rank_that_is_gone_is_named() {
    let results = on_ranks(ThreadComm::ranks(3), |ranks| match ranks.rank() {
        2 => Ok(()),
        _ => ranks.barrier(),
    });
    // Rank 0 waits for rank 2, rank 1 for rank 0, who tells it nothing more.
    let waits_for = |result: &Result<(), CommError>| match result {
        Err(CommError::Silent { rank, waited }) => (*rank, *waited >= SILENCE),
        other => panic!("{other:?}"),
    };
    assert_eq!(waits_for(&results[0]), (2, true));
    assert!(results[1].is_err());
}

#[test]
fn a_rank_that_ends_the_program_ends_it_for_all() {
    let ranks = ThreadComm::ranks(2);
    let other = ranks[1].clone();
    let ended = std::thread::spawn(move || {
        other.abort(7, "no more");
    });
    assert!(ended.join().is_err());
    let mut first = Communicator::with_limits(ranks[0].clone(), 0, LIMITS);
    assert_eq!(first.barrier(), Err(CommError::Ended { rank: 1, code: 7 }));
}
