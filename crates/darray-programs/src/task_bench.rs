//! Graphs of tasks that are all dependences: the topologies of Task Bench (Slaughter et al., *Task Bench: A
//! Parameterized Benchmark for Evaluating Parallel Runtime Performance*, SC 2020), as CUDASTF measures
//! them. With tasks that do nothing they show what a task costs; with tasks that mix their inputs, whether
//! the dependences hold.
//!
//! ```
//! use darray_programs::task_bench::{Graph, Topology};
//! let graph = Graph::new(Topology::Stencil, 8, 3);
//! assert_eq!(graph.inputs(0, 4), []);
//! assert_eq!(graph.inputs(2, 4), [3, 4, 5]);
//! assert_eq!(graph.inputs(2, 7), [6, 7]);
//! ```

use darray::DArray;
use darray::task::{PointTask, Task};
use std::fmt;

/// What a task of one step reads of the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Nothing.
    Trivial,
    /// The parent in a binary tree that widens from one task; later its own column.
    Tree,
    /// Its own column and those as far away as a butterfly of the step says.
    Fft,
    /// Its own column and the one to the left: a wave front.
    Sweep,
    /// Its own column and others, each with a probability of one half.
    Random,
    /// Its own column and both neighbours.
    Stencil,
}

impl Topology {
    /// Every topology.
    pub const ALL: [Topology; 6] = [
        Topology::Trivial,
        Topology::Tree,
        Topology::Fft,
        Topology::Sweep,
        Topology::Random,
        Topology::Stencil,
    ];
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Topology::Trivial => "trivial",
            Topology::Tree => "tree",
            Topology::Fft => "fft",
            Topology::Sweep => "sweep",
            Topology::Random => "random",
            Topology::Stencil => "stencil",
        })
    }
}

/// A graph of `steps` rows of at most `width` tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// By step and column: the columns of the step before that are read.
    inputs: Vec<Vec<Vec<usize>>>,
}

impl Graph {
    /// The graph of a topology.
    ///
    /// ```
    /// use darray_programs::task_bench::{Graph, Topology};
    /// assert_eq!(Graph::new(Topology::Trivial, 8, 8).tasks(), 64);
    /// ```
    pub fn new(topology: Topology, width: usize, steps: usize) -> Graph {
        let columns = |step: usize| match topology {
            Topology::Tree => width.min(1 << step.min(usize::BITS as usize - 1)),
            _ => width,
        };
        let row = |step: usize| {
            let before = if step == 0 { 0 } else { columns(step - 1) };
            let inputs = |column| inputs(topology, width, (step, column), before);
            (0..columns(step)).map(inputs).collect()
        };
        Graph { inputs: (0..steps).map(row).collect() }
    }

    /// The columns of the step before that a task reads.
    ///
    /// ```
    /// use darray_programs::task_bench::{Graph, Topology};
    /// assert_eq!(Graph::new(Topology::Fft, 8, 4).inputs(2, 1), [1, 3]);
    /// ```
    pub fn inputs(&self, step: usize, column: usize) -> &[usize] {
        &self.inputs[step][column]
    }

    /// Number of tasks.
    ///
    /// ```
    /// use darray_programs::task_bench::{Graph, Topology};
    /// assert_eq!(Graph::new(Topology::Tree, 4, 4).tasks(), 1 + 2 + 4 + 4);
    /// ```
    pub fn tasks(&self) -> usize {
        self.inputs.iter().map(Vec::len).sum()
    }

    /// Records a launch for every task, each of which makes an array of `extent` numbers; gives those of
    /// the last step.
    ///
    /// ```
    /// use darray_programs::task_bench::{Graph, Topology, mixing};
    /// let graph = Graph::new(Topology::Random, 4, 3);
    /// let last = graph.launch(&mixing(), 2);
    /// assert_eq!(last[1].to_vec()[0] as u64, graph.mixed(2, 1));
    /// ```
    pub fn launch(&self, task: &Task, extent: usize) -> Vec<DArray<i64>> {
        let mut before: Vec<DArray<i64>> = Vec::new();
        let mut row = Vec::new();
        for (step, inputs) in self.inputs.iter().enumerate() {
            for (column, inputs) in inputs.iter().enumerate() {
                let mut launch = task.launch().scalar(step as i64).scalar(column as i64);
                for &input in inputs {
                    launch = launch.read(&before[input]);
                }
                row.push(launch.create(extent));
            }
            std::mem::swap(&mut before, &mut row);
            row.clear();
        }
        before
    }

    /// What [`mixing`] tasks make of the graph, computed without arrays.
    ///
    /// ```
    /// use darray_programs::task_bench::{Graph, Topology};
    /// let graph = Graph::new(Topology::Sweep, 4, 4);
    /// assert_ne!(graph.mixed(3, 0), graph.mixed(3, 1));
    /// ```
    pub fn mixed(&self, step: usize, column: usize) -> u64 {
        let mut values: Vec<u64> = Vec::new();
        for (at, row) in self.inputs.iter().enumerate().take(step + 1) {
            values = (row.iter().enumerate())
                .map(|(column, inputs)| {
                    mix(at as u64, column as u64, inputs.iter().map(|&input| values[input]))
                })
                .collect();
        }
        values[column]
    }
}

fn inputs(
    topology: Topology,
    width: usize,
    (step, column): (usize, usize),
    before: usize,
) -> Vec<usize> {
    let near = |distance: usize| {
        let left = column.checked_sub(distance).filter(|_| distance > 0);
        left.into_iter().chain([column]).chain((distance > 0).then_some(column + distance))
    };
    let known = |column: &usize| *column < before;
    match topology {
        _ if step == 0 => Vec::new(),
        Topology::Trivial => Vec::new(),
        Topology::Tree => vec![if before < width { column / 2 } else { column }],
        Topology::Fft => {
            let bits = (width.max(2) - 1).ilog2() as usize + 1;
            near(1 << ((step - 1) % bits)).filter(known).collect()
        }
        Topology::Sweep => near(1).take_while(|&input| input <= column).collect(),
        Topology::Stencil => near(1).filter(known).collect(),
        Topology::Random => {
            let drawn = |&input: &usize| {
                input == column || mix(step as u64, column as u64, [input as u64]) >> 63 == 1
            };
            (0..before).filter(drawn).collect()
        }
    }
}

/// A task that does nothing. On a GPU it asks for its stream, so that nobody knows that it queues nothing.
///
/// ```
/// assert_eq!(darray_programs::task_bench::empty().name(), "empty");
/// ```
pub fn empty() -> Task {
    let task = Task::new("empty", |_| Ok(()));
    #[cfg(feature = "cuda")]
    let task = task.cuda(|point| point.stream().map(|_| ()));
    task
}

/// A task whose every element is a number that follows from step, column and the inputs in their order.
///
/// ```
/// assert_eq!(darray_programs::task_bench::mixing().name(), "mixing");
/// ```
pub fn mixing() -> Task {
    let task = Task::new("mixing", |point: &mut PointTask<'_>| {
        let [step, column] = [0, 1].map(|k| point.scalars()[k].to_i64() as u64);
        let (written, read) = point.split();
        for k in 0..written[0].shape()[0] {
            let inputs = read.iter().map(|input| input.get::<i64>(&[k]) as u64);
            written[0].set(&[k], mix(step, column, inputs) as i64);
        }
        Ok(())
    });
    #[cfg(feature = "cuda")]
    let task = task.cuda(gpu::mixing());
    task
}

/// The mixing task on GPUs.
#[cfg(feature = "cuda")]
mod gpu {
    use darray::task::{CudaArg, CudaPointTask, CudaSource, Grid};

    /// Inputs that the kernel takes at most.
    const INPUTS: usize = 8;
    const TEXT: &str = r#"
extern "C" __global__ void mixing(unsigned long long* to, unsigned long long n, unsigned long long step,
    unsigned long long column, int count,
    const unsigned long long* a, const unsigned long long* b, const unsigned long long* c,
    const unsigned long long* d, const unsigned long long* e, const unsigned long long* f,
    const unsigned long long* g, const unsigned long long* h) {
    unsigned long long k = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (k >= n) return;
    const unsigned long long* inputs[8] = { a, b, c, d, e, f, g, h };
    unsigned long long sum = 0x243f6a8885a308d3ull;
    for (int word = -2; word < count; word++) {
        unsigned long long value = word == -2 ? step : word == -1 ? column : inputs[word][k];
        sum = (sum ^ value) * 0x9e3779b97f4a7c15ull;
        sum = sum ^ sum >> 29;
    }
    to[k] = sum;
}"#;

    pub(super) fn mixing()
    -> impl Fn(&mut CudaPointTask<'_>) -> Result<(), String> + Send + Sync + 'static {
        let source = CudaSource::new(TEXT);
        move |point| {
            let [step, column] = [0, 1].map(|k| point.scalars()[k].to_i64());
            let ([to], inputs) = point.split() else { return Err("one is written".to_string()) };
            let contiguous = inputs.iter().chain([to]).all(|array| array.is_contiguous());
            if !contiguous || inputs.len() > INPUTS {
                return Err(format!("{} inputs, or strided ones", inputs.len()));
            }
            let count = inputs.len() as i32;
            let mut args =
                vec![CudaArg::from(*to), to.len().into(), step.into(), column.into(), count.into()];
            args.extend(
                (0..INPUTS)
                    .map(|k| inputs.get(k).map_or(CudaArg::from(0u64), |&input| input.into())),
            );
            // SAFETY: these are the kernel's parameters; it reads `count` inputs of as many elements as it writes.
            unsafe { point.launch(&source, "mixing", Grid::over(to.len(), 128), &args) }
        }
    }
}

fn mix(step: u64, column: u64, inputs: impl IntoIterator<Item = u64>) -> u64 {
    let words = [step, column].into_iter().chain(inputs);
    words.fold(0x243f_6a88_85a3_08d3, |sum, word| {
        let sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^ sum >> 29
    })
}
