//! What can be asked on the command line. Anything else gets a usage message and exit code 2.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use darray::{Grouping, Mode};
use darray_programs::Program;

/// NumPy-like lazy arrays with task-window fusion: measure, explain, diagnose.
#[derive(Debug, Parser)]
#[command(name = "darray-cli", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Time a program in each mode
    Bench(Bench),
    /// Show one steady-state window: tasks, groups, boundaries, kernels
    Explain(Explain),
    /// Time programs fused beside unfused at five sizes; fail where fused is slower or holds more memory
    Gains(Gains),
    /// Count what a program's tasks become: fused tasks, kernels, windows, plans, bytes
    Stats(Stats),
    /// Show what one steady-state window becomes: tasks, plan, kernels, instructions, machine code
    Dump(Dump),
    /// Measure what launches take on the settings' device, beside what plans are chosen by
    Costs,
    /// Show what the machine offers and what is missing
    Doctor,
    /// Show which names of NumPy and of the array API standard have something that stands for them
    Coverage(Coverage),
}

/// Which names there are.
#[derive(Args, Clone, Debug)]
pub struct Coverage {
    /// One JSON object: how many names are covered of how many, what stands for each, and why there is nothing for the others
    #[arg(long)]
    pub json: bool,
}

/// What to time.
#[derive(Args, Clone, Debug)]
pub struct Bench {
    /// The program
    #[arg(value_parser = program())]
    pub program: Program,
    /// Elements of a vector, or rows of a square [default: the program's]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub n: Option<usize>,
    /// Iterations of a batch; for a program that does not loop, runs [default: the program's]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub iters: Option<usize>,
    /// Iterations of a batch, for a program that does not loop: they are submitted one after the other, and the
    /// clock stops when the last one has ended
    #[arg(long, default_value = "1", value_parser = at_least_one, allow_negative_numbers = true, conflicts_with_all = ["variants", "compare"])]
    pub batch: usize,
    /// Element type
    #[arg(long, default_value = "f64")]
    pub dtype: Float,
    /// Logical CPU devices, each with its own memory [default: the settings' devices]
    #[arg(long, value_parser = device_count, allow_negative_numbers = true)]
    pub devices: Option<usize>,
    /// Worker threads of a device
    #[arg(long, default_value = "1", value_parser = at_least_one, allow_negative_numbers = true)]
    pub threads: usize,
    /// Modes, in the order in which they run
    #[arg(long, value_delimiter = ',', default_value = "fused,task,unfused")]
    pub modes: Vec<ModeName>,
    /// Which tasks stand together when they are fused [default: the settings']
    #[arg(long)]
    pub grouping: Option<GroupingName>,
    /// Contract products and sums to fused multiply-adds, in every mode
    #[arg(long)]
    pub contract: bool,
    /// Measure memory's bandwidth and, where there is one, the kernel written by hand, in the same run,
    /// and say what part of them the program reaches
    #[arg(long, conflicts_with = "variants")]
    pub limits: bool,
    /// Time planning in place of running: the program's window where it has no plan, what of that is grouping and what the
    /// composition of kernels, and where it has one
    #[arg(long, conflicts_with_all = ["variants", "limits", "compare"])]
    pub plan: bool,
    /// Compare the program with its variants: reordered, one operation more, other constants
    #[arg(long)]
    pub variants: bool,
    /// Compare the program, in the first of the modes, with NumPy, numexpr, JAX, numba and torch.compile, in
    /// turns and in one run
    #[arg(long, conflicts_with_all = ["variants", "limits"])]
    pub compare: bool,
    /// Python interpreters for --compare: a system is run by the first that has it
    #[arg(long, value_delimiter = ',', default_value = "python3")]
    pub python: Vec<String>,
    /// The folder of the scripts for --compare
    #[arg(long, default_value = "benches/peers")]
    pub peers: String,
    /// One JSON object per line and mode; of variants, one per variant and mode; of systems, one each
    #[arg(long)]
    pub json: bool,
}

/// What to explain.
#[derive(Args, Clone, Debug)]
pub struct Explain {
    /// The program
    #[arg(value_parser = program())]
    pub program: Program,
    /// Elements of a vector, or rows of a square
    #[arg(long, default_value = "64", value_parser = at_least_one, allow_negative_numbers = true)]
    pub n: usize,
    /// Logical devices, each with its own memory
    #[arg(long, default_value = "1", value_parser = device_count, allow_negative_numbers = true)]
    pub devices: usize,
    /// Which tasks stand together when they are fused
    #[arg(long, default_value = "graph")]
    pub grouping: GroupingName,
}

/// What to count.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("programs").required(true).args(["program", "all"]))]
pub struct Stats {
    /// The program
    #[arg(value_parser = program())]
    pub program: Option<Program>,
    /// Every program
    #[arg(long)]
    pub all: bool,
    /// Elements of a vector, or rows of a square [default: such that an iteration's tasks hold 4 MiB one by one, about]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true, conflicts_with = "all")]
    pub n: Option<usize>,
    /// Iterations of a batch [default: the program's]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub iters: Option<usize>,
    /// Logical devices, each with its own memory
    #[arg(long, default_value = "1", value_parser = device_count, allow_negative_numbers = true)]
    pub devices: usize,
    /// Which tasks stand together when they are fused
    #[arg(long, default_value = "graph")]
    pub grouping: GroupingName,
    /// One JSON object per line and program
    #[arg(long)]
    pub json: bool,
    /// The page docs/fusion.md
    #[arg(long, conflicts_with_all = ["program", "json", "iters", "devices", "grouping"])]
    pub page: bool,
}

/// What to time fused and unfused.
#[derive(Args, Clone, Debug)]
pub struct Gains {
    /// The program [default: every program]
    #[arg(value_parser = program())]
    pub program: Option<Program>,
    /// Logical CPU devices, each with its own memory
    #[arg(long, default_value = "1", value_parser = device_count, allow_negative_numbers = true)]
    pub devices: usize,
    /// One JSON object per line, program and size
    #[arg(long)]
    pub json: bool,
}

/// What to dump.
#[derive(Args, Clone, Debug)]
pub struct Dump {
    /// The program
    #[arg(value_parser = program())]
    pub program: Program,
    /// What to show
    #[arg(long)]
    pub stage: Stage,
    /// Elements of a vector, or rows of a square
    #[arg(long, default_value = "64", value_parser = at_least_one, allow_negative_numbers = true)]
    pub n: usize,
    /// Element type
    #[arg(long, default_value = "f64")]
    pub dtype: Float,
}

/// What a window becomes, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The tasks
    Window,
    /// The groups and why they end
    Plan,
    /// The kernels, with the groups
    Kernel,
    /// How nests go through memory on a CPU: loops, vectors, tiles, stores
    Schedule,
    /// What the CPU's block interpreter runs
    Instructions,
    /// Machine code, with the instructions that it is for
    Asm,
    /// CUDA C, whether there is a GPU or not
    Cuda,
}

/// How much is fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeName {
    /// Tasks fused and their kernels merged
    Fused,
    /// Tasks fused, kernels as they were
    Task,
    /// Every task by itself
    Unfused,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Mode {
        match name {
            ModeName::Fused => Mode::Fused,
            ModeName::Task => Mode::Task,
            ModeName::Unfused => Mode::Unfused,
        }
    }
}

/// Which tasks stand together when they are fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupingName {
    /// Those that the dependences let stand together
    Graph,
    /// Those that the program has one behind the other
    Prefix,
}

impl From<GroupingName> for Grouping {
    fn from(name: GroupingName) -> Grouping {
        match name {
            GroupingName::Graph => Grouping::Graph,
            GroupingName::Prefix => Grouping::Prefix,
        }
    }
}

/// Element types of the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Float {
    /// 64 bits
    F64,
    /// 32 bits
    F32,
}

/// The programs, by name.
fn program() -> impl TypedValueParser<Value = Program> {
    let values = Program::ALL.map(|p| PossibleValue::new(p.name()).help(p.about()));
    PossibleValuesParser::new(values)
        .map(|name| Program::named(&name).expect("a possible value is a program's name"))
}

/// The value's name on the command line.
pub fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |v| v.get_name().to_string())
}

fn device_count(text: &str) -> Result<usize, String> {
    match at_least_one(text)? {
        n if n > 64 => Err("must be at most 64".to_string()),
        n => Ok(n),
    }
}

/// More than any machine holds or waits for.
const MOST: usize = 1 << 40;

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<i128>() {
        Ok(..1) => Err("must be at least 1".to_string()),
        Ok(n) if n > MOST as i128 => Err(format!("must be at most {MOST}")),
        Ok(n) => Ok(n as usize),
        Err(error) => Err(format!("{error}")),
    }
}
