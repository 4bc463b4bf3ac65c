//! The definition of the tree, written as recursion over nodes, against the walks.

use super::*;
use proptest::prelude::*;
use std::ops::Range;

/// Values whose sums round badly: every order gives other bits.
fn value(index: &[usize]) -> f64 {
    let mut hash = 0x9e3779b97f4a7c15u64;
    for &i in index {
        hash = (hash ^ i as u64).wrapping_mul(0xd6e8feb86659fd93);
        hash ^= hash >> 32;
    }
    let sign = if hash & 1 == 0 { 1.0 } else { -1.0 };
    sign * (1.0 + (hash >> 12) as f64 / (1u64 << 52) as f64) * 10f64.powi((hash >> 1 & 7) as i32)
}

/// The definition: a node combines its children, a leaf of axis `d` is the root of axis `d + 1`, a leaf of all axes combines rounds
/// and lanes.
struct Definition<'a> {
    rule: TreeRule,
    group: Group,
    global: &'a [usize],
}

impl Definition<'_> {
    /// The largest power of two of rows of the axes behind that a leaf has space for, if these are wholly in it and short.
    fn block(&self, axis: usize) -> usize {
        let n = self.global.len();
        let of_group = n - axis <= self.group.axes;
        if !of_group || (axis + 1..n).any(|a| self.global[a] > self.block(a)) {
            return 1;
        }
        let row: usize = self.global[axis + 1..].iter().product();
        if axis + 1 < n && row >= self.rule.row(self.group.behind) {
            return 1;
        }
        let most = self.rule.leaf(self.group.behind);
        (0..=most.ilog2())
            .map(|bit| 1 << bit)
            .filter(|block| block * row <= most)
            .max()
            .unwrap_or(1)
    }

    fn root(&self, axis: usize, outer: &[usize]) -> f64 {
        let leaves = self.global[axis].div_ceil(self.block(axis));
        let level = leaves.next_power_of_two().trailing_zeros();
        self.node(axis, outer, level, 0).unwrap()
    }

    fn node(&self, axis: usize, outer: &[usize], level: u32, index: usize) -> Option<f64> {
        if index << level >= self.global[axis].div_ceil(self.block(axis)) {
            return None;
        }
        if level > 0 {
            let left = self.node(axis, outer, level - 1, 2 * index)?;
            let right = self.node(axis, outer, level - 1, 2 * index + 1);
            return Some(right.map_or(left, |right| left + right));
        }
        let leaf = [outer, &[index]].concat();
        if axis + 1 < self.global.len() {
            Some(self.root(axis + 1, &leaf))
        } else {
            Some(self.leaf(&leaf))
        }
    }

    fn leaf(&self, leaf: &[usize]) -> f64 {
        let mut elements = vec![];
        let count: usize = self.global.iter().product();
        for flat in 0..count {
            let mut index = vec![0; self.global.len()];
            let mut rest = flat;
            for d in (0..index.len()).rev() {
                (index[d], rest) = (rest % self.global[d], rest / self.global[d]);
            }
            if (0..index.len()).all(|d| index[d] / self.block(d) == leaf[d]) {
                elements.push(value(&index));
            }
        }
        let lanes = self.rule.lanes(self.group.behind);
        let rounds: Vec<&[f64]> = elements.chunks(lanes).collect();
        let lane = |lane: usize| {
            let values: Vec<f64> =
                rounds.iter().map(|round| *round.get(lane).unwrap_or(&-0.0)).collect();
            pairs(&values)
        };
        let mut lanes: Vec<f64> = (0..lanes).map(lane).collect();
        while lanes.len() > 1 {
            let right = lanes.split_off(lanes.len() / 2);
            lanes.iter_mut().zip(right).for_each(|(l, r)| *l += r);
        }
        lanes[0]
    }
}

/// The sum of some values, one at least, in pairs.
fn pairs(values: &[f64]) -> f64 {
    if let [one] = values {
        return *one;
    }
    let half = values.len().next_power_of_two() / 2;
    pairs(&values[..half]) + pairs(&values[half..])
}

/// One tile's slots.
fn tile_slots(rule: TreeRule, group: Group, axes: &[ReducedAxis]) -> Vec<f64> {
    let tree = TileTree::new(rule, group, axes);
    let mut deepest = 0;
    tree.walk(|step| match step {
        TileStep::Leaf { position, .. } => deepest = deepest.max(position + 1),
        TileStep::Combine { position } | TileStep::Slot { position, .. } => {
            assert!(position < deepest)
        }
    });
    assert!(deepest <= tree.depth(), "{deepest} {}", tree.depth());
    let slots = tree.fold(
        |ranges| {
            let element = |local: &[usize]| {
                let global: Vec<usize> =
                    local.iter().zip(axes).map(|(l, a)| l + a.origin).collect();
                value(&global)
            };
            tree.fold_leaf(ranges, -0.0, element, |a, b| a + b)
        },
        |a, b| a + b,
    );
    assert_eq!(slots.len(), tree.slots());
    slots
}

/// One tile's slots by way of parts of it, which begin at every so many leaves of the first axis.
fn joined_slots(rule: TreeRule, group: Group, axes: &[ReducedAxis], every: usize) -> Vec<f64> {
    let tree = TileTree::new(rule, group, axes);
    let extent = axes[0].extent;
    let globals: Vec<usize> = axes.iter().map(|axis| axis.global).collect();
    let block = rule.blocks(&globals, group)[0];
    let starts = (0..extent).step_by(every * block);
    let mut parts: Vec<TileTree> =
        starts.map(|start| tree.part(start..(start + every * block).min(extent))).collect();
    if parts.is_empty() {
        parts.push(tree.part(0..extent));
    }
    let own = |part: &TileTree| {
        let element = |local: &[usize]| {
            let global = local.iter().zip(axes).map(|(l, a)| l + a.origin);
            value(&global.collect::<Vec<_>>())
        };
        let [mut plain, mut walk] = [part.begin(), part.begin()];
        part.resume(&mut plain, usize::MAX, |_| ());
        part.resume_by_subtrees(&mut walk, usize::MAX, (part.axis_of_subtrees(), 4), |_| ());
        assert_eq!(format!("{walk:?}"), format!("{plain:?}"));
        part.fold(|ranges| part.fold_leaf(ranges, -0.0, element, |a, b| a + b), |a, b| a + b)
    };
    let values: Vec<Vec<f64>> = parts.iter().map(own).collect();
    let (mut stack, mut slots) = (vec![0.0; tree.depth()], vec![]);
    tree.join(&parts, |step| match step {
        JoinStep::Take { position, part, slot } => stack[position] = values[part][slot],
        JoinStep::Combine { position } => stack[position] += stack[position + 1],
        JoinStep::Slot { position, slot } => {
            assert_eq!(slot, slots.len());
            slots.push(stack[position]);
        }
    });
    assert_eq!(slots.len(), tree.slots());
    slots
}

/// One tile's slots by way of a walk that takes subtrees of so many leaves as one step, and is interrupted halfway.
fn slots_by_subtrees(
    rule: TreeRule,
    group: Group,
    axes: &[ReducedAxis],
    leaves: usize,
) -> Vec<f64> {
    let tree = TileTree::new(rule, group, axes);
    let globals: Vec<usize> = axes.iter().map(|axis| axis.global).collect();
    let blocks = rule.blocks(&globals, group);
    let axis = tree.axis_of_subtrees();
    let leaf = |ranges: &[Range<usize>]| {
        let element = |local: &[usize]| {
            let global = local.iter().zip(axes).map(|(l, a)| l + a.origin);
            value(&global.collect::<Vec<_>>())
        };
        tree.fold_leaf(ranges, -0.0, element, |a, b| a + b)
    };
    let subtree = |ranges: &[Range<usize>]| {
        let (start, count) = (ranges[axis].start, ranges[axis].len().div_ceil(blocks[axis]));
        let first = (axes[axis].origin + start) / blocks[axis];
        assert!(
            count.is_power_of_two() && count <= leaves && first.is_multiple_of(count),
            "{ranges:?}"
        );
        let one = |number: usize| {
            let mut ranges = ranges.to_vec();
            let start = start + number * blocks[axis];
            ranges[axis] = start..(start + blocks[axis]).min(ranges[axis].end);
            leaf(&ranges)
        };
        let mut values: Vec<f64> = (0..count).map(one).collect();
        while values.len() > 1 {
            values = values.chunks(2).map(|pair| pair[0] + pair[1]).collect();
        }
        values[0]
    };
    let (mut stack, mut slots) = (vec![0.0; tree.depth()], vec![]);
    let mut walk = tree.begin();
    for end in [axes[0].extent / 2, usize::MAX] {
        let (mut plain, mut below) = (tree.begin(), true);
        tree.resume(&mut plain, end, |_| ());
        tree.resume_by_subtrees(&mut walk, end, (axis, leaves), |step| match step {
            TileStep::Leaf { position, ranges } => {
                below &= ranges[0].is_empty()
                    || ranges[0].end.next_multiple_of(blocks[0]) - blocks[0] < end;
                stack[position] =
                    if ranges.iter().any(Range::is_empty) { leaf(ranges) } else { subtree(ranges) };
            }
            TileStep::Combine { position } => stack[position] += stack[position + 1],
            TileStep::Slot { position, slot } => {
                assert_eq!(slot, slots.len());
                slots.push(stack[position]);
            }
        });
        assert!(below, "a leaf behind {end}");
        assert_eq!(format!("{walk:?}"), format!("{plain:?}"));
    }
    slots
}

/// One tile's slots by way of a walk whose steps are rows of few leaves, at most so many rows each, and which is interrupted halfway;
/// none where there are no such rows.
fn slots_by_rows(
    rule: TreeRule,
    group: Group,
    axes: &[ReducedAxis],
    rows: usize,
) -> Option<Vec<f64>> {
    let tree = TileTree::new(rule, group, axes);
    let globals: Vec<usize> = axes.iter().map(|axis| axis.global).collect();
    let blocks = rule.blocks(&globals, group);
    let (along, of_row) = tree.axis_of_rows(8)?;
    let inner = tree.axis_of_subtrees();
    let leaf = |ranges: &[Range<usize>]| {
        let element = |local: &[usize]| {
            let global = local.iter().zip(axes).map(|(l, a)| l + a.origin);
            value(&global.collect::<Vec<_>>())
        };
        tree.fold_leaf(ranges, -0.0, element, |a, b| a + b)
    };
    let step = |ranges: &[Range<usize>]| {
        let count = ranges[along].len().div_ceil(blocks[along]);
        assert!(count.is_power_of_two() && count <= rows, "{ranges:?}");
        let row = |number: usize| {
            let one = |leaf_of_row: usize| {
                let mut ranges = ranges.to_vec();
                for (axis, number) in [(along, number), (inner, leaf_of_row)] {
                    let (start, end) = (ranges[axis].start, ranges[axis].end);
                    let first = start + number * blocks[axis];
                    ranges[axis] = first..(first + blocks[axis]).min(end);
                }
                leaf(&ranges)
            };
            pairs(&(0..of_row).map(one).collect::<Vec<_>>())
        };
        pairs(&(0..count).map(row).collect::<Vec<_>>())
    };
    let (mut stack, mut slots) = (vec![0.0; tree.depth()], vec![]);
    let mut walk = tree.begin();
    for end in [axes[0].extent / 2, usize::MAX] {
        tree.resume_by_subtrees(&mut walk, end, (along, rows), |event| match event {
            TileStep::Leaf { position, ranges } => stack[position] = step(ranges),
            TileStep::Combine { position } => stack[position] += stack[position + 1],
            TileStep::Slot { position, slot } => {
                assert_eq!(slot, slots.len());
                slots.push(stack[position]);
            }
        });
    }
    Some(slots)
}

#[test]
fn rows_of_few_leaves_are_steps_with_the_slots_of_the_tile() {
    let mut seen = 0;
    let whole = |global: usize| ReducedAxis { origin: 0, extent: global, global };
    for columns in [5, 6, 9, 13, 21, 24, 27, 32] {
        for (origin, extent, global) in [(0, 10, 10), (0, 7, 10), (3, 7, 10), (4, 3, 10), (0, 1, 1)]
        {
            let rows = ReducedAxis { origin, extent, global };
            for axes in [
                vec![rows, whole(columns)],
                vec![rows, whole(1), whole(columns)],
                vec![whole(3), rows, whole(columns)],
                vec![rows, whole(3), whole(columns)],
            ] {
                let group = Group { axes: axes.len(), behind: 1 };
                let expected = tile_slots(TreeRule::TINY, group, &axes);
                for step in [1, 4, 16] {
                    let Some(slots) = slots_by_rows(TreeRule::TINY, group, &axes, step) else {
                        continue;
                    };
                    assert_eq!(slots, expected, "{axes:?} by {step} rows");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 300, "{seen}");
}

/// The root by way of the tiles between the cuts.
fn tiled_root(rule: TreeRule, group: Group, global: &[usize], cuts: &[Vec<usize>]) -> f64 {
    let mut tiles = vec![vec![]];
    for (extent, cuts) in global.iter().zip(cuts) {
        tiles = tiles
            .iter()
            .flat_map(|outer: &Vec<ReducedAxis>| {
                cuts.windows(2).map(move |cut| {
                    let (origin, extent) = (cut[0], cut[1] - cut[0]);
                    let mut axes = outer.clone();
                    axes.push(ReducedAxis { origin, extent, global: 0 });
                    axes
                })
            })
            .collect();
        tiles.iter_mut().for_each(|axes| axes.last_mut().unwrap().global = *extent);
    }
    let slots: Vec<Vec<f64>> = tiles.iter().map(|t| tile_slots(rule, group, t)).collect();
    let bits = |slots: &[f64]| slots.iter().map(|slot| slot.to_bits()).collect::<Vec<_>>();
    for ((tile, slots), every) in tiles.iter().zip(&slots).zip([1, 3, 2].iter().cycle()) {
        let joined = joined_slots(rule, group, tile, *every);
        assert_eq!(bits(&joined), bits(slots), "{tile:?} every {every}");
        let taken = slots_by_subtrees(rule, group, tile, 1 << every);
        assert_eq!(bits(&taken), bits(slots), "{tile:?} subtrees of {every}");
    }
    let grid = GridTree::new(rule, group, global, cuts);
    assert_eq!(grid.tiles(), tiles.len());
    let mut taken: Vec<Vec<bool>> = slots.iter().map(|s| vec![false; s.len()]).collect();
    let mut deepest = 0;
    grid.walk(|step| {
        if let GridStep::Take { position, .. } = step {
            deepest = deepest.max(position + 1)
        }
    });
    assert!(deepest <= grid.depth());
    let take = |tile: usize, slot: usize| {
        assert!(!std::mem::replace(&mut taken[tile][slot], true), "taken twice");
        slots[tile][slot]
    };
    let root = grid.fold(take, |a, b| a + b).unwrap();
    assert!(taken.iter().flatten().all(|t| *t), "a slot was left over");
    root
}

/// Cuts of every axis at blocks, some of them equal.
fn case() -> impl Strategy<Value = (TreeRule, Group, Vec<usize>, Vec<Vec<usize>>)> {
    let rule = (0..4u32, 0..4u32, 0..3u32, 0..3u32).prop_map(|(lanes, width, rounds, alone)| {
        TreeRule { lanes: 1 << lanes, width: 1 << width, rounds: 1 << rounds, alone: 1 << alone }
    });
    (rule, 1..4usize, 1..9usize, 1..4usize).prop_flat_map(|(rule, axes, behind, rank)| {
        let group = Group { axes: axes.min(rank), behind };
        let most: usize = [200, 24, 12][rank - 1];
        let cut = (1..most, proptest::collection::vec(0..1000usize, 0..4));
        proptest::collection::vec(cut, rank).prop_map(move |axes| {
            let (mut global, mut all) = (vec![], vec![]);
            let extents: Vec<usize> = axes.iter().map(|(extent, _)| *extent).collect();
            let blocks = rule.blocks(&extents, group);
            for ((extent, cuts), block) in axes.into_iter().zip(blocks) {
                let leaves = extent.div_ceil(block);
                let at = |c: usize| (c % (leaves + 1) * block).min(extent);
                let mut cuts: Vec<usize> = cuts.into_iter().map(at).collect();
                cuts.extend([0, extent]);
                cuts.sort();
                global.push(extent);
                all.push(cuts);
            }
            (rule, group, global, all)
        })
    })
}

/// One axis that is all of the domain, and two.
const ALL: Group = Group { axes: 1, behind: 1 };
const BOTH: Group = Group { axes: 2, behind: 1 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_tiling_gives_the_root_of_the_definition((rule, group, global, cuts) in case()) {
        let definition = Definition { rule, group, global: &global };
        let want = definition.root(0, &[]);
        let got = tiled_root(rule, group, &global, &cuts);
        prop_assert_eq!(got.to_bits(), want.to_bits(), "{} {}", got, want);
        let whole: Vec<Vec<usize>> = global.iter().map(|&n| vec![0, n]).collect();
        let one = tiled_root(rule, group, &global, &whole);
        prop_assert_eq!(one.to_bits(), want.to_bits());
    }

    #[test]
    fn subtrees_are_disjoint_maximal_nodes(leaves in 1..70usize, a in 0..70usize, b in 0..70usize) {
        let (first, last) = (a.min(b).min(leaves), a.max(b).min(leaves));
        let mut next = first;
        for node in subtrees(first, last, leaves) {
            prop_assert_eq!(node.start(), next);
            next = node.end(leaves);
            let parent = node.parent();
            let fits = first <= parent.start() && parent.end(leaves) <= last;
            prop_assert!(node.is_root(leaves) || !fits);
        }
        prop_assert_eq!(next, last);
        // By brute force: nodes inside the range whose parent is not.
        prop_assert!(subtree_count(first, last, leaves) <= 2 * 7);
    }
}

#[test]
fn the_order_of_a_sum_of_many_leaves() {
    let axis = ReducedAxis { origin: 0, extent: 20, global: 20 };
    let tree = TileTree::new(TreeRule::TINY, ALL, &[axis]);
    let roots = tree.fold(|r| format!("{}", r[0].start / 4), |a, b| format!("({a}{b})"));
    assert_eq!(roots, ["(((01)(23))4)"]);
    let tile = |origin, extent| {
        TileTree::new(TreeRule::TINY, ALL, &[ReducedAxis { origin, extent, global: 20 }])
            .fold(|r| format!("{}", (origin + r[0].start) / 4), |a, b| format!("({a}{b})"))
    };
    assert_eq!(tile(0, 12), ["(01)", "2"]);
    assert_eq!(tile(12, 8), ["3", "4"]);
    assert_eq!(tile(4, 4), ["1"]);
    assert_eq!(tile(8, 0), [""; 0]);
}

#[test]
fn slots_are_leaves_of_outer_axes_times_subtrees_of_the_cut_axis() {
    // Blocks of 1 and 4; outer axis leaves 1..3 of 3, inner axis leaves 0..3 of 4.
    let axes = [
        ReducedAxis { origin: 1, extent: 2, global: 3 },
        ReducedAxis { origin: 0, extent: 12, global: 13 },
    ];
    let tree = TileTree::new(TreeRule::TINY, BOTH, &axes);
    let name = |r: &[Range<usize>]| format!("{}{}", 1 + r[0].start, r[1].start / 4);
    let slots = tree.fold(name, |a, b| format!("({a} {b})"));
    assert_eq!(slots, ["(10 11)", "12", "(20 21)", "22"]);
    assert_eq!(tree.slots(), 4);
    assert!(!tree.is_whole());
}

#[test]
fn an_empty_domain_is_one_empty_leaf() {
    let axes = [
        ReducedAxis { origin: 0, extent: 3, global: 3 },
        ReducedAxis { origin: 0, extent: 0, global: 0 },
    ];
    let tree = TileTree::new(TreeRule::STANDARD, BOTH, &axes);
    assert!(tree.is_empty() && tree.is_whole());
    assert_eq!(tree.slots(), 1);
    let value = tree.fold(|r| tree.fold_leaf(r, 0.0, |_| f64::NAN, |a, b| a + b), |a, b| a + b);
    assert_eq!(value, [0.0]);
    let grid = GridTree::new(TreeRule::STANDARD, BOTH, &[3, 0], &[vec![0, 3], vec![0, 0, 0]]);
    assert_eq!(grid.fold(|tile, slot| (tile, slot), |a, _| a), Some((0, 0)));
}

#[test]
fn parts_of_an_empty_domain_are_the_whole() {
    let axes = [(3, 3), (0, 0)].map(|(extent, global)| ReducedAxis { origin: 0, extent, global });
    assert_eq!(joined_slots(TreeRule::STANDARD, BOTH, &axes, 1), [-0.0]);
}

#[test]
#[should_panic(expected = "part 4..7 of 9 is not cut at blocks of 4")]
fn parts_are_cut_at_blocks() {
    let axis = ReducedAxis { origin: 4, extent: 9, global: 13 };
    TileTree::new(TreeRule::TINY, ALL, &[axis]).part(4..7);
}

#[test]
#[should_panic(expected = "tile 0..3 of 8 is not cut at blocks of 4")]
fn tiles_are_cut_at_blocks() {
    let axis = ReducedAxis { origin: 0, extent: 3, global: 8 };
    TileTree::new(TreeRule::TINY, ALL, &[axis]);
}
