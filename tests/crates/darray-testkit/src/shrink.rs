//! Smaller programs that still fail.

use crate::oracle::Oracle;
use crate::program::{Expression, Name, Program, Statement};

/// The smallest program found for which `fails` still holds.
///
/// Statements are removed with everything that needs what they define, and values are replaced by
/// fresh data of the same shape and type. Only valid programs are tried.
pub fn shrink(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let before = best.clone();
        let mut size = best.statements.len().div_ceil(2);
        while size > 0 {
            remove(&mut best, size, &mut fails);
            size /= 2;
        }
        for at in 0..best.statements.len() {
            let candidate = cut(&best, at);
            accept(&mut best, candidate, &mut fails);
        }
        if best == before {
            return best;
        }
    }
}

/// Tries to remove runs of `size` statements, the last first.
fn remove(best: &mut Program, size: usize, fails: &mut impl FnMut(&Program) -> bool) {
    let mut at = best.statements.len();
    while at > 0 {
        let from = at.saturating_sub(size);
        accept(best, Some(without(best, from, at)), fails);
        at = from.min(best.statements.len());
    }
}

fn accept(
    best: &mut Program,
    candidate: Option<Program>,
    fails: &mut impl FnMut(&Program) -> bool,
) {
    if let Some(candidate) = candidate
        && !candidate.statements.is_empty()
        && Oracle::run(&candidate).is_ok()
        && fails(&candidate)
    {
        *best = candidate;
    }
}

/// The program with fresh data where statement `at` computes something.
fn cut(program: &Program, at: usize) -> Option<Program> {
    let Statement::Let { name, .. } = program.statements[at] else { return None };
    if program.statements[at].uses().is_empty() {
        return None;
    }
    let mut oracle = Oracle::default();
    for statement in &program.statements[..=at] {
        oracle.execute(statement).ok()?;
    }
    let (shape, dtype) = oracle.look(name)?;
    let mut program = program.clone();
    let value = Expression::Data { shape: shape.to_vec(), dtype, seed: 1 };
    program.statements[at] = Statement::Let { name, value };
    Some(program)
}

/// The program without the statements `from..to` and what depends on them.
fn without(program: &Program, from: usize, to: usize) -> Program {
    let mut gone: Vec<Name> = Vec::new();
    let mut statements = Vec::new();
    for (at, statement) in program.statements.iter().enumerate() {
        let orphan = statement.uses().iter().any(|name| gone.contains(name));
        if !orphan && !(from..to).contains(&at) {
            statements.push(statement.clone());
        } else if let Statement::Let { name, .. } = statement {
            gone.push(*name);
        }
    }
    Program { statements }
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use crate::program::{Expression, Program, Statement, Unary};
    use crate::{Scale, generate};

    #[test]
    fn a_failing_program_shrinks_to_what_makes_it_fail() {
        let has_root = |program: &Program| {
            program.statements.iter().any(|statement| {
                let Statement::Let { value, .. } = statement else { return false };
                matches!(
                    value,
                    Expression::Unary { operator: Unary::Apply(darray::Unary::Sqrt), .. }
                )
            })
        };
        let failing = (0..).map(|seed| generate(seed, Scale::Small)).filter(has_root).take(20);
        let longest = failing.map(|p| shrink(&p, has_root).statements.len()).max();
        assert!(longest <= Some(3), "{longest:?}");
    }
}
