//! What the planner may ask about sizes. Every answer is recorded with the plan as a guard.

use crate::constraint::Access;
use crate::constraint::use_index::UseIndex;
use crate::footprint::{Lifetimes, Looked};
use darray_core::Chart;
use darray_ir::{DomainId, MapId, StoreId, Window, geometry};
use hashbrown::HashMap;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

/// A question about sizes; equality of domains and of maps is not among them, since the window
/// numbers both by value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Does the map over the domain reach every element of the store?
    Covers(DomainId, MapId, StoreId),
    /// Are the two accesses of one store proven to share no element?
    Disjoint((DomainId, MapId), (DomainId, MapId)),
    /// Does the map reach no element twice?
    Injective(DomainId, MapId),
    /// Have the two stores one shape, all of which the map reaches over the domain?
    BothWhole(DomainId, MapId, StoreId, StoreId),
    /// Do both domains have as many rows, indices along axis 0, and elements?
    SameRows(DomainId, DomainId),
    /// Do the maps, both native and of one store, take an index along axis 0 to the same places: do the
    /// same dimensions move with it, from the same start in the same steps?
    SameSlabs(MapId, MapId),
    /// Does no use of this list, all of one store, conflict with an earlier one? One question where
    /// [`Disjoint`](Question::Disjoint) for every pair would be too many.
    Apart(Arc<[Access]>),
    /// Are all stores together so few bytes that no kernel holds too many?
    FewBytes,
    /// Of these nodes, does one kernel take so many, and no more, for the memory that it needs?
    Kept(Looked, u32),
    /// Has the domain elements, and are its rows, along the last axis, short for a nest of so many tasks?
    ShortRows(DomainId, u32),
    /// Has the domain elements, and have its rows, along the last axis, at most so many?
    RowsOf(DomainId, usize),
    /// Has the domain so few elements that how they are gone through makes no difference?
    FewElements(DomainId),
    /// Has the domain elements, and at most so many?
    AtMost(DomainId, usize),
    /// Does the map, native, take neighbours along the last of its axes to neighbours, in their order?
    Neighbours(MapId),
}

/// Elements of the longest rows that are short, times the tasks of the nest: of arrays that no cache holds, and of those that
/// have so few elements that one does.
const SHORT: usize = 2048;
const SHORT_NEAR: (usize, usize) = (8192, 1 << 18);

/// Elements that are no longer few.
const FEW: usize = 8192;

/// A question and the answer that a plan relies on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// What was asked.
    pub question: Question,
    /// What was answered.
    pub answer: bool,
}

/// Answers questions about sizes.
pub trait Facts {
    /// The answer.
    fn ask(&self, question: Question) -> bool;
}

/// What a window says of its sizes.
pub struct Sizes<'w> {
    window: &'w Window,
    lifetimes: OnceCell<Lifetimes>,
}

impl<'w> Sizes<'w> {
    /// Of a window whose live bits are set.
    pub fn new(window: &'w Window) -> Sizes<'w> {
        Sizes { window, lifetimes: OnceCell::new() }
    }

    /// When its stores are there.
    pub fn lifetimes(&self) -> &Lifetimes {
        self.lifetimes.get_or_init(|| Lifetimes::new(self.window))
    }
}

impl Facts for Sizes<'_> {
    fn ask(&self, question: Question) -> bool {
        match question {
            Question::FewBytes => self.lifetimes().are_few(),
            Question::Kept(looked, kept) => self.lifetimes().kept(self.window, &looked) == kept,
            other => self.window.ask(other),
        }
    }
}

impl Facts for Window {
    fn ask(&self, question: Question) -> bool {
        match question {
            Question::FewBytes | Question::Kept(..) => Sizes::new(self).ask(question),
            Question::ShortRows(domain, tasks) => {
                let size = self.domain(domain).size();
                let most = if size <= SHORT_NEAR.1 { SHORT_NEAR.0 } else { SHORT };
                let short = |&extent: &usize| extent.saturating_mul(tasks as usize) <= most;
                size > 0 && self.domain(domain).last().is_some_and(short)
            }
            Question::RowsOf(domain, most) => {
                let domain = self.domain(domain);
                domain.size() > 0 && domain.last().is_some_and(|&extent| extent <= most)
            }
            Question::FewElements(domain) => self.domain(domain).size() < FEW,
            Question::AtMost(domain, most) => (1..=most).contains(&self.domain(domain).size()),
            Question::Neighbours(map) => {
                let map = self.map(map);
                let moves = map.dims.iter().rev().find(|dim| dim.axis.is_some());
                map.chart != Chart::Native || moves.is_none_or(|dim| dim.step == 1)
            }
            Question::Apart(uses) => UseIndex::are_apart(self, &uses),
            Question::Covers(d, m, s) => {
                geometry::covers(self.map(m), self.domain(d), &self.store(s).shape)
            }
            Question::Disjoint((da, ma), (db, mb)) => {
                geometry::disjoint((self.map(ma), self.domain(da)), (self.map(mb), self.domain(db)))
            }
            Question::SameRows(a, b) => {
                let rows = |d| self.domain(d).first().filter(|_| self.domain(d).size() > 0);
                rows(a).is_some() && rows(a) == rows(b)
            }
            Question::SameSlabs(a, b) => {
                let moving = |m| {
                    let dims = self.map(m).dims.iter().enumerate();
                    dims.filter(|(_, dim)| dim.axis == Some(0))
                };
                moving(a).eq(moving(b))
            }
            Question::Injective(d, m) => geometry::injective(self.map(m), self.domain(d)),
            Question::BothWhole(d, m, a, b) => {
                let shape = &self.store(a).shape;
                *shape == self.store(b).shape
                    && geometry::covers(self.map(m), self.domain(d), shape)
            }
        }
    }
}

/// Facts that remember what was asked.
pub struct Recorder<'f> {
    facts: &'f dyn Facts,
    asked: RefCell<Asked>,
}

#[derive(Default)]
struct Asked {
    guards: Vec<Guard>,
    answers: HashMap<Question, bool>,
}

impl<'f> Recorder<'f> {
    /// Records the questions put to `facts`.
    pub fn new(facts: &'f dyn Facts) -> Recorder<'f> {
        Recorder { facts, asked: RefCell::default() }
    }

    /// Records further questions beside these that were asked.
    pub fn with(facts: &'f dyn Facts, guards: Vec<Guard>) -> Recorder<'f> {
        let answers = guards.iter().map(|guard| (guard.question.clone(), guard.answer)).collect();
        Recorder { facts, asked: RefCell::new(Asked { guards, answers }) }
    }

    /// The guards, in order of first asking, each once.
    pub fn into_guards(self) -> Vec<Guard> {
        self.asked.into_inner().guards
    }
}

impl Facts for Recorder<'_> {
    fn ask(&self, question: Question) -> bool {
        let asked = &mut *self.asked.borrow_mut();
        if let Some(&answer) = asked.answers.get(&question) {
            return answer;
        }
        let answer = self.facts.ask(question.clone());
        asked.guards.push(Guard { question: question.clone(), answer });
        asked.answers.insert(question, answer);
        answer
    }
}

/// Whether every guard still has its answer.
pub fn hold(guards: &[Guard], facts: &dyn Facts) -> bool {
    guards.iter().all(|g| facts.ask(g.question.clone()) == g.answer)
}

/// What launches take on the devices, in what the choice between orders goes by: bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Costs {
    /// Elements of the largest loop nests that are launched together, one behind the other; 0 where launches have several points,
    /// since a nest may use what another one gives to other points.
    pub small: usize,
    /// Bytes that could be moved while a kernel is launched.
    pub launch: u64,
    /// Bytes that could be moved while a further nest of a kernel begins.
    pub next_nest: u64,
}

impl Costs {
    /// Those of processors whose kernels have one nest.
    pub const CPU: Costs = Costs { small: 0, launch: 50_000, next_nest: 20_000 };
}
