//! Many uses of one store: which of them a further use conflicts with, without looking at all.
//!
//! A program that writes an array element by element uses it in thousands of ways in one window. Two
//! uses with bounds apart in some dimension are disjoint, so only those with close bounds are looked
//! at; the answers are those of looking at every pair.

use super::rule::{Access, dependence};
use darray_core::Chart;
use darray_ir::{DomainId, MapId, Privilege, Window, geometry};
use hashbrown::HashMap;
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Uses of one store, in order, each once.
///
/// ```text
/// uses:   0: x[0..4] write    1: x[4..8] write    2: x[9..10] read
/// a further write of x[7..9] is compared with 1 and 2, since 0 ends far before it: conflict with 1
/// a further read of it is compared with 1 alone
/// ```
pub struct UseIndex<'w> {
    window: &'w Window,
    uses: Vec<Access>,
    by_partition: HashMap<(DomainId, MapId), SmallVec<[u32; 2]>>,
    first_reduction: Option<u32>,
    kinds: [Kind; 4],
    compared: Cell<u64>,
}

/// Uses that are equal in chart and in whether they only read. An empty domain reaches nothing, so
/// its uses are in no kind.
#[derive(Default)]
struct Kind {
    uses: Vec<u32>,
    /// Bounds, per dimension of the chart.
    bounds: Vec<Intervals>,
}

/// Intervals, by the power of two below their extent and then by start.
#[derive(Default)]
struct Intervals(BTreeMap<u32, BTreeSet<(i64, u32)>>);

type Bounds = SmallVec<[Range<i64>; 4]>;

impl<'w> UseIndex<'w> {
    /// No uses.
    pub fn new(window: &'w Window) -> UseIndex<'w> {
        UseIndex {
            window,
            uses: Vec::new(),
            by_partition: HashMap::new(),
            first_reduction: None,
            kinds: Default::default(),
            compared: Cell::new(0),
        }
    }

    /// Whether no use conflicts with an earlier one.
    pub fn are_apart(window: &'w Window, uses: &[Access]) -> bool {
        let mut index = UseIndex::new(window);
        uses.iter().all(|access| {
            let apart = index.first_conflict(access).is_none();
            index.insert(*access);
            apart
        })
    }

    /// Adds a use; `false` if there is an equal one.
    pub fn insert(&mut self, access: Access) -> bool {
        let number = self.uses.len() as u32;
        let equals = self.by_partition.entry(access.partition).or_default();
        if equals.iter().any(|&i| self.uses[i as usize].privilege == access.privilege) {
            return false;
        }
        equals.push(number);
        self.uses.push(access);
        if access.privilege.reduces() {
            self.first_reduction.get_or_insert(number);
        }
        if let Some((chart, bounds)) = self.bounds(&access) {
            let kind = &mut self.kinds[kind(chart, access.privilege)];
            kind.uses.push(number);
            kind.bounds.resize_with(bounds.len(), Intervals::default);
            for (intervals, bounds) in kind.bounds.iter_mut().zip(bounds) {
                intervals.insert(bounds, number);
            }
        }
        true
    }

    /// The first use, in order of insertion, that keeps a further one from joining.
    pub fn first_conflict(&self, access: &Access) -> Option<usize> {
        let mut found: Option<u32> = None;
        let mut consider = |number: u32| {
            let conflicts = found.is_none_or(|found| number < found)
                && self.conflicts(&self.uses[number as usize], access);
            if conflicts {
                found = Some(number);
            }
            conflicts
        };
        // What does not depend on where the elements are.
        for &number in self.by_partition.get(&access.partition).into_iter().flatten() {
            consider(number);
        }
        if access.privilege.reduces() {
            self.first_reduction.map(&mut consider);
        }
        let Some((chart, bounds)) = self.bounds(access) else { return found.map(|i| i as usize) };
        for other in [Chart::Native, Chart::Linear] {
            for privilege in [Privilege::Read, Privilege::Write] {
                if (access.privilege, privilege) == (Privilege::Read, Privilege::Read) {
                    continue;
                }
                let kind = &self.kinds[kind(other, privilege)];
                if other == chart && !bounds.is_empty() {
                    kind.near(&bounds).into_iter().for_each(|number| {
                        consider(number);
                    });
                } else {
                    // Never proven disjoint, so the first one decides, unless it is the same access.
                    let _ = kind.uses.iter().any(|&number| consider(number));
                }
            }
        }
        found.map(|number| number as usize)
    }

    /// The number, in order of insertion, of a use that is equal.
    pub fn find(&self, access: &Access) -> Option<usize> {
        let equals = self.by_partition.get(&access.partition)?;
        let equal = |&&number: &&u32| self.uses[number as usize].privilege == access.privilege;
        equals.iter().find(equal).map(|&number| number as usize)
    }

    /// At least the uses that may share elements with this one, and are not only read where it is.
    pub fn near(&self, access: &Access) -> Vec<u32> {
        let Some((chart, bounds)) = self.bounds(access) else { return Vec::new() };
        let mut found = Vec::new();
        for other in [Chart::Native, Chart::Linear] {
            for privilege in [Privilege::Read, Privilege::Write] {
                if (access.privilege, privilege) == (Privilege::Read, Privilege::Read) {
                    continue;
                }
                let kind = &self.kinds[kind(other, privilege)];
                match other == chart && !bounds.is_empty() {
                    true => found.extend(kind.near(&bounds)),
                    false => found.extend(&kind.uses),
                }
            }
        }
        found
    }

    /// How many pairs of uses were compared one by one.
    pub fn compared(&self) -> u64 {
        self.compared.get()
    }

    fn conflicts(&self, earlier: &Access, access: &Access) -> bool {
        self.compared.set(self.compared.get() + 1);
        let geometry =
            |a: &Access| (self.window.map(a.partition.1), self.window.domain(a.partition.0));
        dependence(earlier, access, |a, b| geometry::disjoint(geometry(a), geometry(b))).is_some()
    }

    /// The coordinates that a use reaches; none over an empty domain.
    fn bounds(&self, access: &Access) -> Option<(Chart, Bounds)> {
        let (map, domain) =
            (self.window.map(access.partition.1), self.window.domain(access.partition.0));
        if domain.size() == 0 {
            return None;
        }
        Some((map.chart, geometry::bounds(map, domain)))
    }
}

fn kind(chart: Chart, privilege: Privilege) -> usize {
    2 * (chart == Chart::Linear) as usize + (privilege != Privilege::Read) as usize
}

impl Kind {
    /// At least the uses that share coordinates with `bounds` in every dimension. All dimensions are
    /// searched in step, and the one with the fewest uses ends it.
    fn near(&self, bounds: &[Range<i64>]) -> Vec<u32> {
        let axes = self.bounds.iter().zip(bounds);
        let mut searches: SmallVec<[_; 4]> =
            axes.map(|(intervals, bounds)| (intervals.near(bounds.clone()), Vec::new())).collect();
        if searches.is_empty() {
            return Vec::new();
        }
        loop {
            for (search, found) in &mut searches {
                match search.next() {
                    Some(number) => found.push(number),
                    None => return std::mem::take(found),
                }
            }
        }
    }
}

impl Intervals {
    fn insert(&mut self, bounds: Range<i64>, number: u32) {
        let level = (bounds.end - bounds.start).ilog2();
        self.0.entry(level).or_default().insert((bounds.start, number));
    }

    /// The intervals that overlap `bounds`, and some that almost do.
    fn near(&self, bounds: Range<i64>) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(move |(&level, starts)| {
            let longest = 2i64.saturating_pow(level + 1);
            let from = bounds.start.saturating_sub(longest);
            starts.range((from, 0)..(bounds.end, 0)).map(|&(_, number)| number)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::{Dim, Map, RealType, Shape};
    use darray_ir::StoreId;

    /// A use of elements `start, start + step, ..` of rows `row, row + 1, ..`.
    fn access(
        window: &mut Window,
        start: [i64; 2],
        step: [i64; 2],
        extents: [usize; 2],
        privilege: Privilege,
    ) -> Access {
        let domain = window.intern_domain(&Shape::new(&extents));
        let dim = |d: usize| Dim { axis: Some(d as u8), start: start[d], step: step[d] };
        let map = Map { chart: Chart::Native, dims: [dim(0), dim(1)].into_iter().collect() };
        let map = window.intern_map(&map);
        Access { store: StoreId(0), partition: (domain, map), privilege }
    }

    #[test]
    fn conflicts_are_those_of_all_pairs() {
        let mut random = 1u64;
        let mut next = |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        let (mut conflicts, mut none) = (0, 0);
        for _ in 0..60 {
            let mut window = Window::new();
            window.add_store(RealType::F64, &Shape::new(&[200, 200]), true);
            let mut uses = Vec::new();
            let reducer = darray_kernel::ir::Reducer::Sum;
            let kinds = [
                Privilege::Read,
                Privilege::Write,
                Privilege::ReadWrite,
                Privilege::Reduce(reducer),
            ];
            for _ in 0..40 {
                let mut pair = |n: u64| [next(n) as i64, next(n) as i64];
                let (start, step, extents) = (pair(100), pair(3), pair(5));
                let step = step.map(|s| s + 1);
                let extents = extents.map(|e| e as usize);
                let kind = kinds[(next(12) / 3) as usize];
                uses.push(access(&mut window, start, step, extents, kind));
            }
            let mut index = UseIndex::new(&window);
            let mut list: Vec<Access> = Vec::new();
            for access in uses {
                let slow = list.iter().position(|earlier| index.conflicts(earlier, &access));
                assert_eq!(index.first_conflict(&access), slow);
                match slow {
                    Some(_) => conflicts += 1,
                    None => none += 1,
                }
                if index.insert(access) {
                    list.push(access);
                }
            }
        }
        assert!(conflicts > 100 && none > 100, "{conflicts} with, {none} without a conflict");
    }

    #[test]
    fn few_pairs_are_compared() {
        for n in [1000, 2000, 4000] {
            let mut window = Window::new();
            window.add_store(RealType::F64, &Shape::new(&[64, 64]), true);
            let tile = |i: i64| [i % 64, i / 64];
            let uses: Vec<Access> = (0..n)
                .map(|i| access(&mut window, tile(i), [1, 1], [1, 1], Privilege::Write))
                .collect();
            let mut index = UseIndex::new(&window);
            for access in uses {
                assert_eq!(index.first_conflict(&access), None);
                index.insert(access);
            }
            assert!(index.compared() < 260 * n as u64, "{} pairs of {n} uses", index.compared());
        }
    }
}
