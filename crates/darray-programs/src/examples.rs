//! The files of examples/, as modules.

#[path = "../../../examples/black_scholes.rs"]
pub mod black_scholes;
#[path = "../../../examples/cg.rs"]
pub mod cg;
#[path = "../../../examples/jacobi.rs"]
pub mod jacobi;
#[path = "../../../examples/stencil.rs"]
pub mod stencil;
