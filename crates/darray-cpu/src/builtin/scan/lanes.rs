//! The loops of running folds over lanes.

use darray_core::RealType;
use darray_kernel::for_each_fold;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;

/// Lanes, or blocks of one lane, whose chains of dependent operations overlap in time.
pub(super) const JAM: usize = 8;

/// Elements by index along the scanned axis and by lane; steps in bytes.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub pointer: *mut u8,
    pub along: i64,
    pub across: i64,
}

/// Some lanes and some blocks of them.
pub(super) struct Job {
    /// The result.
    pub out: Grid,
    /// The input; for `carry` and `add` the carries, by block instead of by index.
    pub from: Grid,
    /// Indices, from the beginning of a block.
    pub n: usize,
    /// Indices per block.
    pub block: usize,
    pub lanes: usize,
    /// Whether there is no carry into the first block.
    pub first: bool,
}

/// The parts of a scan for one reducer and element type; see [`darray_kernel::scan`].
///
/// All take grids that are valid for the job, aligned, and disjoint.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub whole: unsafe fn(&Job),
    pub blocks: unsafe fn(&Job),
    pub carry: unsafe fn(&Job),
    pub add: unsafe fn(&Job),
    /// See [`Join::WAITS`].
    pub waits: bool,
}

impl Lanes {
    /// The loops of a reducer that has scans; none for other reducers and types.
    pub fn find(reducer: Reducer, dtype: RealType) -> Option<Lanes> {
        find(reducer, dtype)
    }
}

/// A reducer of one element type.
trait Join {
    type T: Copy + Default;
    /// Whether one has to wait for the one before longer than for memory: chains had better be side by side. Sums of integers
    /// have not, and are the same in any order.
    const WAITS: bool;
    fn join(a: Self::T, b: Self::T) -> Self::T;
}

impl Grid {
    fn at<T>(&self, index: usize, lane: usize) -> *mut T {
        let offset = index as i64 * self.along + lane as i64 * self.across;
        self.pointer.wrapping_offset(offset as isize).cast()
    }

    fn from(&self, index: usize, lane: usize) -> Grid {
        Grid { pointer: self.at(index, lane), ..*self }
    }
}

impl Job {
    fn count(&self) -> usize {
        self.n.div_ceil(self.block)
    }

    fn range(&self, block: usize) -> std::ops::Range<usize> {
        let start = block * self.block;
        start..(start + self.block).min(self.n)
    }

    /// Whether lanes are neighbours in memory on both sides.
    fn near<T>(&self) -> bool {
        let size = size_of::<T>() as i64;
        self.lanes > 1 && self.out.across == size && self.from.across == size
    }

    /// How many blocks of a single lane are jammed from this one on: all of them full.
    fn jammed_blocks(&self, block: usize) -> Option<[Grid; 2]> {
        let full = self.lanes == 1 && self.range(block + JAM - 1).len() == self.block;
        let turned = |grid: &Grid| {
            let across = grid.along * self.block as i64;
            Grid { across, ..grid.from(block * self.block, 0) }
        };
        (block + JAM <= self.count() && full).then(|| [turned(&self.from), turned(&self.out)])
    }
}

/// # Safety
/// See [`Lanes`]; so for the functions below.
unsafe fn whole<R: Join>(job: &Job) {
    // What does not wait has the same bits in any order: all of it is one block.
    let job = &Job { block: if R::WAITS { job.block } else { job.n.max(1) }, ..*job };
    let mut carry: Vec<R::T> = vec![R::T::default(); job.lanes.max(JAM)];
    let mut totals = carry.clone();
    let (mut first, mut block) = (true, 0);
    // SAFETY: blocks of the job.
    unsafe {
        while block < job.count() {
            if let Some([from, out]) = job.jammed_blocks(block) {
                segment::<R>(from, out, job.block, JAM, None, &mut totals);
                for (lane, &total) in totals[..JAM].iter().enumerate() {
                    if first {
                        carry[0] = total;
                    } else {
                        join_row::<R>(carry[0], out.from(0, lane), job.block);
                        carry[0] = R::join(carry[0], total);
                    }
                    first = false;
                }
                block += JAM;
                continue;
            }
            let range = job.range(block);
            let (from, out) = (job.from.from(range.start, 0), job.out.from(range.start, 0));
            let before = if first { None } else { Some(&carry[..]) };
            segment::<R>(from, out, range.len(), job.lanes, before, &mut totals);
            for (carry, &total) in carry.iter_mut().zip(&totals).take(job.lanes) {
                *carry = if first { total } else { R::join(*carry, total) };
            }
            first = false;
            block += 1;
        }
    }
}

unsafe fn blocks<R: Join>(job: &Job) {
    let mut totals = vec![R::T::default(); job.lanes.max(JAM)];
    let mut block = 0;
    // SAFETY: blocks of the job.
    unsafe {
        while block < job.count() {
            if let Some([from, out]) = job.jammed_blocks(block) {
                segment::<R>(from, out, job.block, JAM, None, &mut totals);
                block += JAM;
                continue;
            }
            let range = job.range(block);
            let (from, out) = (job.from.from(range.start, 0), job.out.from(range.start, 0));
            segment::<R>(from, out, range.len(), job.lanes, None, &mut totals);
            block += 1;
        }
    }
}

unsafe fn carry<R: Join>(job: &Job) {
    for block in 0..job.count() {
        let end = job.range(block).end - 1;
        for lane in 0..job.lanes {
            let carry = |block: usize| job.from.at::<R::T>(block, lane);
            // SAFETY: ends of the job's blocks, and as many carries and one.
            unsafe {
                let total = job.out.at::<R::T>(end, lane).read();
                let next = if block == 0 && job.first {
                    total
                } else {
                    R::join(carry(block).read(), total)
                };
                carry(block + 1).write(next);
            }
        }
    }
}

unsafe fn add<R: Join>(job: &Job) {
    let near = job.near::<R::T>();
    for block in usize::from(job.first)..job.count() {
        let range = job.range(block);
        // SAFETY: elements of the job's blocks, and their carries.
        unsafe {
            if near {
                let carries = job.from.at::<R::T>(block, 0);
                for index in range {
                    let row = job.out.at::<R::T>(index, 0);
                    for lane in 0..job.lanes {
                        *row.add(lane) = R::join(*carries.add(lane), *row.add(lane));
                    }
                }
                continue;
            }
            for lane in 0..job.lanes {
                let carry = job.from.at::<R::T>(block, lane).read();
                join_row::<R>(carry, job.out.from(range.start, lane), range.len());
            }
        }
    }
}

/// `out = carry . out` for `n` elements along the axis.
unsafe fn join_row<R: Join>(carry: R::T, out: Grid, n: usize) {
    // SAFETY: the caller's contract; neighbours form a slice.
    unsafe {
        if out.along == size_of::<R::T>() as i64 {
            let row = std::slice::from_raw_parts_mut(out.pointer.cast::<R::T>(), n);
            return row.iter_mut().for_each(|value| *value = R::join(carry, *value));
        }
        for index in 0..n {
            let value = out.at::<R::T>(index, 0);
            value.write(R::join(carry, value.read()));
        }
    }
}

/// One block of each lane: folds it into `totals`, and writes the steps, after `carry` where there is
/// one.
unsafe fn segment<R: Join>(
    from: Grid,
    out: Grid,
    n: usize,
    lanes: usize,
    carry: Option<&[R::T]>,
    totals: &mut [R::T],
) {
    let size = size_of::<R::T>() as i64;
    // SAFETY: the caller's contract.
    unsafe {
        if lanes > 1 && from.across == size && out.across == size {
            return near::<R>(from, out, n, lanes, carry, totals);
        }
        let mut lane = 0;
        while lane < lanes {
            let (f, o) = (from.from(0, lane), out.from(0, lane));
            let before = carry.map(|carry| &carry[lane..]);
            if from.along == size && out.along == size {
                let jam = if R::WAITS { JAM.min(lanes - lane) } else { 1 };
                rows::<R>(f, o, n, before, &mut totals[lane..lane + jam]);
                lane += jam;
                continue;
            }
            if lane + JAM <= lanes {
                chains::<R, JAM>(f, o, n, before, &mut totals[lane..]);
                lane += JAM;
            } else {
                chains::<R, 1>(f, o, n, before, &mut totals[lane..]);
                lane += 1;
            }
        }
    }
}

/// Lanes that are neighbours in memory.
unsafe fn near<R: Join>(
    from: Grid,
    out: Grid,
    n: usize,
    lanes: usize,
    carry: Option<&[R::T]>,
    totals: &mut [R::T],
) {
    let totals = &mut totals[..lanes];
    for index in 0..n {
        // SAFETY: rows of `lanes` elements, apart from each other.
        let (row, to) = unsafe {
            let row = std::slice::from_raw_parts(from.at::<R::T>(index, 0).cast_const(), lanes);
            (row, std::slice::from_raw_parts_mut(out.at::<R::T>(index, 0), lanes))
        };
        if index == 0 {
            totals.copy_from_slice(row);
        } else {
            totals.iter_mut().zip(row).for_each(|(sum, &value)| *sum = R::join(*sum, value));
        }
        match carry {
            None => to.copy_from_slice(totals),
            Some(carry) => {
                let sums = carry.iter().zip(totals.iter());
                to.iter_mut().zip(sums).for_each(|(to, (&c, &sum))| *to = R::join(c, sum));
            }
        }
    }
}

/// Lanes whose elements lie side by side, whole lines of one after those of another: lanes are often a multiple of 4 KiB apart,
/// and the first-level cache has room for the lines of a few such. The processor begins the next lane's chain while it
/// waits for this one's.
unsafe fn rows<R: Join>(
    from: Grid,
    out: Grid,
    n: usize,
    carry: Option<&[R::T]>,
    totals: &mut [R::T],
) {
    let piece = if totals.len() == 1 { n } else { PIECE };
    for start in (0..n).step_by(piece) {
        let length = piece.min(n - start);
        for (lane, total) in totals.iter_mut().enumerate() {
            // SAFETY: elements of the lane; the output is apart from the input.
            let (row, to) = unsafe {
                let row = from.at::<R::T>(start, lane).cast_const();
                let row = std::slice::from_raw_parts(row, length);
                (row, std::slice::from_raw_parts_mut(out.at::<R::T>(start, lane), length))
            };
            let carry = carry.map(|carry| carry[lane]);
            let after_carry = |sum| carry.map_or(sum, |carry| R::join(carry, sum));
            let mut sum = if start == 0 { row[0] } else { R::join(*total, row[0]) };
            to[0] = after_carry(sum);
            for (to, &value) in to[1..].iter_mut().zip(&row[1..]) {
                sum = R::join(sum, value);
                *to = after_carry(sum);
            }
            *total = sum;
        }
    }
}

/// Elements of a lane that come before those of the next one.
const PIECE: usize = 16;

/// `N` lanes at any distance, their sums in registers.
unsafe fn chains<R: Join, const N: usize>(
    from: Grid,
    out: Grid,
    n: usize,
    carry: Option<&[R::T]>,
    totals: &mut [R::T],
) {
    // SAFETY: `n` elements, at least one, of `N` lanes.
    unsafe {
        let mut sums: [R::T; N] = std::array::from_fn(|lane| from.at::<R::T>(0, lane).read());
        let carry: Option<[R::T; N]> = carry.map(|carry| std::array::from_fn(|lane| carry[lane]));
        for index in 0..n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                if index > 0 {
                    *sum = R::join(*sum, from.at::<R::T>(index, lane).read());
                }
                let value = match carry {
                    Some(carry) => R::join(carry[lane], *sum),
                    None => *sum,
                };
                out.at::<R::T>(index, lane).write(value);
            }
        }
        totals[..N].copy_from_slice(&sums);
    }
}

/// One arm per row of the reducer table: those that have scans become loops, the rest nothing.
macro_rules! define_scans {
    (@row $reducer:ident, $dtype:ident,
        ($which:ident, [running $operator:ident], $t:ident, $identity:expr, $join:path)) => {
        if $reducer == Reducer::$which
            && $dtype == <$t as darray_kernel::element::Element>::DTYPE
        {
            struct Row;
            impl Join for Row {
                type T = $t;
                // All but sums of integers.
                const WAITS: bool = !matches!(Operator::$operator, Operator::Add)
                    || <$t as darray_kernel::element::Element>::DTYPE.is_float();
                #[inline(always)]
                fn join(a: $t, b: $t) -> $t {
                    $join(a, b)
                }
            }
            return Some(Lanes {
                whole: whole::<Row>,
                blocks: blocks::<Row>,
                carry: carry::<Row>,
                add: add::<Row>,
                waits: Row::WAITS,
            });
        }
    };
    (@row $reducer:ident, $dtype:ident, $other:tt) => {};
    ($($row:tt)*) => {
        fn find(reducer: Reducer, dtype: RealType) -> Option<Lanes> {
            $(define_scans!(@row reducer, dtype, $row);)*
            None
        }
    };
}

for_each_fold! { define_scans }
