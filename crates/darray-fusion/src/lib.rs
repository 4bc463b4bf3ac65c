//! The fusion analyser of darray: pure functions from a window to a plan. No device, thread, clock
//! or environment.
//!
//! Diffuse's statement "index tasks fuse when every dependence between them is point-wise" holds
//! one level down for loop nests, so ONE analyser ([`constraint`]) serves both granularities:
//!
//! ```text
//! window of index tasks --(points)--> fused tasks --(elements)--> kernels
//! ```
//!
//! Between the two there is a third, over rows, for nests of different domains that go through the same
//! rows: [`rows`].
//!
//! Reading order: [`constraint`] (the four constraints over a small trait, `replicable`, 0-d tasks that kernels compute for themselves, and [`use_index`], many uses of one store), [`facts`]
//! (what the planner may ask about sizes), [`plan`] (the result), [`precondition`] (P1 to P3), [`granularity`] (the two views of a
//! window, and [`rows`]), [`order`] (what is to stand together), [`group`] (greedy longest prefix), [`footprint`] and `limits` (what ends groups beside constraints),
//! [`merge`] (tasks to one kernel), [`planner`], [`memo`], [`print`], [`verify`].
//!
//! Nothing else in the code base reasons about the legality of fusion.

pub mod constraint;
pub mod facts;
pub mod footprint;
pub mod granularity;
pub mod group;
mod limits;
pub mod memo;
pub mod merge;
pub mod order;
pub mod plan;
pub mod planner;
pub mod precondition;
pub mod print;
pub mod verify;

pub use constraint::use_index;
pub use granularity::rows;
