//! Arrays that whoever reads them computes for itself.
//!
//! `g = f[1:] - f[:-1]` reads `f` through other maps than the one through which it is written, so `f` is another kernel's, and stored. Where it
//! is made element by element of arrays that nobody changes in between, each reader may compute what it reads: the tasks that make it are there
//! again over the reader's domain, *inlined*, and read what they read by way of the reader's map. What nobody reads otherwise is not stored.
//!
//! ```text
//! program                              with s1 inlined
//! t0  s1[i0] = cast s0[i0]             t2  s3[i0] = cast s0[1 + i0]      one kernel
//! t1  s2[i0] = s1[1 + i0] - s1[i0]     t3  s4[i0] = cast s0[i0]
//!                                      t1  s2[i0] = s3[i0] - s4[i0]
//! ```
//!
//! An array is inlined with what it is made of through its own partition: what one kernel would compute. What is computed again costs time, what is
//! neither stored nor read saves it: [`Price`]. Random numbers are draws by their number, so any map reads them; what is made of indices is stored.

mod search;

use darray_core::{Map, Scalar};
use darray_ir::{DomainId, MapId, StoreId, TaskArg, TaskArgs, TaskOp, Window};
pub(crate) use search::of;
use smallvec::SmallVec;

/// What of a window is computed again where it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inlined {
    copies: Vec<Copied>,
    /// Further maps, in the order of their numbers, and what code depends on of each, which follows from sizes: whether axes have one index, and whether
    /// summands of linear maps meet in steps of one.
    maps: Vec<(Made, u64)>,
    /// Arguments that are what a copy gives: task, with the copies' numbers behind the program's, argument, copy.
    redirected: Vec<(u32, u32, u32)>,
}

/// A task that is there again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Copied {
    /// The task of the program.
    task: u32,
    /// The task of the program before which it stands.
    before: u32,
    /// Where it is computed: the reader's domain, and the map through which that read the array.
    domain: DomainId,
    through: MapId,
    /// Through which it writes what it gives, and through which it reads.
    output: MapId,
    inputs: SmallVec<[MapId; 3]>,
}

/// How a map is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    Identity(DomainId),
    /// A map by way of another one over a domain.
    Composed(MapId, MapId, DomainId),
}

impl Made {
    fn map<'m>(self, window: &Window, map: impl Fn(MapId) -> &'m Map) -> Map {
        match self {
            Made::Identity(domain) => Map::identity(window.domain(domain)),
            Made::Composed(outer, inner, domain) => {
                map(outer).compose(&map(inner).dims, window.domain(domain))
            }
        }
    }
}

/// What inlining costs and saves, in bytes that are moved or could be meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Price {
    pub(crate) computing: u64,
    pub(crate) saved: u64,
}

impl Inlined {
    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// How many tasks are there again.
    pub fn len(&self) -> usize {
        self.copies.len()
    }

    /// The tasks that are there again, in order, each once.
    pub fn tasks(&self) -> Vec<u32> {
        let mut tasks: Vec<u32> = self.copies.iter().map(|copy| copy.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }

    /// Of each copy, the task behind which it stands.
    pub(crate) fn behind(&self) -> Vec<Option<u32>> {
        self.copies.iter().map(|copy| copy.before.checked_sub(1)).collect()
    }

    /// Has tasks of a window read what copies give, which stand behind all others.
    pub(crate) fn give(&self, window: &mut Window) {
        for (made, _) in &self.maps {
            let map = made.map(window, |map| window.map(map));
            window.add_map(map);
        }
        let mut given: Vec<StoreId> = Vec::with_capacity(self.copies.len());
        for copy in &self.copies {
            let task = &window.tasks()[copy.task as usize];
            let (output, inputs) = (task.args[0], task.args[1..].iter().zip(&copy.inputs));
            let inputs: SmallVec<[TaskArg; 4]> =
                inputs.map(|(arg, &map)| TaskArg { map, ..*arg }).collect();
            let scalars = match task.op {
                TaskOp::Random { .. } => {
                    let rank = window.domain(copy.domain).rank();
                    draws(&task.scalars, window.map(copy.through), rank)
                }
                _ => task.scalars.clone(),
            };
            let dtype = window.store(output.store).dtype;
            let shape = window.domain(copy.domain).clone();
            let store = window.add_temporary(dtype, shape);
            let output = TaskArg { store, map: copy.output, ..output };
            let args: TaskArgs = std::iter::once(output).chain(inputs).collect();
            window.push_like(copy.task, copy.domain, args, scalars);
            given.push(store);
        }
        for &(task, argument, copy) in &self.redirected {
            let read = (given[copy as usize], self.copies[copy as usize].output);
            window.redirect(task, argument as usize, read);
        }
    }
}

/// The scalars of random numbers read through a map over a domain of this rank: the first draw's number, and how far it moves along each axis.
fn draws(scalars: &[Scalar], through: &Map, rank: usize) -> SmallVec<[Scalar; 2]> {
    let number = |scalar: &Scalar| scalar.bits() as i64;
    let (key, (first, strides)) = (&scalars[..4], (number(&scalars[4]), &scalars[5..]));
    let mut moved = vec![0i64; rank];
    let mut first = first;
    for (stride, dim) in strides.iter().map(number).zip(&through.dims) {
        first = first.wrapping_add(stride.wrapping_mul(dim.start));
        if let Some(axis) = dim.axis {
            let moved = &mut moved[axis as usize];
            *moved = moved.wrapping_add(stride.wrapping_mul(dim.step));
        }
    }
    let numbers = std::iter::once(first).chain(moved).map(Scalar::from);
    key.iter().copied().chain(numbers).collect()
}
