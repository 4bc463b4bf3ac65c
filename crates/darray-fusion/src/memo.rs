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
/// Most words of canonical forms kept, likewise: those of a few hundred windows of 1,024 tasks.
const MOST_WORDS: usize = 1 << 21;

/// Plans by canonical form and guards.
///
/// A hit compares the full canonical form, not the hash alone, and re-asks the guards; these are
/// skipped while the geometry's fingerprint is the one that was last accepted. One form can have
/// several plans, for sizes that answer differently.
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
    geometry: u64,
    plan: Arc<Plan>,
}

impl Memo {
    /// An empty memo for plans of these options.
    pub fn new(options: PlanOptions) -> Memo {
        let entries = HashTable::new();
        Memo { options, entries, words: 0, hits: 0, misses: 0, restarts: 0 }
    }

    /// The plan of a window, and whether it was known.
    pub fn plan(&mut self, window: &Window) -> (Arc<Plan>, bool) {
        let (hash, geometry) = (window.canonical_hash(), window.geometry_fingerprint());
        let known = self.entries.find_mut(hash, |e| {
            e.hash == hash
                && window.matches(&e.form)
                && (e.geometry == geometry || hold(&e.plan.guards, &Sizes::new(window)))
        });
        if let Some(entry) = known {
            entry.geometry = geometry;
            self.hits += 1;
            return (entry.plan.clone(), true);
        }
        self.misses += 1;
        let plan = Arc::new(planner::plan(window, &self.options));
        let form = window.canonical_form();
        if self.entries.len() >= CAPACITY || self.words + form.len() > MOST_WORDS {
            self.entries.clear();
            self.words = 0;
            self.restarts += 1;
        }
        self.words += form.len();
        let entry = Entry { hash, form, geometry, plan: plan.clone() };
        self.entries.insert_unique(hash, entry, |e| e.hash);
        (plan, false)
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
