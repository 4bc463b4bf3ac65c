//! The programs of examples/ as workloads: the same code, with the inputs and checksums that the
//! same programs have in other systems.

#[path = "../../../examples/black_scholes.rs"]
#[allow(dead_code)]
mod black_scholes;
#[path = "../../../examples/cg.rs"]
#[allow(dead_code)]
mod cg;
#[path = "../../../examples/jacobi.rs"]
#[allow(dead_code)]
mod jacobi;
#[path = "../../../examples/stencil.rs"]
#[allow(dead_code)]
mod stencil;

use crate::arguments::{Float, ProgramName};
use darray::{DArray, Result};
use std::marker::PhantomData;

/// A program that can be run from its start, iteration by iteration.
pub trait Workload {
    /// Whether an iteration depends on the one before.
    const LOOPS: bool;
    /// What an iteration reads and writes, results included.
    type State;
    /// The start of the program.
    fn prepare(&self) -> Self::State;
    /// One iteration.
    fn iterate(&self, state: &mut Self::State);
    /// The result, to compare with other systems.
    fn checksum(&self, state: &Self::State) -> Result<Vec<f64>>;
}

/// What to do with a workload of whatever type.
pub trait Visitor {
    /// What it gives.
    type Output;
    /// Does it.
    fn visit<W: Workload>(self, workload: W) -> Self::Output;
}

/// The size and the iterations of a program unless others are asked for.
pub fn defaults(program: ProgramName) -> (usize, usize) {
    match program {
        ProgramName::BlackScholes => (1_000_000, 10),
        ProgramName::Stencil => (1000, 100),
        ProgramName::Jacobi => (2000, 20),
        ProgramName::Cg => (500, 50),
        ProgramName::CgDense => (30, 20),
    }
}

/// Whether the arrays of a program of this size have a number of elements that can be counted.
pub fn is_countable(program: ProgramName, n: usize) -> bool {
    const MOST: usize = 1 << 59;
    let n = n.saturating_add(2);
    let largest = match program {
        ProgramName::BlackScholes => Some(n),
        ProgramName::Stencil | ProgramName::Jacobi | ProgramName::Cg => n.checked_pow(2),
        ProgramName::CgDense => n.checked_pow(4),
    };
    largest.is_some_and(|elements| elements <= MOST)
}

/// Makes the program with size `n` and shows it to `visitor`. Arrays belong to the current runtime.
pub fn visit<V: Visitor>(program: ProgramName, dtype: Float, n: usize, visitor: V) -> V::Output {
    match dtype {
        Float::F64 => visit_typed::<f64, V>(program, n, visitor),
        Float::F32 => visit_typed::<f32, V>(program, n, visitor),
    }
}

fn visit_typed<T: darray::Float, V: Visitor>(
    program: ProgramName,
    n: usize,
    visitor: V,
) -> V::Output {
    match program {
        ProgramName::BlackScholes => visitor.visit(Options::<T>::new(n)),
        ProgramName::Stencil => visitor.visit(Stencil::<T>::new(n)),
        ProgramName::Jacobi => visitor.visit(Jacobi::<T>::new(n)),
        ProgramName::Cg => visitor.visit(Gradients::<T>::new(n, false)),
        ProgramName::CgDense => visitor.visit(Gradients::<T>::new(n, true)),
    }
}

/// The sum of an array's elements in f64.
fn sum<T: darray::Float>(array: &DArray<T>) -> Result<f64> {
    array.cast::<f64>().sum().try_item()
}

struct Options<T: darray::Float> {
    s: DArray<T>,
    x: DArray<T>,
    t: DArray<T>,
}

impl<T: darray::Float> Options<T> {
    fn new(n: usize) -> Options<T> {
        let (s, x, t) = black_scholes::options(n);
        Options { s, x, t }
    }
}

impl<T: darray::Float> Workload for Options<T> {
    const LOOPS: bool = false;
    type State = Option<(DArray<T>, DArray<T>)>;

    fn prepare(&self) -> Self::State {
        None
    }

    fn iterate(&self, prices: &mut Self::State) {
        let Options { s, x, t } = self;
        let (rate, volatility) = (black_scholes::RATE, black_scholes::VOLATILITY);
        *prices = Some(black_scholes::black_scholes(s, x, t, rate, volatility));
    }

    fn checksum(&self, prices: &Self::State) -> Result<Vec<f64>> {
        prices.iter().flat_map(|(call, put)| [sum(call), sum(put)]).collect()
    }
}

struct Stencil<T> {
    n: usize,
    element: PhantomData<T>,
}

impl<T: darray::Float> Stencil<T> {
    fn new(n: usize) -> Stencil<T> {
        Stencil { n, element: PhantomData }
    }
}

impl<T: darray::Float> Workload for Stencil<T> {
    const LOOPS: bool = true;
    type State = DArray<T>;

    fn prepare(&self) -> DArray<T> {
        stencil::init_grid(self.n)
    }

    fn iterate(&self, grid: &mut DArray<T>) {
        stencil::step(grid);
    }

    fn checksum(&self, grid: &DArray<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(grid)?])
    }
}

struct Jacobi<T: darray::Float> {
    rest: DArray<T>,
    diagonal: DArray<T>,
    b: DArray<T>,
}

impl<T: darray::Float> Jacobi<T> {
    fn new(n: usize) -> Jacobi<T> {
        let (rest, diagonal, b) = jacobi::system(n);
        Jacobi { rest, diagonal, b }
    }
}

impl<T: darray::Float> Workload for Jacobi<T> {
    const LOOPS: bool = true;
    type State = DArray<T>;

    fn prepare(&self) -> DArray<T> {
        DArray::zeros(self.b.shape())
    }

    fn iterate(&self, x: &mut DArray<T>) {
        *x = jacobi::step(&self.rest, &self.diagonal, &self.b, x);
    }

    fn checksum(&self, x: &DArray<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(x)?])
    }
}

/// Conjugate gradients with the Laplacian as a function, or as a matrix where there is one.
struct Gradients<T: darray::Float> {
    b: DArray<T>,
    laplacian: cg::Laplacian<T>,
    matrix: Option<DArray<T>>,
}

impl<T: darray::Float> Gradients<T> {
    fn new(n: usize, dense: bool) -> Gradients<T> {
        let b = cg::right_side(n);
        let b = if dense { b.reshape(n * n) } else { b };
        let matrix = dense.then(|| cg::matrix(n));
        Gradients { b, laplacian: cg::Laplacian::new(n), matrix }
    }
}

impl<T: darray::Float> Workload for Gradients<T> {
    const LOOPS: bool = true;
    type State = cg::Solver<T>;

    fn prepare(&self) -> cg::Solver<T> {
        cg::Solver::new(&self.b)
    }

    fn iterate(&self, solver: &mut cg::Solver<T>) {
        match &self.matrix {
            Some(matrix) => solver.step(|p| matrix.dot(p)),
            None => solver.step(|p| self.laplacian.apply(p)),
        }
    }

    fn checksum(&self, solver: &cg::Solver<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(&solver.rs)?.sqrt()])
    }
}
