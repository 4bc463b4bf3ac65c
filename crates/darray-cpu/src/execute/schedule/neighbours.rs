//! Which accesses of a nest read rows that others read a few elements further along.

use super::summary::Summary;
use crate::jit::{Neighbour, Neighbours, Target};
use crate::vector::LINE;
use darray_kernel::ir::Role;
use smallvec::SmallVec;

/// Those among some accesses, of which elements lie side by side along long rows. Those that prefetch, as bits, go on doing it.
pub(super) fn neighbours(
    summary: &Summary<'_>,
    along_rows: &[u16],
    prefetching: u64,
) -> Neighbours {
    let mut found = Neighbours::default();
    let nest = summary.nest;
    if !nest.target.is_some_and(Target::shares_loads) {
        return found;
    }
    let buffer = |access: usize| nest.accesses[access].buffer;
    let offset = |access: usize| summary.offsets[access];
    let is_read = |&access: &usize| {
        let of_nest = &nest.accesses[access];
        // Such code is for lanes of 4 and 8 bytes, and has numbers of one byte.
        of_nest.role == Role::Read && of_nest.size >= 4 && access <= u8::MAX.into()
    };
    let read = along_rows.iter().map(|&access| usize::from(access)).filter(is_read);
    let mut read: SmallVec<[usize; 8]> = read.collect();
    read.sort_by_key(|&access| (buffer(access), -offset(access)));
    let mut firsts: SmallVec<[usize; 8]> = SmallVec::new();
    for access in read {
        let size = summary.size(access) as i64;
        let behind = |first: usize| {
            let of = |access: usize| (buffer(access), nest.accesses[access].phase);
            let is_equal = of(first) == of(access)
                && summary.strides_of_access(first).eq(summary.strides_of_access(access));
            let bytes = offset(first) - offset(access);
            let elements = bytes / size;
            // The longest vector is a line.
            let is_near = bytes % size == 0 && (1..LINE as i64 / size).contains(&elements);
            (is_equal && is_near).then_some(elements as u8)
        };
        let first = firsts.iter().find_map(|&first| Some((first as u8, behind(first)?)));
        match first {
            Some((first, behind)) if prefetching & super::summary::bit(access) == 0 => {
                found.add(Neighbour { access: access as u8, first, behind });
            }
            _ => firsts.push(access),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::execute::bind::Streaming;
    use crate::execute::bind::bind;
    use crate::execute::code::MOST_PATTERNS;
    use crate::execute::testing::{Array, with_bound, with_launches};
    use crate::jit::Target;
    use crate::level::Level;
    use std::sync::Arc;

    /// The neighbours, what they are behind, and by how much, among accesses at these rows and columns of a matrix, that go
    /// through so many columns by that `step`; the third one is of another buffer where that is said.
    fn found(
        at: [(usize, usize); 3],
        columns: usize,
        step: &str,
        other: bool,
    ) -> Vec<(u8, u8, u8)> {
        let load = |k: usize, (row, column): (usize, usize)| {
            let buffer = if other && k == 2 { 2 } else { 0 };
            format!("%{k} = load b{buffer}[p{} + 1*i0, p{} + {step}*i1]", row + 2, column + 2)
        };
        let loads: Vec<String> = at.into_iter().enumerate().map(|(k, at)| load(k, at)).collect();
        let text = format!(
            "kernel params=20 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias b2: f64 rank 2 read noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=0,
                     i1: extent=p1 origin=p2 global=p1 logical=1) {{
                 {} %3 = add.f64 %0 %1 %4 = add.f64 %3 %2 store b1[p2 + 1*i0, p2 + 1*i1] %4 }} }}",
            loads.join(" ")
        );
        let array = |block| Array { block, offset: 0, strides: &[1000, 1] };
        let mut params = vec![8, columns];
        params.extend(0..18);
        let target = Target::of(Level::detect());
        with_bound(&text, &[array(0), array(1), array(2)], &params, target, usize::MAX, |bound| {
            let all = bound.schedule.traffic.neighbours;
            all.iter().map(|one| (one.access, one.first, one.behind)).collect()
        })
    }

    /// Places that change with every launch get the same code after a while.
    #[test]
    fn there_is_code_for_a_few_patterns() {
        let text = "kernel params=4 scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
            { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %0 = load b0[p2 + 1*i0] %1 = load b0[p3 + 1*i0] %2 = sub.f64 %0 %1 store b1[p1 + 1*i0] %2 } }";
        let array = |block| Array { block, offset: 0, strides: &[1] };
        let arrays = [array(0), array(1)];
        // One element apart, two, .. seven, and the other way round.
        let apart = |k: usize| if k < 7 { [0, k + 1] } else { [k - 6, 0] };
        let params: Vec<_> = (0..14).map(|k| [100, 0, apart(k)[0], apart(k)[1]]).collect();
        let launches: Vec<_> = params.iter().map(|params| (&arrays[..], &params[..])).collect();
        let target = Target::of(Level::detect());
        with_launches(text, &launches, target, |compiled, launches, _| {
            let mut codes = Vec::new();
            for arguments in launches {
                let bound = bind(compiled, 0, arguments, Streaming::from(usize::MAX));
                let code = bound.unwrap().unwrap().binding.specialised.clone();
                if !codes.iter().any(|known| Arc::ptr_eq(known, &code)) {
                    codes.push(code);
                }
            }
            let shares = target.is_some_and(Target::shares_loads);
            assert_eq!(codes.len(), if shares { MOST_PATTERNS + 1 } else { 1 });
        });
    }

    #[test]
    fn rows_that_several_accesses_read_are_found() {
        if !Target::of(Level::detect()).is_some_and(Target::shares_loads) {
            eprintln!("this machine has no code that shares loads");
            return;
        }
        let row = [(1, 1), (1, 2), (1, 0)];
        assert_eq!(found(row, 100, "1", false), [(0, 1, 1), (2, 1, 2)], "three of a row");
        assert_eq!(found([(1, 1), (0, 1), (2, 1)], 100, "1", false), [], "one of each row");
        assert_eq!(found([(1, 1), (0, 1), (1, 3)], 100, "1", false), [(0, 2, 2)], "two of a row");
        assert_eq!(found(row, 100, "1", true), [(0, 1, 1)], "one is of another array");
        assert_eq!(
            found([(1, 0), (1, 7), (1, 8)], 100, "1", false),
            [(1, 2, 1)],
            "a vector is as long"
        );
        assert_eq!(found(row, 100, "p4", false), [], "elements are not side by side");
        assert_eq!(found(row, 31, "1", false), [], "rows are short");
    }
}
