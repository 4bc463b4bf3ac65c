//! The files of examples/, as modules.

#[path = "../../../examples/black_scholes.rs"]
pub mod black_scholes;
#[path = "../../../examples/cg.rs"]
pub mod cg;
#[path = "../../../examples/heat3d.rs"]
pub mod heat3d;
#[path = "../../../examples/jacobi.rs"]
pub mod jacobi;
#[path = "../../../examples/kmeans.rs"]
pub mod kmeans;
#[path = "../../../examples/linear_filter.rs"]
pub mod linear_filter;
#[path = "../../../examples/logistic_regression.rs"]
pub mod logistic_regression;
#[path = "../../../examples/mandelbrot.rs"]
pub mod mandelbrot;
#[path = "../../../examples/nbody.rs"]
pub mod nbody;
#[path = "../../../examples/products.rs"]
pub mod products;
#[path = "../../../examples/sepia.rs"]
pub mod sepia;
#[path = "../../../examples/stencil.rs"]
pub mod stencil;
#[path = "../../../examples/stencil27.rs"]
pub mod stencil27;
