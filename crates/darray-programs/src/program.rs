//! The table of programs.

use crate::examples::channel_flow;
use crate::oracles::Float;
use crate::steps;
use crate::workload::Visitor;
use crate::workloads::{
    Attraction, ComplexVectors, Cube, Equations, Filter, Gradients, Grid, Heat, Julia, Options,
    Plane, Points, Samples, Sepia, Vectors,
};

/// A program of crates/darray/examples/, or one of its forms.
///
/// ```
/// use darray_programs::Program;
/// assert_eq!(Program::named("cg"), Some(Program::Cg));
/// assert!(Program::ALL.iter().all(|p| Program::named(p.name()) == Some(*p)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// European options.
    BlackScholes,
    /// 5-point stencil.
    Stencil,
    /// Jacobi's method.
    Jacobi,
    /// Conjugate gradients, matrix-free.
    Cg,
    /// Conjugate gradients with a matrix.
    CgDense,
    /// The Mandelbrot set.
    Mandelbrot,
    /// Logistic regression.
    LogisticRegression,
    /// 27-point stencil.
    Stencil27,
    /// The heat equation.
    Heat3d,
    /// An image in sepia.
    Sepia,
    /// A smoothed image.
    LinearFilter,
    /// Bodies that attract each other.
    Nbody,
    /// Clusters of points.
    Kmeans,
    /// The sum of a vector.
    VectorSum,
    /// The dot product of two vectors.
    VectorDot,
    /// A Julia set, with complex arrays.
    Julia,
    /// Products of complex vectors.
    ComplexProduct,
    /// Flow in a cavity.
    CavityFlow,
    /// Flow through a channel.
    ChannelFlow,
    /// Flow through a channel, with 6 sweeps over the pressure a step.
    ChannelFlow6,
    /// Water over a hill.
    ShallowWater,
    /// Water over a hill, in three arrays.
    ShallowWater3,
    /// Stabilised biconjugate gradients.
    Bicgstab,
    /// Conjugate gradients squared.
    Cgs,
    /// A bubble of warm air.
    Miniweather,
    /// Electromagnetic waves.
    Fdtd2d,
    /// Horizontal diffusion.
    Hdiff,
    /// V-cycles of multigrid.
    Multigrid,
    /// Softmax of rows.
    Softmax,
    /// Layer normalisation of rows.
    Layernorm,
    /// Self-attention.
    Attention,
    /// A network that learns.
    Mlp,
    /// Steps of Adam.
    Adam,
    /// Outliers of an image.
    Filter5x5,
    /// Conway's Game of Life.
    GameOfLife,
    /// Fourier transforms.
    FftButterflies,
}

/// What is known of a program without running it.
struct Row {
    name: &'static str,
    about: &'static str,
    /// The size unless another is asked for.
    n: usize,
    /// The iterations of a batch unless others are asked for.
    iterations: usize,
    /// The elements of the largest array are this power of the size.
    power: u32,
}

impl Program {
    /// All programs.
    pub const ALL: [Program; 36] = [
        Program::BlackScholes,
        Program::Stencil,
        Program::Jacobi,
        Program::Cg,
        Program::CgDense,
        Program::Mandelbrot,
        Program::LogisticRegression,
        Program::Stencil27,
        Program::Heat3d,
        Program::Sepia,
        Program::LinearFilter,
        Program::Nbody,
        Program::Kmeans,
        Program::VectorSum,
        Program::VectorDot,
        Program::Julia,
        Program::ComplexProduct,
        Program::CavityFlow,
        Program::ChannelFlow,
        Program::ChannelFlow6,
        Program::ShallowWater,
        Program::ShallowWater3,
        Program::Bicgstab,
        Program::Cgs,
        Program::Miniweather,
        Program::Fdtd2d,
        Program::Hdiff,
        Program::Multigrid,
        Program::Softmax,
        Program::Layernorm,
        Program::Attention,
        Program::Mlp,
        Program::Adam,
        Program::Filter5x5,
        Program::GameOfLife,
        Program::FftButterflies,
    ];

    fn row(self) -> Row {
        let row = |name, about, n, iterations, power| Row { name, about, n, iterations, power };
        match self {
            Program::BlackScholes => {
                row("black_scholes", "European options, Listing 1", 1_000_000, 10, 1)
            }
            Program::Stencil => {
                row("stencil", "5-point stencil that is assigned in place", 1000, 100, 2)
            }
            Program::Jacobi => row("jacobi", "Jacobi iteration with a dense matrix", 2000, 20, 2),
            Program::Cg => {
                row("cg", "Conjugate gradients, matrix-free 5-point Laplacian", 500, 50, 2)
            }
            Program::CgDense => {
                row("cg_dense", "Conjugate gradients, the same matrix stored dense", 30, 20, 4)
            }
            Program::Mandelbrot => {
                row("mandelbrot", "Mandelbrot set on pairs of reals", 500, 100, 2)
            }
            Program::LogisticRegression => {
                row("logistic_regression", "Logistic regression with 32 features", 100_000, 20, 1)
            }
            Program::Stencil27 => {
                row("stencil27", "27-point stencil in 3 dimensions, assigned in place", 100, 20, 3)
            }
            Program::Heat3d => row("heat3d", "Heat equation in 3 dimensions", 100, 50, 3),
            Program::Sepia => row("sepia", "Sepia filter of an RGB image", 1000, 10, 2),
            Program::LinearFilter => {
                row("linear_filter", "Mean of 9 pixels of an RGB image", 1000, 10, 2)
            }
            Program::Nbody => {
                row("nbody", "Bodies that attract each other, all pairs", 1000, 10, 2)
            }
            Program::Kmeans => {
                row("kmeans", "K-means of points in 4 dimensions, 8 clusters", 100_000, 10, 1)
            }
            Program::VectorSum => row("vector_sum", "Sum of a vector", 10_000_000, 10, 1),
            Program::VectorDot => {
                row("vector_dot", "Dot product of two vectors", 10_000_000, 10, 1)
            }
            Program::Julia => row("julia", "Julia set on complex arrays", 500, 100, 2),
            Program::ComplexProduct => {
                row("complex_product", "z * w + c of complex vectors", 1_000_000, 10, 1)
            }
            Program::CavityFlow => {
                row("cavity_flow", "Flow in a cavity whose lid moves, NPBench", 200, 5, 2)
            }
            Program::ChannelFlow => {
                row("channel_flow", "Flow through a channel, NPBench", 200, 5, 2)
            }
            Program::ChannelFlow6 => {
                row("channel_flow6", "Flow through a channel, 6 sweeps a step", 200, 20, 2)
            }
            Program::ShallowWater => {
                row("shallow_water", "Water over a hill, in one array", 256, 10, 2)
            }
            Program::ShallowWater3 => {
                row("shallow_water3", "Water over a hill, in three arrays", 256, 10, 2)
            }
            Program::Bicgstab => {
                row("bicgstab", "Stabilised biconjugate gradients, matrix-free", 500, 20, 2)
            }
            Program::Cgs => row("cgs", "Conjugate gradients squared, matrix-free", 500, 20, 2),
            Program::Miniweather => {
                row("miniweather", "A bubble of warm air that rises", 100, 4, 2)
            }
            Program::Fdtd2d => {
                row("fdtd2d", "Electromagnetic waves in a plane, PolyBench", 1_000, 20, 2)
            }
            Program::Hdiff => {
                row("hdiff", "Horizontal diffusion in a weather model, NPBench", 64, 10, 3)
            }
            Program::Multigrid => {
                row("multigrid", "V-cycles of multigrid for Poisson's equation", 511, 5, 2)
            }
            Program::Softmax => row("softmax", "Softmax of rows", 400, 10, 2),
            Program::Layernorm => row("layernorm", "Layer normalisation of rows", 500, 10, 2),
            Program::Attention => {
                row("attention", "Self-attention of 4 heads in 2 sequences", 128, 5, 2)
            }
            Program::Mlp => row("mlp", "A network of two layers that learns", 1_000, 10, 1),
            Program::Adam => row("adam", "Steps of Adam for ten arrays of parameters", 256, 20, 2),
            Program::Filter5x5 => {
                row("filter5x5", "Outliers of an image replaced by means", 500, 5, 2)
            }
            Program::GameOfLife => {
                row("game_of_life", "Conway's Game of Life, masks in an index", 1_000, 20, 2)
            }
            Program::FftButterflies => {
                row("fft_butterflies", "Fourier transforms by butterflies", 65_536, 5, 1)
            }
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.row().about
    }

    /// The program of this name.
    pub fn named(name: &str) -> Option<Program> {
        Program::ALL.into_iter().find(|program| program.name() == name)
    }

    /// The size and the iterations of a batch unless others are asked for.
    pub fn defaults(self) -> (usize, usize) {
        (self.row().n, self.row().iterations)
    }

    /// Whether the arrays of the program of this size have a number of elements that can be counted.
    pub fn is_countable(self, n: usize) -> bool {
        const MOST: usize = 1 << 59;
        let largest = n.saturating_add(2).checked_pow(self.row().power);
        largest.is_some_and(|elements| elements <= MOST)
    }

    /// Makes the program with size `n` and shows it to `visitor`. Arrays belong to the current runtime.
    pub fn visit<T: Float, V: Visitor>(self, n: usize, visitor: V) -> V::Output {
        match self {
            Program::BlackScholes => visitor.visit(Options::<T>::new(n)),
            Program::Stencil => visitor.visit(Grid::<T>::new(n)),
            Program::Jacobi => visitor.visit(Equations::<T>::new(n)),
            Program::Cg => visitor.visit(Gradients::<T>::new(n, false)),
            Program::CgDense => visitor.visit(Gradients::<T>::new(n, true)),
            Program::Mandelbrot => visitor.visit(Plane::<T>::new(n)),
            Program::LogisticRegression => visitor.visit(Samples::<T>::new(n)),
            Program::Stencil27 => visitor.visit(Cube::<T>::new(n)),
            Program::Heat3d => visitor.visit(Heat::<T>::new(n)),
            Program::Sepia => visitor.visit(Sepia::<T>::new(n)),
            Program::LinearFilter => visitor.visit(Filter::<T>::new(n)),
            Program::Nbody => visitor.visit(Attraction::<T>::new(n)),
            Program::Kmeans => visitor.visit(Points::<T>::new(n)),
            Program::VectorSum => visitor.visit(Vectors::<T>::new(n, false)),
            Program::VectorDot => visitor.visit(Vectors::<T>::new(n, true)),
            Program::Julia => visitor.visit(Julia::<T>::new(n)),
            Program::ComplexProduct => visitor.visit(ComplexVectors::<T>::new(n)),
            Program::CavityFlow => visitor.visit(steps::cavity_flow::<T>(n)),
            Program::ChannelFlow => {
                visitor.visit(steps::channel_flow::<T>(n, channel_flow::SWEEPS))
            }
            Program::ChannelFlow6 => visitor.visit(steps::channel_flow::<T>(n, 6)),
            Program::ShallowWater => visitor.visit(steps::shallow_water::<T>(n)),
            Program::ShallowWater3 => visitor.visit(steps::shallow_water3::<T>(n)),
            Program::Bicgstab => visitor.visit(steps::bicgstab::<T>(n)),
            Program::Cgs => visitor.visit(steps::cgs::<T>(n)),
            Program::Miniweather => visitor.visit(steps::miniweather::<T>(n)),
            Program::Fdtd2d => visitor.visit(steps::fdtd2d::<T>(n)),
            Program::Hdiff => visitor.visit(steps::hdiff::<T>(n)),
            Program::Multigrid => visitor.visit(steps::multigrid::<T>(n)),
            Program::Softmax => visitor.visit(steps::softmax::<T>(n)),
            Program::Layernorm => visitor.visit(steps::layernorm::<T>(n)),
            Program::Attention => visitor.visit(steps::attention::<T>(n)),
            Program::Mlp => visitor.visit(steps::mlp::<T>(n)),
            Program::Adam => visitor.visit(steps::adam::<T>(n)),
            Program::Filter5x5 => visitor.visit(steps::filter5x5::<T>(n)),
            Program::GameOfLife => visitor.visit(steps::game_of_life(n)),
            Program::FftButterflies => visitor.visit(steps::fft_butterflies::<T>(n)),
        }
    }
}
