//! Memoisation of plans by canonical form.

use crate::facts::{Sizes, hold};
use crate::plan::{Plan, PlanOptions};
use crate::planner;
use darray_ir::Window;
use darray_ir::window::CanonicalForm;
use hashbrown::HashTable;
use std::sync::Arc;

/// Most plans kept; past it the memo starts afresh, so that a program whose windows never repeat
/// does not fill memory.
const CAPACITY: usize = 4096;
/// Most words of canonical forms and sizes kept, likewise: those of a few hundred windows of 1,024 tasks.
const MOST_WORDS: usize = 1 << 21;

/// Plans by canonical form and guards.
///
/// A hit compares the full canonical form, not the hash alone, and re-asks the guards; these are
/// skipped while all sizes are those that were last accepted. One form can have several plans, for
/// sizes that answer differently.
pub struct Memo {
    options: PlanOptions,
    entries: HashTable<Entry>,
    words: usize,
    hits: u64,
    misses: u64,
    restarts: u64,
}

struct Entry {
    hash: u64,
    form: CanonicalForm,
    /// The [sizes](Window::sizes) that were accepted last.
    sizes: Box<[u64]>,
    plan: Arc<Plan>,
}

/// The plan of a window, and what of it was known.
#[derive(Clone, Debug)]
pub struct Found {
    /// The plan.
    pub plan: Arc<Plan>,
    /// Whether it was known.
    pub hit: bool,
    /// Whether it was known, and found last for a window with the same sizes.
    pub same_sizes: bool,
}

/// Whether a plan serves a window of its canonical form, with other sizes perhaps.
fn still_holds(plan: &Plan, window: &Window) -> bool {
    let Some(order) = &plan.order else { return hold(&plan.guards, &Sizes::new(window)) };
    order.is_sound(window) && hold(&plan.guards, &Sizes::new(&order.applied(window)))
}

impl Memo {
    /// An empty memo for plans of these options.
    pub fn new(options: PlanOptions) -> Memo {
        let entries = HashTable::new();
        Memo { options, entries, words: 0, hits: 0, misses: 0, restarts: 0 }
    }

    /// The plan of a window.
    pub fn plan(&mut self, window: &Window) -> Found {
        let (hash, sizes) = (window.canonical_hash(), window.sizes());
        let is_of_form = |e: &Entry| {
            let order = e.plan.order.as_ref();
            e.hash == hash && window.matches(&e.form) && order.is_none_or(|o| o.equals.hold(window))
        };
        // There may be plans for many sizes: that for these is asked nothing.
        let same = self.entries.find(hash, |e| *e.sizes == *sizes && is_of_form(e));
        if let Some(entry) = same {
            self.hits += 1;
            return Found { plan: entry.plan.clone(), hit: true, same_sizes: true };
        }
        let other = |e: &Entry| *e.sizes != *sizes && is_of_form(e) && still_holds(&e.plan, window);
        if let Some(entry) = self.entries.find_mut(hash, |e| other(e)) {
            entry.sizes.copy_from_slice(sizes);
            self.hits += 1;
            return Found { plan: entry.plan.clone(), hit: true, same_sizes: false };
        }
        self.misses += 1;
        let plan = Arc::new(planner::plan(window, &self.options));
        let form = window.canonical_form();
        let words = form.len() + sizes.len();
        if self.entries.len() >= CAPACITY || self.words + words > MOST_WORDS {
            self.entries.clear();
            self.words = 0;
            self.restarts += 1;
        }
        self.words += words;
        let entry = Entry { hash, form, sizes: sizes.into(), plan: plan.clone() };
        self.entries.insert_unique(hash, entry, |e| e.hash);
        Found { plan, hit: false, same_sizes: false }
    }

    /// The options of its plans.
    pub fn options(&self) -> &PlanOptions {
        &self.options
    }

    /// Windows whose plan was known.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Windows that were planned.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// How often it started afresh: plans from before are not known any more.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Plans kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no plan is kept.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
