//! Exponential functions, logarithms, and what is made of them.

pub mod exp;
pub mod exp2;
pub mod expm1;
pub mod hyperbolic;
pub mod inverse_hyperbolic;
pub mod ln;
pub mod logarithms;
pub mod power;
