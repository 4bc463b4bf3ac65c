//! Sums of a matrix by hand, in the order of darray's additions: what that order allows.
//!
//! ```text
//! columns             leaves of 8 rows, all rows of a line of points before the next line
//! rows of a.t()       leaves of 32 lanes, every 32nd row each: 4 rows at once
//! columns of a.t()    leaves of 8 elements of 8 rows, transposed in registers
//! ```

/// The sums along an axis of a matrix with so many rows and columns.
pub type Sum = fn(&[f64], [usize; 2]) -> Vec<f64>;

/// Those there are, by the names of the same sums in the bench `folds`: none without AVX-512. Rows and columns are multiples of 8,
/// at most 8192, and of a thousand rows at least 32 remain.
///
/// ```
/// use darray_benches::by_hand;
/// let a: Vec<f64> = (0..64 * 16).map(f64::from).collect();
/// let ones = vec![1.0; 64 * 16];
/// for (name, sum) in by_hand::sums() {
///     let points = if name == "columns of a.t()" { 64 } else { 16 };
///     assert_eq!(sum(&ones, [64, 16]), vec![1024.0 / points as f64; points], "{name}");
///     assert_eq!(sum(&a, [64, 16]).iter().sum::<f64>(), 1023.0 * 512.0);
/// }
/// ```
pub fn sums() -> Vec<(&'static str, Sum)> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return vec![
            ("columns", x86::columns),
            ("rows of a.t()", x86::rows_of_transposed),
            ("columns of a.t()", x86::columns_of_transposed),
        ];
    }
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// Elements of a line of the cache, rows of a leaf without lanes, and of one with lanes.
    const LINE: usize = 8;
    const LEAF: usize = 8;
    const LANES: usize = 32;
    const LEAF_OF_LANES: usize = 1024;
    /// Points that are combined at once, and rows that are read at once where they are lanes.
    const PIECE: usize = 128;
    const ROWS: usize = 4;
    /// How far ahead lines are prefetched, in elements.
    const PREFETCH_DISTANCE: usize = 9 * LINE;

    /// Values that wait in an aligned binary tree: as many vectors as the number of those before has ones.
    struct Stack {
        values: Vec<f64>,
        width: usize,
    }

    /// With space for so many points in each vector.
    fn stack(points: usize) -> Stack {
        Stack { values: vec![0.0; 14 * (points + LINE)], width: points + LINE }
    }

    impl Stack {
        /// Points of the vector at a position.
        fn at(&mut self, position: usize, point: usize) -> *mut f64 {
            self.values[position * self.width + point..].as_mut_ptr()
        }

        /// `n` points of value number `number` are there: combines them with those that wait for them.
        ///
        /// # Safety
        /// The machine has AVX-512; so many points are in each vector, in whole lines.
        #[target_feature(enable = "avx512f")]
        unsafe fn combine(&mut self, number: usize, point: usize, n: usize) {
            let last = number.count_ones() as usize;
            for k in 0..number.trailing_ones() as usize {
                let (to, from) = (self.at(last - k - 1, point), self.at(last - k, point));
                // SAFETY: the caller's contract.
                unsafe { add_rows(from, 0, 1, to, n) };
            }
        }

        /// The combination of all of so many values.
        ///
        /// # Safety
        /// As for [`combine`](Self::combine).
        #[target_feature(enable = "avx512f")]
        unsafe fn finish(mut self, count: usize) -> Vec<f64> {
            let points = self.width - LINE;
            for k in (1..count.count_ones() as usize).rev() {
                let (to, from) = (self.at(k - 1, 0), self.at(k, 0));
                // SAFETY: the caller's contract.
                unsafe { add_rows(from, 0, 1, to, points) };
            }
            self.values.truncate(points);
            self.values
        }
    }

    /// Adds so many rows, which lie `step` elements apart, to `n` points, all rows of a line before the next line.
    ///
    /// # Safety
    /// There are so many rows and points, in whole lines.
    #[target_feature(enable = "avx512f")]
    unsafe fn add_rows(from: *const f64, step: usize, rows: usize, to: *mut f64, n: usize) {
        // SAFETY: lines below `n`; a prefetch is a hint and never faults.
        unsafe {
            for line in (0..n).step_by(LINE) {
                let mut sum = _mm512_loadu_pd(to.add(line));
                let mut row = from.add(line);
                for _ in 0..rows {
                    _mm_prefetch::<_MM_HINT_T1>(row.wrapping_add(PREFETCH_DISTANCE).cast());
                    sum = _mm512_add_pd(sum, _mm512_loadu_pd(row));
                    row = row.wrapping_add(step);
                }
                _mm512_storeu_pd(to.add(line), sum);
            }
        }
    }

    fn check(a: &[f64], [rows, columns]: [usize; 2]) {
        let whole = |extent: usize| extent.is_multiple_of(LINE) && (LINE..=8192).contains(&extent);
        assert!(whole(rows) && whole(columns) && a.len() == rows * columns);
    }

    pub fn columns(a: &[f64], shape: [usize; 2]) -> Vec<f64> {
        check(a, shape);
        let ([rows, columns], mut stack) = (shape, stack(shape[1]));
        for leaf in 0..rows / LEAF {
            for point in (0..columns).step_by(PIECE) {
                let n = PIECE.min(columns - point);
                let sums = stack.at(leaf.count_ones() as usize, point);
                let from = a[leaf * LEAF * columns + point..].as_ptr();
                // SAFETY: `sums` said that there is AVX-512; rows of a leaf and points are in whole lines.
                unsafe {
                    std::slice::from_raw_parts_mut(sums, n).fill(-0.0);
                    add_rows(from, columns, LEAF, sums, n);
                    stack.combine(leaf, point, n);
                }
            }
        }
        // SAFETY: as above.
        unsafe { stack.finish(rows / LEAF) }
    }

    pub fn rows_of_transposed(a: &[f64], shape: [usize; 2]) -> Vec<f64> {
        check(a, shape);
        let ([rows, columns], mut stack, mut lanes) = (shape, stack(shape[1]), stack(shape[1]));
        for leaf in 0..rows.div_ceil(LEAF_OF_LANES) {
            let first = leaf * LEAF_OF_LANES;
            let count = LEAF_OF_LANES.min(rows - first);
            assert!(count >= LANES, "every lane has rows");
            for number in 0..LANES {
                // Lanes l and l + 16 are combined first.
                let lane = usize::from((number as u8).reverse_bits() >> 3);
                let sums = lanes.at(number.count_ones() as usize, 0);
                let own = (count - lane).div_ceil(LANES);
                // SAFETY: `sums` said that there is AVX-512; rows of a lane and points are in whole lines.
                unsafe {
                    std::slice::from_raw_parts_mut(sums, columns).fill(-0.0);
                    for row in (0..own).step_by(ROWS) {
                        let from = a[(first + lane + row * LANES) * columns..].as_ptr();
                        add_rows(from, LANES * columns, ROWS.min(own - row), sums, columns);
                    }
                    lanes.combine(number, 0, columns);
                }
            }
            // SAFETY: vectors of so many points; the rest as above.
            unsafe {
                let to = stack.at(leaf.count_ones() as usize, 0);
                lanes.at(0, 0).copy_to_nonoverlapping(to, columns);
                stack.combine(leaf, 0, columns);
            }
        }
        // SAFETY: as above.
        unsafe { stack.finish(rows.div_ceil(LEAF_OF_LANES)) }
    }

    pub fn columns_of_transposed(a: &[f64], shape: [usize; 2]) -> Vec<f64> {
        check(a, shape);
        let [rows, columns] = shape;
        let mut sums = vec![0.0; rows];
        for (from, to) in a.chunks(LEAF * columns).zip(sums.chunks_mut(LEAF)) {
            // SAFETY: `sums` said that there is AVX-512; eight rows of whole lines, and eight sums.
            unsafe { eight_points(from.as_ptr(), columns, to.as_mut_ptr()) };
        }
        sums
    }

    /// The sums of eight rows of `n` elements.
    ///
    /// # Safety
    /// They are there, in whole lines, and there is space for the sums.
    #[target_feature(enable = "avx512f")]
    unsafe fn eight_points(from: *const f64, n: usize, to: *mut f64) {
        let mut pending = [_mm512_setzero_pd(); 14];
        let mut depth = 0;
        for leaf in 0..n / LEAF {
            // SAFETY: a block inside the rows.
            let mut sum = unsafe { sum_of_block(from.add(leaf * LEAF), n) };
            for _ in 0..leaf.trailing_ones() {
                depth -= 1;
                sum = _mm512_add_pd(pending[depth], sum);
            }
            pending[depth] = sum;
            depth += 1;
        }
        let waits = pending[..depth].iter().rev().copied();
        let sum = waits.reduce(|sum, earlier| _mm512_add_pd(earlier, sum)).expect("a leaf");
        // SAFETY: the caller's contract.
        unsafe { _mm512_storeu_pd(to, sum) };
    }

    /// The sums of the rows of a block of eight by eight, `step` elements apart.
    ///
    /// # Safety
    /// The rows are there.
    #[target_feature(enable = "avx512f")]
    unsafe fn sum_of_block(from: *const f64, step: usize) -> __m512d {
        // SAFETY: the caller's contract; a prefetch is a hint and never faults.
        unsafe {
            let pair = |row: usize, k: usize| _mm_loadu_pd(from.add(row * step + k));
            // Two elements of each of four rows.
            let pairs = |row: usize, k: usize| {
                let mut all = _mm512_castpd128_pd512(pair(row, k));
                let [second, third, fourth] = [2, 4, 6].map(|next| pair(row + next, k));
                all = with_pair::<0x0c>(all, second);
                all = with_pair::<0x30>(all, third);
                with_pair::<0xc0>(all, fourth)
            };
            for row in 0..LEAF {
                _mm_prefetch::<_MM_HINT_T1>(
                    from.wrapping_add(row * step + PREFETCH_DISTANCE).cast(),
                );
            }
            let mut sum = _mm512_set1_pd(-0.0);
            for k in (0..LEAF).step_by(2) {
                let (even, odd) = (pairs(0, k), pairs(1, k));
                sum = _mm512_add_pd(sum, _mm512_unpacklo_pd(even, odd));
                sum = _mm512_add_pd(sum, _mm512_unpackhi_pd(even, odd));
            }
            sum
        }
    }

    /// Two elements to the lanes of a mask.
    #[target_feature(enable = "avx512f")]
    fn with_pair<const LANES: u8>(to: __m512d, pair: __m128d) -> __m512d {
        let pair = _mm512_castpd128_pd512(pair);
        _mm512_mask_shuffle_f64x2::<0>(to, LANES, pair, pair)
    }
}
