//! A schedule as text: what people and tests look at.
//!
//! ```text
//! rows i0 < 1000; vectors along i1 < 1000; whole rows in machine code; prefetch a0; non-temporal a2
//! points along i0 < 300; fold i1 < 2000 over lanes: 32 lanes, leaves of 1024, 16 points together, in machine code
//! ```

use super::loops::WHOLE;
use super::summary::bit;
use super::{Body, FoldSchedule, Over, Schedule};
use darray_codegen::StrideClass;
use darray_codegen::bind::Loop;
use std::fmt;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        if !self.rows.is_empty() {
            parts.push(format!("rows {}", loops(&self.rows)));
        }
        if self.vector.extent > 1 {
            let what = if self.fold.is_some() { "points" } else { "vectors" };
            parts.push(format!("{what} along {}", loops(&[self.vector])));
        }
        match self.body {
            Body::Empty => {}
            Body::Rows => parts.push("whole rows in machine code".into()),
            Body::Interleaved(_) => parts.push("interleaved in registers".into()),
            Body::Blocks => parts.push(format!("blocks of {}", self.block)),
        }
        if self.tile != WHOLE {
            let (rows, columns) = self.tile;
            let side = |n: usize| if n == usize::MAX { "all".into() } else { n.to_string() };
            parts.push(format!("tiles of {} x {}", side(rows), side(columns)));
        }
        let of_class = |wanted: StrideClass| {
            let classes = self.layout.classes.iter().enumerate();
            let of_it = classes.filter(|&(_, &class)| class == wanted);
            of_it.fold(0, |all, (access, _)| all | bit(access))
        };
        let packed = self.packed.iter().fold(0, |all, one| all | bit(one.access));
        let sets = [
            ("transposed", packed),
            ("reversed", of_class(StrideClass::Backward)),
            ("gathered", of_class(StrideClass::Strided)),
            ("non-temporal", self.non_temporal.accesses()),
            ("prefetch", self.traffic.prefetched),
        ];
        for (what, accesses) in sets.into_iter().filter(|&(_, accesses)| accesses != 0) {
            let names =
                (0..64).filter(|bit| accesses >> bit & 1 == 1).map(|bit| format!(" a{bit}"));
            parts.push(format!("{what}{}", names.collect::<String>()));
        }
        if let Some(fold) = &self.fold {
            parts.push(fold.text(self.block));
        }
        f.write_str(&parts.join("; "))
    }
}

impl FoldSchedule {
    /// The text, of blocks of so many points.
    fn text(&self, block: usize) -> String {
        let FoldSchedule { lanes, leaf, step_leaves, .. } = *self;
        let mut text = format!("fold {} over ", loops(&self.loops));
        let (points, lanes) = match self.over {
            Over::PointsAtOnce => return text + "points, each at once, in machine code",
            Over::BoolColumns => return text + "bytes of columns, in any order",
            Over::AnyOrder => return text + "elements, in any order",
            Over::Lanes => (self.walk_points, format!("lanes: {lanes} lanes")),
            Over::Points if lanes == 1 => (block, "points: one lane".into()),
            Over::Points => (block, format!("points: {lanes} lanes")),
        };
        text += &format!("{lanes}, leaves of {leaf}");
        match step_leaves {
            1 => {}
            usize::MAX => text += ", all of them a step",
            rows if self.row_leaves > 1 => {
                text += &format!(", {rows} rows of {} a step", self.row_leaves);
            }
            leaves => text += &format!(", {leaves} a step"),
        }
        if points > 1 {
            text += &format!(", {points} points together");
        }
        let by_function = self.function_steps.is_some();
        text + if by_function { ", in machine code" } else { ", by loops" }
    }
}

fn loops(all: &[Loop]) -> String {
    let one = |around: &Loop| format!("i{} < {}", around.axis, around.extent);
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}
