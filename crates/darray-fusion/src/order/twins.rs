//! Stores that are updated in place, in two buffers.
//!
//! `u[1:-1] = f(u)` reads neighbours that it overwrites: the new values are stored elsewhere first and copied then, two kernels
//! that move four arrays. Where a window updates a store several times through one partition, it has a *twin*: a further store, to which all of it
//! is copied first, and then updates go to the twin and to the store in turn. Each reads one and writes the other, which one kernel does.
//!
//! ```text
//! program                          with a twin s4 of s0
//!                                  t6  s4 = s0
//! t0  s1[i0] = f s0[i0], s0[2 + i0]    t0  s1[i0] = f s0[i0], s0[2 + i0]     one kernel with t1
//! t1  s0[1 + i0] = s1[i0]          t1  s4[1 + i0] = s1[i0]
//! t2  s2[i0] = f s0[i0], s0[2 + i0]    t2  s2[i0] = f s4[i0], s4[2 + i0]     one kernel with t3
//! t3  s0[1 + i0] = s2[i0]          t3  s0[1 + i0] = s2[i0]
//! ```
//!
//! What updates do not reach is the same in both, since nothing else writes the store. The last of an odd number of updates goes to the
//! store that it reads, so that behind the window the store itself holds what was written last; its memory stays where it is.

use darray_ir::{IndexTask, Privilege, StoreId, TaskArg, Window};

/// The stores of a window that may have twins: updated by loops, at least twice, all through one partition, and read through
/// another one before an update.
pub(crate) fn of(window: &Window) -> Vec<StoreId> {
    #[derive(Clone, Default)]
    struct Seen {
        partition: Option<(u32, u32)>,
        updates: u32,
        is_read_otherwise: bool,
        is_read_before_update: bool,
        never: bool,
    }
    let mut seen = vec![Seen::default(); window.stores().len()];
    for task in window.tasks() {
        for arg in &task.args {
            let seen = &mut seen[arg.store.0 as usize];
            let partition = (task.domain.0, arg.map.0);
            match arg.privilege {
                _ if !task.is_nest() => seen.never = true,
                Privilege::Write => {
                    seen.never |= *seen.partition.get_or_insert(partition) != partition;
                    seen.updates += 1;
                }
                Privilege::Read => {}
                Privilege::ReadWrite | Privilege::Reduce(_) => seen.never = true,
            }
        }
    }
    for task in window.tasks() {
        for arg in &task.args {
            let seen = &mut seen[arg.store.0 as usize];
            match arg.privilege {
                Privilege::Read => {
                    let partition = Some((task.domain.0, arg.map.0));
                    seen.is_read_otherwise |= partition != seen.partition;
                }
                _ => seen.is_read_before_update |= seen.is_read_otherwise,
            }
        }
    }
    let stores = seen.iter().zip(window.stores()).enumerate();
    let may = stores.filter(|(_, (seen, store))| {
        !seen.never && seen.updates >= 2 && seen.is_read_before_update && store.initialised
    });
    may.map(|(number, _)| StoreId(number as u32)).collect()
}

/// Gives stores of a window twins, and has its tasks use them. The copies stand behind all other tasks, one a store, and are to run first.
pub(crate) fn give(window: &mut Window, stores: &[StoreId]) {
    for &store in stores {
        let writes = |task: &IndexTask| {
            task.args.iter().any(|arg| arg.store == store && arg.privilege == Privilege::Write)
        };
        let tasks = window.tasks().len() as u32;
        let first = window.tasks().iter().position(writes).unwrap_or(0) as u32;
        let updates = window.tasks().iter().filter(|task| writes(task)).count() / 2 * 2;
        let twin = window.add_copy(store);
        let mut update = 0;
        for number in 0..tasks {
            let task = &window.tasks()[number as usize];
            let next = update + usize::from(writes(task));
            let is_twin = |arg: &TaskArg| {
                let version = if arg.privilege == Privilege::Read { update } else { next };
                arg.store == store && version.min(updates) % 2 == 1
            };
            let args = task.args.iter().enumerate();
            let moved: Vec<usize> =
                args.filter(|(_, arg)| is_twin(arg)).map(|(argument, _)| argument).collect();
            moved.into_iter().for_each(|argument| window.rename(number, argument, twin));
            update = next;
        }
        window.push_copy(store, twin, first);
    }
}
