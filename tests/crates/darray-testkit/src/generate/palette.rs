//! The shapes that the arrays of a program have.

use crate::random::Random;

/// How large arrays are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// For tiny blocks: up to some hundred elements.
    Small,
    /// For real ones: several blocks of executors and of reductions.
    Large,
    /// For memory: most arrays have about a megabyte.
    Megabytes,
}

impl Scale {
    /// Most elements of an array.
    pub fn most_elements(self) -> usize {
        match self {
            Scale::Small => 260,
            Scale::Large => 9000,
            Scale::Megabytes => 300_000,
        }
    }

    /// What extents are drawn from.
    fn extents(self, rank: usize) -> &'static [usize] {
        match (self, rank) {
            (Scale::Small, 1) => &[1, 2, 5, 8, 9, 16, 33, 70],
            (Scale::Small, 2) => &[1, 2, 3, 5, 6, 8, 9, 13],
            (Scale::Small, _) => &[1, 2, 3, 4, 5],
            (Scale::Large, 1) => &[200, 700, 1024, 1500, 3001, 5000],
            (Scale::Large, 2) => &[3, 17, 40, 66, 90],
            (Scale::Large, _) => &[3, 9, 20],
            (Scale::Megabytes, 1) => &[100_000, 131_072, 250_000],
            (Scale::Megabytes, 2) => &[32, 300, 400, 1000],
            (Scale::Megabytes, _) => &[40, 50, 64],
        }
    }
}

/// The shapes of one program: a main one, its parts, 1 in places, padded; and now and then empty.
pub fn palette(random: &mut Random, scale: Scale) -> Vec<Vec<usize>> {
    let rank = random.pick(&[1, 1, 2, 2, 2, 2, 3]);
    let extents = scale.extents(rank);
    let mut main: Vec<usize> = (0..rank).map(|_| random.pick(extents)).collect();
    if random.chance(4) {
        let axis = random.below(rank);
        main[axis] = 0;
    }
    if rank == 2 && random.chance(40) {
        main[1] = main[0];
    }
    // Many short rows have code of their own.
    if rank == 2 && scale == Scale::Large && random.chance(25) {
        main = vec![random.pick(&[64, 130, 300]), random.pick(&[2, 5, 8, 20, 31])];
    }
    let mut palette = vec![main.clone(), main.clone(), main.clone()];
    palette.push(main.iter().map(|n| n + 2).collect());
    palette.push(main[1..].to_vec());
    let mut thin = main.clone();
    let axis = random.below(rank);
    thin[axis] = 1;
    palette.push(thin);
    palette.push(Vec::new());
    if random.chance(30) {
        palette.push(vec![random.pick(extents)]);
    }
    palette.retain(|shape| shape.iter().product::<usize>() <= scale.most_elements());
    if palette.is_empty() { vec![vec![4]] } else { palette }
}
