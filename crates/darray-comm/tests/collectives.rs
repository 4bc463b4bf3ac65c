//! Collectives over threads: what comes, on how many messages, for every number of ranks up to nine.

use darray_comm::{
    Channel, Communicator, Counts, Limits, Packet, PhantomComm, Position, SelfComm, ThreadComm,
    Transport,
};
use std::sync::Arc;
use std::time::Duration;

/// Small pieces, so that messages go in several, and rings that begin early.
const LIMITS: Limits = Limits { silence: Duration::from_secs(20), piece: 100, few: 300 };

/// Runs a program on so many ranks; gives what each returns and has sent.
fn on_ranks<R: Send>(
    size: usize,
    program: impl Fn(&mut Communicator) -> R + Sync,
) -> Vec<(R, Counts)> {
    let program = &program;
    std::thread::scope(|scope| {
        let ranks = ThreadComm::ranks(size).into_iter().map(|transport| {
            scope.spawn(move || {
                let mut ranks = Communicator::with_limits(transport, 3, LIMITS);
                let result = program(&mut ranks);
                ranks.finish().expect("what was sent has gone");
                (result, ranks.counts())
            })
        });
        let ranks: Vec<_> = ranks.collect();
        ranks.into_iter().map(|rank| rank.join().expect("no rank panics")).collect()
    })
}

fn rounds(size: usize) -> u64 {
    u64::from(size.next_power_of_two().trailing_zeros())
}

#[test]
fn ranks_agree_on_the_least() {
    for size in 1..=9 {
        let ranks = on_ranks(size, |ranks| {
            let own = (ranks.rank() as u64 * 7 + 3) % 10;
            ranks.agree(own, u64::min).unwrap()
        });
        let least = (0..size as u64).map(|rank| (rank * 7 + 3) % 10).min().unwrap();
        for (found, counts) in ranks {
            let messages = rounds(size);
            assert_eq!((found, counts), (least, Counts { messages, bytes: 8 * messages }));
        }
    }
}

#[test]
fn all_have_what_each_had() {
    for size in 1..=9 {
        // Of each rank other bytes, and of some none; little, and so much that it goes round a ring in pieces.
        for most in [1, 40, 250] {
            let part = |rank: usize| vec![rank as u8; rank * 31 % (most + 1)];
            let all: Vec<Vec<u8>> = (0..size).map(part).collect();
            let ranks = on_ranks(size, |ranks| ranks.gather(&part(ranks.rank())).unwrap());
            let bytes: usize = all.iter().map(Vec::len).sum();
            for (found, counts) in ranks {
                assert_eq!(found, all);
                if bytes <= LIMITS.piece {
                    assert_eq!(counts.messages, 2 * rounds(size));
                }
            }
        }
    }
}

#[test]
fn all_hear_what_one_tells() {
    for size in 1..=9 {
        for from in 0..size {
            for bytes in [0, 100, 101, 512] {
                let told = vec![7u8; bytes];
                let ranks = on_ranks(size, |ranks| {
                    let own = (ranks.rank() == from).then_some(&told[..]);
                    ranks.broadcast(from, own, 600).unwrap()
                });
                let pieces = bytes.div_ceil(LIMITS.piece).max(1);
                let messages: u64 = ranks.iter().map(|(_, counts)| counts.messages).sum();
                assert_eq!(messages as usize, pieces * (size - 1));
                assert!(ranks.iter().all(|(found, _)| *found == told));
            }
        }
    }
}

#[test]
fn parts_go_between_any_two() {
    for size in 2..=5 {
        // Each to each, as many bytes as its place among all pairs says.
        let part = |from: usize, to: usize| vec![(from * size + to) as u8; 17 * (from + 3 * to)];
        let ranks = on_ranks(size, |ranks| {
            let own = ranks.rank();
            let others = || (0..size).filter(move |&other| other != own);
            for step in 0..3 {
                ranks.set_position(Position { operation: step, hash: step * step });
                let sends = others().map(|to| (to, Packet::of(&part(own, to)))).collect();
                let receives: Vec<_> = others().map(|from| (from, part(from, own).len())).collect();
                let found = ranks.exchange(sends, &receives).unwrap();
                for (from, packet) in others().zip(found) {
                    assert_eq!(packet.contents(), part(from, own));
                }
            }
            ranks.barrier().unwrap();
        });
        assert_eq!(ranks.len(), size);
    }
}

#[test]
fn one_rank_sends_nothing() {
    let mut alone = Communicator::new(Arc::new(SelfComm), 0);
    assert_eq!(alone.agree(5, u64::max), Ok(5));
    assert_eq!(alone.gather(b"own"), Ok(vec![b"own".to_vec()]));
    assert_eq!(alone.broadcast(0, Some(b"told"), 4), Ok(b"told".to_vec()));
    assert_eq!(alone.barrier(), Ok(()));
    assert_eq!(alone.counts(), Counts::default());
    assert!(alone.exchange(vec![(1, Packet::new(3))], &[]).is_err());
}

/// A rank of many without the others sends what it sends among them.
#[test]
fn phantoms_send_what_ranks_send() {
    let program = |ranks: &mut Communicator| {
        let (own, size) = (ranks.rank(), ranks.size());
        ranks.agree(1, u64::max).unwrap();
        ranks.gather(&[1; 20]).unwrap();
        ranks.gather(&[1; 90]).unwrap();
        let told = [2; 50];
        ranks.broadcast(0, (own == 0).then_some(&told[..]), 50).unwrap();
        let (next, before) = ((own + 1) % size, (own + size - 1) % size);
        let received = ranks.exchange(vec![(next, Packet::new(250))], &[(before, 250)]).unwrap();
        assert_eq!(received[0].contents().len(), 250);
    };
    for size in 2..=9 {
        let real = on_ranks(size, program);
        for (rank, (_, counts)) in real.into_iter().enumerate() {
            let phantom = Arc::new(PhantomComm::new(rank, size));
            let mut ranks = Communicator::with_limits(phantom.clone(), 3, LIMITS);
            program(&mut ranks);
            assert_eq!(ranks.counts(), counts, "rank {rank} of {size}");
            assert_eq!(phantom.sent().len() as u64, counts.messages);
        }
    }
    // What one rank does costs as much among many more.
    let counts = [0, 2048, 4095].map(|rank| {
        let mut ranks = Communicator::new(Arc::new(PhantomComm::new(rank, 4096)), 0);
        ranks.agree(1, u64::max).unwrap();
        ranks.counts().messages
    });
    assert_eq!(counts, [12; 3]);
}

#[test]
fn transports_know_their_ranks() {
    let ranks = ThreadComm::ranks(3);
    let numbers: Vec<_> = ranks.iter().map(|rank| (rank.rank(), rank.size())).collect();
    assert_eq!(numbers, [(0, 3), (1, 3), (2, 3)]);
    // Each channel is a stream of its own, and says what has come.
    ranks[2].send(1, Channel::Check, vec![0; 5]).unwrap();
    assert_eq!(ranks[1].probe(Channel::Check), Some((2, 5)));
    let others = [ranks[1].probe(Channel::Control), ranks[0].probe(Channel::Check)];
    assert_eq!(others, [None; 2]);
    let nodes = [ranks[1].node(), SelfComm.node()];
    assert_eq!(nodes.map(|node| (node.rank, node.size)), [(1, 3), (0, 1)]);
    let phantom = PhantomComm::new(4, 7);
    assert_eq!((phantom.rank(), phantom.size(), phantom.has_contents()), (4, 7, false));
}
