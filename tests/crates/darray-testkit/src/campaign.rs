//! Many random programs under many configurations of the runtime.

use crate::oracle::Oracle;
use crate::program::{Program, Statement};
use crate::run::{Found, admitted, run, same};
use crate::{Random, Scale, generate, shrink};
use darray::testing::Testing;
use darray::{Runtime, RuntimeBuilder};
use darray_core::settings::{CpuLevel, Mode};
use darray_device::{GraphStats, RowStats};
use darray_fusion::plan::{Level, Rule};
use darray_kernel::tree::TreeRule;
use darray_runtime::WaitKind;
use darray_testdevices::ReferenceDevice;
use std::any::Any;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// How a program is run. The result must not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    /// Position in [`Mode::ALL`].
    pub mode: usize,
    /// Tasks of a window; 0 for the adaptive one.
    pub window: usize,
    /// Logical CPU devices.
    pub devices: usize,
    /// Whether points are laid along two axes: half as many as devices (at least one) along the
    /// first, two along the second.
    pub two_axes: bool,
}

/// What a campaign does beside its programs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How large arrays are.
    pub scale: Scale,
    /// The block sizes of the reference and of every configuration.
    pub tree_rule: TreeRule,
    /// Configurations that each program runs under, beside the reference.
    pub configurations: usize,
    /// Whether the oracle is asked too.
    pub oracle: bool,
    /// What is different in the configurations, but not in the reference.
    pub trial: Trial,
    /// What the reference runs on, and the configurations of ordinary trials.
    pub backend: Backend,
    /// Whether a runtime serves many programs (and so its memo) or one.
    pub reuse: bool,
}

/// What runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The CPU devices.
    Cpu,
    /// The scalar interpreter that defines what kernels mean.
    Interpreter,
}

/// Devices for the configurations of a campaign, other than those of the CPU.
pub trait Machine: fmt::Debug + Sync {
    /// Gets ready for the program of a seed, and chooses devices for its runtime. No runtime on this
    /// machine is left then.
    fn choose(&self, builder: RuntimeBuilder, devices: usize, seed: u64) -> RuntimeBuilder;

    /// Looks at what a runtime has left behind that is gone.
    ///
    /// # Errors
    /// What should not be there.
    fn look_behind(&self) -> Result<(), String>;
}

/// What a campaign tries.
#[derive(Clone, Copy, Debug)]
pub enum Trial {
    /// The runtime as it is.
    Ordinary,
    /// Devices of this machine, a fresh runtime for each program.
    Machine(&'static dyn Machine),
    /// Another instruction set, where the machine has it, and two threads a device, which share every loop; what surrounds the
    /// arrays of a device that is alone is inaccessible.
    Level(CpuLevel),
    /// Each device's memory inaccessible while another works, and what surrounds its arrays at any time.
    Isolated,
    /// Devices that delay commands and run them in any legal order.
    Adversarial,
    /// The same, with a kind of wait left out of the executor.
    WithoutWait(WaitKind),
    /// A rule of fusion left out of the analyser.
    WithoutRule(Rule),
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scale: Scale::Small,
            tree_rule: TreeRule::TINY,
            configurations: 3,
            oracle: true,
            trial: Trial::Ordinary,
            backend: Backend::Cpu,
            reuse: true,
        }
    }
}

/// How often a machine's runtime runs its program: what comes again is recorded the second time, where the devices record, and
/// replayed the third.
const REPEATS: usize = 3;

impl Options {
    /// Runs a program on a runtime of these options and compares.
    fn compare(
        &self,
        program: &Program,
        expected: &[Found],
        runtime: &Runtime,
    ) -> Result<(), String> {
        let repeats = if matches!(self.trial, Trial::Machine(_)) { REPEATS } else { 1 };
        (1..=repeats).try_for_each(|time| {
            let found = outcome(program, runtime);
            let result = found.and_then(|found| {
                same(expected, &found).map_err(|difference| difference.to_string())
            });
            result.map_err(
                |message| if repeats == 1 { message } else { format!("run {time}: {message}") },
            )
        })
    }

    fn look_behind(&self) -> Result<(), String> {
        match self.trial {
            Trial::Machine(machine) => machine.look_behind(),
            _ => Ok(()),
        }
    }
}

/// A program on which two ways of running it do not agree.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The program's.
    pub seed: u64,
    /// `None`: the reference, against the oracle.
    pub configuration: Option<Configuration>,
    /// What is different.
    pub message: String,
    /// As small as was found, with its own difference.
    pub program: Program,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { seed, message, program, .. } = self;
        match self.configuration {
            None => writeln!(f, "seed {seed}, reference against the oracle: {message}")?,
            Some(c) => {
                let (mode, Configuration { window, devices, .. }) = (Mode::ALL[c.mode], c);
                let axes = if c.two_axes { ", points along two axes," } else { "" };
                writeln!(
                    f,
                    "seed {seed}, {mode}, window {window}, {devices} devices{axes} against unfused: {message}"
                )?;
            }
        }
        write!(f, "smallest program found:\n{program}")
    }
}

/// What the programs of a campaign have exercised.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Programs run.
    pub programs: usize,
    /// Of them, with a fused task of three tasks or more under some configuration.
    pub fused: usize,
    /// Runs by position of the mode and number of devices.
    pub runs: BTreeMap<(usize, usize), usize>,
    /// How often each rule ended a group at a level, by name.
    pub stops: BTreeMap<String, u64>,
    /// How kernels by rows ran.
    pub rows: RowStats,
    /// What devices recorded and replayed.
    pub graphs: GraphStats,
    /// How many programs called each function, and each kind of a call; see
    /// [`Statement::functions`](crate::program::Statement::functions).
    pub functions: BTreeMap<String, usize>,
    /// Elements that the oracle compared to the bit.
    pub exact: usize,
    /// Elements that the oracle compared within a bound.
    pub near: usize,
}

impl Coverage {
    /// Adds another campaign's.
    pub fn add(&mut self, other: &Coverage) {
        self.programs += other.programs;
        self.fused += other.fused;
        self.exact += other.exact;
        self.near += other.near;
        self.rows = self.rows.plus(&other.rows);
        self.graphs = self.graphs.plus(&other.graphs);
        for (key, count) in &other.runs {
            *self.runs.entry(*key).or_default() += count;
        }
        for (key, count) in &other.functions {
            *self.functions.entry(key.clone()).or_default() += count;
        }
        for (key, count) in &other.stops {
            *self.stops.entry(key.clone()).or_default() += count;
        }
    }

    fn called(&mut self, program: &Program) {
        let functions: BTreeSet<String> =
            program.statements.iter().flat_map(Statement::functions).collect();
        for function in functions {
            *self.functions.entry(function).or_default() += 1;
        }
    }

    fn stopped(&mut self, level: Level, rule: Rule, count: u64) {
        *self.stops.entry(format!("{level:?} {rule:?}")).or_default() += count;
    }
}

/// Runs programs and compares.
pub struct Campaign {
    options: Options,
    reference: Runtime,
    fleet: BTreeMap<Configuration, Runtime>,
    /// What was exercised so far.
    pub coverage: Coverage,
}

/// The windows that configurations draw from.
const WINDOWS: [usize; 13] = [0, 1, 2, 3, 4, 5, 7, 10, 16, 24, 33, 48, 64];

impl Campaign {
    /// With the runtimes that these options ask for.
    pub fn new(options: Options) -> Campaign {
        let reference = reference(&options);
        Campaign { options, reference, fleet: BTreeMap::new(), coverage: Coverage::default() }
    }

    /// Runs the program of a seed under the reference and under configurations drawn from the seed.
    ///
    /// # Errors
    /// The first disagreement, shrunk.
    pub fn check(&mut self, seed: u64) -> Result<(), Box<Failure>> {
        let program = generate(seed, self.options.scale);
        self.coverage.programs += 1;
        self.coverage.called(&program);
        let fail = |configuration, message: String, program: Program| {
            Err(Box::new(Failure { seed, configuration, message, program }))
        };
        let expected = match outcome(&program, &self.reference) {
            Ok(expected) => expected,
            Err(message) => return fail(None, message, self.smallest(&program, None, seed)),
        };
        if self.options.oracle
            && let Err(message) = self.ask(&program, &expected)
        {
            return fail(None, message, self.smallest(&program, None, seed));
        }
        let mut random = Random::new(seed ^ 0x5eed);
        let mut fused = false;
        for i in 0..self.options.configurations {
            let configuration = Configuration {
                mode: (i + seed as usize) % Mode::ALL.len(),
                window: random.pick(&WINDOWS),
                devices: 1 + random.below(4),
                two_axes: random.chance(40),
            };
            // Each in another order of what nothing orders.
            let order = seed.wrapping_add(i as u64);
            let runtime = self.runtime(configuration, order);
            runtime.reset_stats();
            let result = self.options.compare(&program, &expected, &runtime);
            let stats = runtime.stats();
            drop(runtime);
            if let Err(message) = result.and_then(|()| self.options.look_behind()) {
                self.fleet.remove(&configuration);
                let program = self.smallest(&program, Some(configuration), order);
                return fail(Some(configuration), message, program);
            }
            fused |= stats.largest_group >= 3;
            self.coverage.rows = self.coverage.rows.plus(&stats.rows);
            self.coverage.graphs = self.coverage.graphs.plus(&stats.graphs);
            *self.coverage.runs.entry((configuration.mode, configuration.devices)).or_default() +=
                1;
            for (level, rule, count) in stats.stops.rules() {
                self.coverage.stopped(level, rule, count);
            }
        }
        self.coverage.fused += usize::from(fused);
        Ok(())
    }

    /// What the oracle says to the reference's result.
    fn ask(&mut self, program: &Program, found: &[Found]) -> Result<(), String> {
        let oracle = Oracle::run(program)?;
        let cells = || oracle.reads.iter().flat_map(|read| &read.cells);
        self.coverage.exact += cells().filter(|cell| cell.radius == 0.0).count();
        self.coverage.near += cells().filter(|cell| cell.radius > 0.0).count();
        admitted(&oracle, found).map_err(|difference| difference.to_string())
    }

    fn runtime(&mut self, configuration: Configuration, seed: u64) -> Runtime {
        if !self.options.reuse || matches!(self.options.trial, Trial::Machine(_)) {
            return build(&self.options, configuration, seed);
        }
        let options = self.options;
        let runtime = self.fleet.entry(configuration);
        runtime.or_insert_with(|| build(&options, configuration, seed)).clone()
    }

    /// The smallest program found that fails in the same way, on runtimes of its own.
    fn smallest(
        &self,
        program: &Program,
        configuration: Option<Configuration>,
        seed: u64,
    ) -> Program {
        let options = self.options;
        shrink(program, |candidate| {
            let found = outcome(candidate, &reference(&options));
            match (found, configuration) {
                (Err(_), None) => true,
                (Err(_), Some(_)) => false,
                (Ok(found), None) => {
                    Oracle::run(candidate).is_ok_and(|oracle| admitted(&oracle, &found).is_err())
                }
                (Ok(expected), Some(configuration)) => {
                    let runtime = build(&options, configuration, seed);
                    let result = options.compare(candidate, &expected, &runtime);
                    drop(runtime);
                    result.and_then(|()| options.look_behind()).is_err()
                }
            }
        })
    }
}

/// Runs a program; errors and panics become texts.
fn outcome(program: &Program, runtime: &Runtime) -> Result<Vec<Found>, String> {
    match quietly(|| run(program, runtime)) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(format!("error: {error}")),
        Err(message) => Err(format!("panic: {message}")),
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static LAST: Cell<String> = const { Cell::new(String::new()) };
}

/// Runs `f`; a panic becomes its message and place, and is not printed: shrinking makes many.
fn quietly<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            let message = text(panic.payload());
            let place = panic.location().map_or(String::new(), |place| format!(" at {place}"));
            if QUIET.get() {
                LAST.set(format!("{message}{place}"));
            } else {
                print(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    QUIET.set(false);
    result.map_err(|_| LAST.take())
}

fn text(payload: &dyn Any) -> &str {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or(payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text")
}

/// Unfused, window 1, one device of the same back end.
fn reference(options: &Options) -> Runtime {
    let unfused = Mode::ALL.iter().position(|m| *m == Mode::Unfused).unwrap_or(0);
    let plain = Options { trial: Trial::Ordinary, ..*options };
    build(&plain, Configuration { mode: unfused, window: 1, devices: 1, two_axes: false }, 0)
}

fn build(options: &Options, configuration: Configuration, seed: u64) -> Runtime {
    let Configuration { mode, window, devices, two_axes } = configuration;
    let builder = Runtime::builder().cpu_devices(devices).threads(1).mode(Mode::ALL[mode]);
    let rows = (devices as u32 / 2).max(1);
    let builder = if two_axes { builder.grid(&[rows, 2]) } else { builder };
    let builder = if window == 0 { builder } else { builder.window(window) };
    // Small arrays go the ways of large ones, too.
    let largest_in_turn = [None, Some(0), Some(16)][(seed / 5 % 3) as usize];
    let tree_rule = options.tree_rule;
    let mut testing = Testing { tree_rule, largest_in_turn, ..Testing::default() };
    let reordering = || crate::reordering_cpus(devices, seed);
    let builder = match options.trial {
        Trial::Ordinary if options.backend == Backend::Interpreter => {
            builder.devices(ReferenceDevice::set(devices, u64::MAX))
        }
        Trial::Ordinary => builder,
        Trial::Machine(machine) => machine.choose(builder, devices, seed),
        Trial::Level(level) => {
            testing.least_parallel = Some(0);
            testing.isolate = devices == 1;
            builder.cpu_level(level).threads(2)
        }
        Trial::Isolated => {
            testing.isolate = true;
            builder
        }
        Trial::Adversarial => builder.devices(reordering()),
        Trial::WithoutWait(wait) => {
            testing.without_wait = Some(wait);
            builder.devices(reordering())
        }
        Trial::WithoutRule(rule) => {
            testing.without_rule = Some(rule);
            builder
        }
    };
    let runtime = builder.testing(testing).build();
    runtime.unwrap_or_else(|error| panic!("a runtime of {configuration:?}: {error}"))
}
