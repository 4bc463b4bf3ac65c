//! The page `docs/fusion.md`: what fuses in every program, beside the papers.

use super::{Steady, Unfused, size};
use crate::bench::report::{Counts, bytes, count};
use darray::{Grouping, Result};
use darray_programs::Program;
use std::fmt::Write;

/// What the page has of a program.
struct Row {
    program: Program,
    n: usize,
    unfused: Unfused,
    /// By prefix and by graph: on one device and on four.
    steady: [[Steady; 2]; 2],
}

impl Row {
    fn of(program: Program) -> Result<Row> {
        let n = size::of(program)?;
        let iters = program.defaults().1;
        let steady = |grouping, devices| Steady::of(program, n, iters, (devices, grouping));
        let both = |grouping| Ok([steady(grouping, 1)?, steady(grouping, 4)?]);
        let unfused = Unfused::of(program, n)?;
        Ok(Row { program, n, unfused, steady: [both(Grouping::Prefix)?, both(Grouping::Graph)?] })
    }

    /// Fused by graph on four devices.
    fn on_four(&self) -> &Steady {
        &self.steady[1][1]
    }
}

/// The page.
pub fn text() -> Result<String> {
    let rows: Vec<Row> = Program::ALL.into_iter().map(Row::of).collect::<Result<_>>()?;
    let mut text = HEAD.to_string();
    for row in &rows {
        let [prefix, graph] = &row.steady;
        let fused = |steady: &Steady| count(steady.counts.fused_tasks);
        let cells = [
            format!("`{}`", row.program.name()),
            row.n.to_string(),
            count(graph[0].counts.tasks),
            fused(&prefix[0]),
            fused(&graph[0]),
            fused(&prefix[1]),
            fused(&graph[1]),
            count(prefix[0].counts.kernels),
            count(graph[0].counts.kernels),
            bytes(row.unfused.bytes),
            bytes(prefix[0].bytes.round() as u64),
            bytes(graph[0].bytes.round() as u64),
            bytes(row.unfused.least),
        ];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text.push_str(PAPERS);
    for (title, tasks, fused, window, names) in FIGURE_13 {
        let named = |name: &&str| rows.iter().find(|row| row.program.name() == *name);
        let found = names.iter().find_map(named);
        let none = || ["none", "", "", ""].map(String::from);
        let here = found.map_or_else(none, |row| {
            let steady = row.on_four();
            let name = format!("`{}`", row.program.name());
            let Counts { tasks, fused_tasks, .. } = steady.counts;
            [name, count(tasks), count(fused_tasks), count(steady.window())]
        });
        let _ = writeln!(text, "| {title} | {tasks} | {fused} | {window} | {} |", here.join(" | "));
    }
    Ok(text)
}

/// Diffuse, figure 13: programs, tasks of an iteration, fused ones, and tasks of a window; and which program is the same here.
const FIGURE_13: [(&str, f64, f64, usize, &[&str]); 8] = [
    ("Black-Scholes", 67.0, 1.0, 70, &["black_scholes"]),
    ("Jacobi", 3.0, 2.0, 5, &["jacobi"]),
    ("CG", 12.1, 4.1, 10, &["cg"]),
    ("CGS", 21.1, 6.1, 15, &["cgs"]),
    ("BiCGSTAB", 27.1, 8.1, 15, &["bicgstab"]),
    ("geometric multigrid", 24.1, 11.1, 15, &["multigrid", "gmg"]),
    ("CFD", 378.0, 40.7, 30, &["channel_flow6"]),
    ("TorchSWE, shallow water", 276.5, 152.8, 30, &["shallow_water", "swe", "torchswe"]),
];

const HEAD: &str = "# What fuses

Written by `darray-cli stats --all --page`; a test compares. Nothing here depends on how fast a machine is or on its cores. \
`darray-cli stats PROGRAM` has the same for other sizes, numbers of devices and ways to group, `darray-cli explain PROGRAM` one window and \
why each kernel ends where it ends.

A *task* is an operation on whole arrays. A *fused task* is tasks of which each device runs its part without looking at the others. *Kernels* are \
launches on one device: loop nests and builtins. All are counted per iteration, in a loop whose windows have plans. *Prefix* \
groups tasks that follow each other in the program, as the papers do, *graph* what the dependences let stand together \
([decision 60](decisions/0060-tasks-are-put-in-order.md)). Bytes are what kernels read and write by their plans: \
*unfused* if each task is a kernel, *least* if an iteration reads once what was there before it and writes once what lives on, with nothing \
between. `n` is such that the tasks of an iteration hold 4 MiB one by one, about.

command: `darray-cli stats --all --page`

| program | n | tasks | fused on 1 device, prefix | graph | on 4, prefix | graph | kernels, prefix | graph | bytes unfused | prefix | graph | least |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

const PAPERS: &str = "
Fused may be less than least where kernels go across iterations.

## Beside Diffuse

Figure 13 of Yadav et al., \"Composing Distributed Computations Through Task and Kernel Fusion\" (2025), has tasks per iteration there; here by graph on four devices. \
The programs are not the same: what is one task there may be several here, or none.

command: `darray-cli stats --all --page`

| program | tasks there | fused | window | here | tasks | fused | window |
|---|---|---|---|---|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::text;
    use expect_test::expect_file;

    /// `UPDATE_EXPECT=1` writes the page anew.
    #[test]
    fn the_page_is_the_text() {
        let text = text().expect("every program runs");
        expect_file!["../../../../docs/fusion.md"].assert_eq(&text);
    }
}
