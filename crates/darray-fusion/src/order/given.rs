//! Tasks that a window is given, beside those of the program.

use crate::order::equal::Equals;
use crate::order::inline::Inlined;
use crate::order::twins::{self, Twin};
use darray_ir::Window;
use smallvec::SmallVec;
use std::borrow::Cow;

/// The tasks of a window that was given some: these have the numbers behind those of the program. Empty for one that was given none.
#[derive(Clone, Default)]
pub(crate) struct Given {
    /// The numbers of the tasks, in the order in which each finds what it finds in the program.
    pub(crate) tasks: Vec<u32>,
    /// Of what was given, the task of the program behind which it stands; none before all of them.
    pub(crate) behind: Vec<Option<u32>>,
}

impl Given {
    /// Tasks of the program.
    pub(crate) fn program(&self) -> usize {
        self.tasks.len() - self.behind.len()
    }

    /// The same with further tasks, each behind that of so many which stands at a place, or before all of them.
    pub(crate) fn with(&self, count: usize, behind: &[Option<u32>]) -> Given {
        let own: Cow<'_, [u32]> = match self.tasks.is_empty() {
            true => (0..count as u32).collect::<Vec<u32>>().into(),
            false => (&self.tasks[..]).into(),
        };
        let program = count - self.behind.len();
        let further = || (count as u32..).zip(behind);
        let mut tasks: Vec<u32> = further().filter(|f| f.1.is_none()).map(|f| f.0).collect();
        let mut after: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); count];
        for (task, behind) in further() {
            behind.iter().for_each(|&place| after[place as usize].push(task));
        }
        for (&task, after) in own.iter().zip(after) {
            tasks.push(task);
            tasks.extend(after);
        }
        let in_program = |place: u32| match own[place as usize] as usize {
            task if task < program => Some(task as u32),
            given => self.behind[given - program],
        };
        let further = behind.iter().map(|behind| behind.and_then(in_program));
        Given { tasks, behind: self.behind.iter().copied().chain(further).collect() }
    }

    /// Where the tasks with these numbers stand.
    pub(crate) fn turned<'t>(&self, tasks: &'t [u32]) -> Cow<'t, [u32]> {
        if self.tasks.is_empty() {
            return tasks.into();
        }
        let mut stands = vec![0; self.tasks.len()];
        (0..).zip(&self.tasks).for_each(|(at, &number)| stands[number as usize] = at);
        // What a window is given later has the numbers behind those.
        let at = |&task: &u32| stands.get(task as usize).copied().unwrap_or(task);
        tasks.iter().map(at).collect::<Vec<u32>>().into()
    }
}

/// A window some of whose tasks read other stores, or that was given tasks.
pub(crate) struct Rewritten<'w> {
    pub(crate) window: Cow<'w, Window>,
    pub(crate) given: Given,
}

impl<'w> Rewritten<'w> {
    /// A window whose tasks read what is computed once.
    pub(crate) fn new(window: &'w Window, equals: &Equals) -> Rewritten<'w> {
        let mut window = Cow::Borrowed(window);
        if !equals.is_empty() {
            equals.apply(window.to_mut());
        }
        Rewritten { window, given: Given::default() }
    }

    /// The same with what is computed again where it is read through other maps.
    pub(crate) fn inlined(self, inlined: &Inlined) -> Rewritten<'w> {
        self.with(&inlined.behind(), |window| inlined.give(window))
    }

    /// The same with what copies to second buffers.
    pub(crate) fn with_twins(self, twins: &[Twin]) -> Rewritten<'w> {
        let behind: Vec<Option<u32>> = twins.iter().flat_map(Twin::behind).collect();
        self.with(&behind, |window| twins::give(window, twins))
    }

    fn with(mut self, behind: &[Option<u32>], give: impl FnOnce(&mut Window)) -> Rewritten<'w> {
        let count = self.window.tasks().len();
        let window = self.window.to_mut();
        give(window);
        let places = Given::default().with(count, behind);
        window.reorder(&places.tasks);
        let is_first = self.given.tasks.is_empty();
        let given = if is_first { places } else { self.given.with(count, behind) };
        Rewritten { given, ..self }
    }
}
