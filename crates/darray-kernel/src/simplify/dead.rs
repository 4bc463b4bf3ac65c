//! Drops what reaches no store and no yield.

use crate::ir::{Kernel, Op, Region, Value};
use hashbrown::HashSet;

/// Drops unused values, unused folds, and loops that are left empty. A fold that stores keeps one
/// item, as every fold has one.
pub(super) fn drop_dead(kernel: &mut Kernel) {
    sweep(&mut kernel.body, &mut HashSet::new());
}

/// Goes through a region backwards; `used` are the values used after it.
fn sweep(region: &mut Region, used: &mut HashSet<Value>) {
    region.ops.reverse();
    region.ops.retain_mut(|op| keep(op, used));
    region.ops.reverse();
}

fn keep(op: &mut Op, used: &mut HashSet<Value>) -> bool {
    let kept = match op {
        Op::Store { .. } | Op::Yield { .. } => true,
        Op::For { body } => {
            sweep(body, used);
            !body.ops.is_empty()
        }
        Op::Fold { body, folds, .. } => {
            let stores = body.ops.iter().any(|op| matches!(op, Op::Store { .. }));
            let first = folds.first().cloned();
            folds
                .retain(|f| used.contains(&f.result) || f.index.is_some_and(|i| used.contains(&i)));
            if folds.is_empty() && stores {
                folds.extend(first);
            }
            used.extend(folds.iter().map(|f| f.value));
            if !folds.is_empty() {
                sweep(body, used);
            }
            !folds.is_empty()
        }
        _ => op.results().iter().any(|r| used.contains(r)),
    };
    if kept {
        used.extend(op.operands());
    }
    kept
}
