//! What binding decided, kept for launches that come again.
//!
//! How a nest goes through memory follows from extents, strides, and how far blocks reach, which are the same each
//! time in a loop. Finding it out may take longer than the work. So a nest keeps what was bound
//! for the last few geometries; only the addresses are of the launch.

use super::Binding;
use super::arguments::Arguments;
use std::sync::{Arc, Mutex, PoisonError};

/// What was bound of one nest of a kernel.
#[derive(Default)]
pub(in super::super) struct Bindings(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    /// With the [geometry](Arguments::geometry) that each is for.
    kept: Vec<(Box<[i64]>, Arc<Binding>)>,
    /// The one that the next new one replaces.
    oldest: usize,
}

impl Bindings {
    /// That of an earlier launch whose arguments are the same but for addresses and scalars.
    pub fn find(&self, arguments: &Arguments<'_>) -> Option<Arc<Binding>> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(geometry, _): &&(Box<[i64]>, _)| arguments.has_geometry(geometry);
        recent.kept.iter().find(is_it).map(|(_, binding)| binding.clone())
    }

    /// Keeps one for launches with the same geometry.
    pub fn keep(&self, arguments: &Arguments<'_>, binding: &Arc<Binding>) {
        let one = (arguments.geometry().collect(), binding.clone());
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = recent.oldest;
        match recent.kept.get_mut(at) {
            Some(old) => *old = one,
            None => recent.kept.push(one),
        }
        recent.oldest = (at + 1) % MOST;
    }
}

/// Geometries of a nest that are kept.
const MOST: usize = 4;

#[cfg(test)]
mod tests {
    use super::MOST;
    use crate::execute::bind::Streaming;
    use crate::execute::bind::{Binding, bind};
    use crate::execute::testing::{Array, with_launches};
    use std::sync::Arc;

    const COPY: &str =
        "kernel params=2 scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
         { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
            %0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0 } }";

    /// The blocks that it copies between, the first element and the stride of what is read, and how many are copied.
    type Copy = ([usize; 2], usize, &'static [i64], usize);

    /// What was bound for each of some launches, by number in order of first use; asserts the addresses.
    fn bound(text: &str, copies: &[Copy], from: usize) -> Vec<usize> {
        let arrays = copies.iter().map(|&([read, written], offset, strides, _)| {
            let read = Array { block: read, offset, strides };
            [read, Array { block: written, offset: 0, strides: &[1] }]
        });
        let arrays: Vec<_> = arrays.collect();
        let params: Vec<_> = copies.iter().map(|&(_, _, _, n)| [n, 0]).collect();
        let launches: Vec<_> =
            arrays.iter().zip(&params).map(|(arrays, params)| (&arrays[..], &params[..])).collect();
        with_launches(text, &launches, None, |compiled, launches, blocks| {
            let mut known: Vec<Arc<Binding>> = Vec::new();
            let number = |(arguments, &([read, written], offset, ..)): (_, &Copy)| {
                let bound = bind(compiled, 0, arguments, Streaming::from(from)).unwrap().unwrap();
                let places = [blocks[read].wrapping_add(offset), blocks[written]];
                assert_eq!(bound.bases[..], places.map(|place| place.cast()));
                let is_it = |one: &Arc<Binding>| Arc::ptr_eq(one, &bound.binding);
                known.iter().position(is_it).unwrap_or_else(|| {
                    known.push(bound.binding.clone());
                    known.len() - 1
                })
            };
            launches.iter().zip(copies).map(number).collect()
        })
    }

    #[test]
    fn launches_share_what_does_not_depend_on_addresses() {
        let copies: [Copy; 7] = [
            ([0, 1], 0, &[1], 100),
            ([2, 3], 0, &[1], 100),
            ([0, 1], 8, &[1], 100),
            ([0, 1], 0, &[2], 100),
            ([0, 1], 0, &[1], 99),
            ([1, 0], 0, &[1], 100),
            ([2, 1], 8, &[1], 100),
        ];
        assert_eq!(bound(COPY, &copies, usize::MAX), [0, 0, 1, 2, 3, 0, 1]);
    }

    /// That an access stays in its block was found of another block.
    #[test]
    fn a_shorter_block_is_refused() {
        let [long, short] = [1, 4].map(|block| {
            let array = |block| Array { block, offset: 0, strides: &[1] };
            [array(0), array(block)]
        });
        let launches = [long, short].map(|arrays| (arrays, [100, 0]));
        let launches: Vec<_> = launches.iter().map(|(a, p)| (&a[..], &p[..])).collect();
        with_launches(COPY, &launches, None, |compiled, launches, _| {
            let streaming = Streaming::from(usize::MAX);
            let [fits, fault] = [0, 1]
                .map(|k| bind(compiled, 0, &launches[k], streaming).err().map(|f| f.to_string()));
            assert_eq!(fits, None);
            assert!(fault.as_ref().is_some_and(|fault| fault.contains("64")), "{fault:?}");
        });
    }

    #[test]
    fn the_last_geometries_are_kept() {
        let copies: Vec<Copy> =
            (0..=MOST).chain([MOST, 1, 0]).map(|k| ([0, 1], k, &[1][..], 100)).collect();
        assert_eq!(bound(COPY, &copies, usize::MAX), [0, 1, 2, 3, 4, 4, 1, 5]);
    }

    #[test]
    fn what_depends_on_addresses_is_bound_anew() {
        // Where lines begin decides how it is written.
        let copies: [Copy; 2] = [([0, 1], 0, &[1], 1000); 2];
        assert_eq!(bound(COPY, &copies, 1000), [0, 1]);
        let copies: [Copy; 2] = [([0, 1], 0, &[1], 1 << 17); 2];
        assert_eq!(bound(COPY, &copies, usize::MAX), [0, 0]);
    }
}
