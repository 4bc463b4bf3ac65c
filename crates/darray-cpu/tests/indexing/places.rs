//! What masks hold, and places in sorted arrays.

use crate::{bytes, indices, rows, same, view};
use darray_core::RealType;
use darray_device::Block;
use darray_device::builtin::{Compact, Search};
use darray_kernel::random::Pcg64;
use smallvec::SmallVec;

#[test]
fn compactions() {
    for dtype in [RealType::U8, RealType::F16, RealType::BF16, RealType::I32, RealType::F64] {
        // Nothing, a block and what is around it, many; as they lie and with steps, of masks that hold few, half and all.
        for (bound, most) in [(0usize, 1u8), (1, 2), (511, 2), (513, 1), (2600, 2), (2600, 40)] {
            let mut stream = Pcg64::from_seed(bound as u64 + u64::from(most));
            let masks: Vec<u8> = (0..(2 * bound).max(1))
                .map(|_| u8::from(stream.next_u64().is_multiple_of(u64::from(most))))
                .collect();
            for step in [1usize, 2] {
                let held =
                    masks.iter().step_by(step).take(bound).filter(|&&held| held == 1).count();
                for (start, count) in [(0, held), (held / 3, held / 2), (held, 0)] {
                    for places in [false, true] {
                        let size = if places { 8 } else { dtype.size() };
                        let compact = |blocks: &[Block]| Compact {
                            dtype: if places { RealType::INDEX } else { dtype },
                            bound,
                            start,
                            count,
                            out: view(blocks[0], 0, &[step as i64]),
                            mask: view(blocks[1], 0, &[step as i64]),
                            source: (!places)
                                .then(|| view(blocks[2], (bound.max(1) - 1) as i64, &[-1])),
                        };
                        let arrays = [
                            bytes(2 * count.max(1) * size, 1),
                            masks.clone(),
                            bytes(bound.max(1) * dtype.size(), 3),
                        ];
                        let encode = |blocks: &[Block]| compact(blocks).encode();
                        let what = format!("{dtype} {bound} of 1/{most} by {step}, {start}");
                        same(Compact::NAME, &arrays, &encode, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn searches() {
    for dtype in RealType::ALL {
        let elements = |count: usize, seed| {
            let bytes = bytes(count * dtype.size(), seed);
            if dtype == RealType::Bool { bytes.iter().map(|b| b & 1).collect() } else { bytes }
        };
        for (extents, bound) in [
            (&[][..], 7usize),
            (&[301], 0),
            (&[301], 1),
            (&[301], 100),
            (&[5, 37], 64),
            (&[3, 0], 2),
        ] {
            let count = extents.iter().product::<usize>();
            let own = rows(extents);
            // One sorted array for all, backwards; and one for each row, of which nothing is known but that nothing is read beyond it.
            for shared in [true, false] {
                let from: Vec<i64> = match shared {
                    true => own.iter().map(|_| 0).chain([-1]).collect(),
                    false => own.iter().map(|_| 0).chain([1]).collect(),
                };
                let mut sorted = elements(bound.max(1), 5);
                let mut keys: Vec<&[u8]> = sorted.chunks(dtype.size()).take(bound.max(1)).collect();
                let key = |bytes: &[u8]| {
                    let mut word = [0; 8];
                    word[..bytes.len()].copy_from_slice(bytes);
                    darray_device::builtin::sort_key(dtype, u64::from_le_bytes(word))
                };
                keys.sort_by_key(|bytes| key(bytes));
                if shared {
                    keys.reverse();
                }
                sorted = keys.concat();
                for right in [false, true] {
                    let encode = |blocks: &[Block]| {
                        let search = Search {
                            dtype,
                            right,
                            extents: SmallVec::from_slice(extents),
                            bound,
                            out: view(blocks[0], 0, &own),
                            values: view(blocks[1], 0, &own),
                            sorted: view(
                                blocks[2],
                                if shared { bound.max(1) as i64 - 1 } else { 0 },
                                &from,
                            ),
                        };
                        search.encode()
                    };
                    let arrays = [indices(count, 9, 1), elements(count.max(1), 2), sorted.clone()];
                    let what = format!("{dtype} {extents:?} in {bound}, right: {right}");
                    let found = same(Search::NAME, &arrays, &encode, &what);
                    assert!(bound == 0 || count < 37 || found[0] != arrays[0], "{what}");
                }
            }
        }
    }
}
