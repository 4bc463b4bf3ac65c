//! Work that reaches the same bytes, at least once to write them, without one part waiting for the
//! other: found under every schedule, whichever ran first.
//!
//! Every stream has a clock: for each stream the last of its operations that are known to come
//! before. Waits for events, and the host where it waits, carry clocks on. Each byte of an
//! allocation, and of pinned memory, knows its last writer and its readers since; an access that does
//! not come behind them is a race. The nodes of a launch of a graph have a clock each: they know what came
//! before the launch and the nodes that they come behind. Accesses of the host to pinned memory are not
//! seen.

use super::Driver;
use super::code::Code;
use super::graph::{describe, lane};
use super::heap;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// For each stream the last of its operations that come before.
pub type Clock = BTreeMap<u64, u64>;

/// Bytes that an operation has reached, and whether it wrote them.
#[derive(Debug, Default)]
pub struct Touched {
    reads: Vec<Range<u64>>,
    writes: Vec<Range<u64>>,
}

/// What is known of the order of work.
#[derive(Debug, Default)]
pub struct Races {
    clocks: HashMap<u64, Clock>,
    host: Clock,
    /// By the first byte: bytes that have the same history.
    histories: BTreeMap<u64, History>,
    /// What the operation that runs has reached.
    pub touched: RefCell<Touched>,
}

/// Who reached bytes.
#[derive(Clone, Debug)]
struct History {
    end: u64,
    writer: Option<Stamp>,
    readers: Vec<Stamp>,
}

/// An operation.
#[derive(Clone, Debug)]
struct Stamp {
    stream: u64,
    count: u64,
    what: Arc<str>,
}

impl Touched {
    /// Notes an access.
    pub fn note(&mut self, start: u64, bytes: u64, writes: bool) {
        let ranges = if writes { &mut self.writes } else { &mut self.reads };
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end += bytes,
            Some(last) if last.start <= start && start + bytes <= last.end => {}
            _ => ranges.push(start..start + bytes),
        }
    }

    /// The ranges in order, those that touch as one.
    fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
        ranges.sort_unstable_by_key(|range| range.start);
        let mut merged: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }
}

/// What comes before either comes before both.
pub fn join(clock: &mut Clock, other: &Clock) {
    for (stream, count) in other {
        let known = clock.entry(*stream).or_default();
        *known = (*known).max(*count);
    }
}

impl Races {
    /// What the host knows to be done when it submits work.
    pub fn submitted(&self) -> Clock {
        self.host.clone()
    }

    /// The host has waited for all work of a stream.
    pub fn waited_for(&mut self, stream: u64) {
        if let Some(clock) = self.clocks.get(&stream) {
            join(&mut self.host, clock);
        }
    }

    /// The host has waited for an event.
    pub fn waited(&mut self, clock: &Clock) {
        join(&mut self.host, clock);
    }

    /// The clock of a stream.
    pub fn clock(&mut self, stream: u64) -> &mut Clock {
        self.clocks.entry(stream).or_default()
    }

    /// Enters what an operation of a stream has reached.
    ///
    /// Errors: with whom it races, and for which bytes.
    pub fn enter(&mut self, stream: u64, what: &str) -> Result<(), String> {
        let clock = self.clocks.entry(stream).or_default();
        let count = *clock.entry(stream).and_modify(|count| *count += 1).or_insert(1);
        let clock = clock.clone();
        let stamp = Stamp { stream, count, what: what.into() };
        let Touched { reads, writes } = self.touched.take();
        for (ranges, writes) in [(reads, false), (writes, true)] {
            for range in Touched::merged(ranges) {
                self.reach(range, writes, &stamp, &clock)?;
            }
        }
        Ok(())
    }

    fn reach(
        &mut self,
        range: Range<u64>,
        writes: bool,
        stamp: &Stamp,
        clock: &Clock,
    ) -> Result<(), String> {
        self.split(range.start);
        self.split(range.end);
        let mut at = range.start;
        let known: Vec<u64> =
            self.histories.range(range.clone()).map(|(start, _)| *start).collect();
        for start in known {
            self.fill_gap(at, start, writes, stamp);
            let Some(history) = self.histories.get_mut(&start) else { continue };
            let before =
                |other: &Stamp| clock.get(&other.stream).is_some_and(|count| other.count <= *count);
            let readers = history.readers.iter().filter(|_| writes).map(|r| (r, "reads"));
            let others = history.writer.iter().map(|w| (w, "writes")).chain(readers);
            if let Some((other, does)) = others.into_iter().find(|(other, _)| !before(other)) {
                let verb = if writes { "writes" } else { "reads" };
                return Err(format!(
                    "race: {} {verb} {} bytes at {start:#x} that {} {does}, and neither waits for \
                     the other",
                    stamp.what,
                    history.end.min(range.end) - start,
                    other.what
                ));
            }
            match writes {
                true => {
                    history.writer = Some(stamp.clone());
                    history.readers.clear();
                }
                false => {
                    history.readers.retain(|reader| reader.stream != stamp.stream);
                    history.readers.push(stamp.clone());
                }
            }
            at = history.end;
        }
        self.fill_gap(at, range.end, writes, stamp);
        Ok(())
    }

    /// Bytes that nobody has reached so far.
    fn fill_gap(&mut self, start: u64, end: u64, writes: bool, stamp: &Stamp) {
        if start < end {
            let (writer, readers) = match writes {
                true => (Some(stamp.clone()), Vec::new()),
                false => (None, vec![stamp.clone()]),
            };
            self.histories.insert(start, History { end, writer, readers });
        }
    }

    /// Parts the bytes around a place.
    fn split(&mut self, at: u64) {
        let Some((_, history)) = self.histories.range_mut(..at).next_back() else { return };
        if history.end > at {
            let rest = history.clone();
            history.end = at;
            self.histories.insert(at, rest);
        }
    }

    /// Forgets bytes that are freed.
    pub fn forget(&mut self, range: Range<u64>) {
        self.split(range.start);
        self.split(range.end);
        let gone: Vec<u64> = self.histories.range(range).map(|(start, _)| *start).collect();
        for start in gone {
            self.histories.remove(&start);
        }
    }
}

impl Driver {
    /// Notes that the operation that runs reaches bytes.
    pub fn note(&self, address: u64, bytes: u64, writes: bool) {
        let watched = || heap::owner(address).is_some() || self.is_pinned(address, bytes);
        if self.config.races && watched() {
            self.races.touched.borrow_mut().note(address, bytes, writes);
        }
    }

    /// The clock of a stream before an operation that was submitted with what the host knew.
    pub fn begin(&mut self, stream: u64, known: &Clock) {
        if !self.config.races {
            return;
        }
        use super::stream::Kind;
        let Some(found) = self.streams.get(&stream) else { return };
        let device = found.device;
        let with = |kind: Kind| match found.kind {
            Kind::Legacy => kind == Kind::Blocking,
            Kind::Blocking => kind == Kind::Legacy,
            Kind::NonBlocking => false,
        };
        let ordered: Vec<u64> = self
            .streams
            .iter()
            .filter(|(_, other)| other.device == device && with(other.kind))
            .map(|(handle, _)| *handle)
            .collect();
        for other in ordered {
            let clock = self.races.clock(other).clone();
            join(self.races.clock(stream), &clock);
        }
        join(self.races.clock(stream), known);
        self.races.touched.take();
    }

    /// The clock of a node of a launch in a stream, behind other nodes of it.
    pub fn begin_node(&mut self, stream: u64, node: usize, after: &[usize]) {
        if !self.config.races {
            return;
        }
        for before in after.iter().map(|before| lane(stream, *before)).chain([stream]) {
            let clock = self.races.clock(before).clone();
            join(self.races.clock(lane(stream, node)), &clock);
        }
    }

    /// What comes behind a launch in a stream comes behind all of its nodes.
    pub fn end_graph(&mut self, stream: u64, nodes: usize) {
        if !self.config.races {
            return;
        }
        for node in 0..nodes {
            let clock = self.races.clock(lane(stream, node)).clone();
            join(self.races.clock(stream), &clock);
        }
    }

    /// Looks whether what an operation has reached races with earlier work.
    pub fn end(&mut self, stream: u64, device: usize, what: &str) {
        if !self.config.races {
            return;
        }
        let what = format!("{what} of {}", describe(stream));
        if let Err(race) = self.races.enter(stream, &what) {
            self.break_device(device, Code::LAUNCH_FAILED, race);
        }
    }
}
