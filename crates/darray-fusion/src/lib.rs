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
//! Reading order: [`constraint`] (the four constraints over a small trait), [`precondition`] (P1 to
//! P3), [`facts`] (what the planner may ask about sizes), [`granularity`] (the two views of a
//! window), [`use_index`] (many uses of one store), [`group`] (greedy longest prefix), [`footprint`], `limits` and `slow_folds` (what ends groups beside constraints), [`rows`] (kernels by rows), [`merge`], `composer` and `nest` (tasks to one kernel), [`plan`]
//! (the result), [`planner`], [`memo`], [`print`].
//!
//! Nothing else in the code base reasons about the legality of fusion.

mod buffers;
mod composer;
pub mod constraint;
pub mod facts;
pub mod footprint;
pub mod granularity;
pub mod group;
mod kernels;
mod limits;
pub mod memo;
pub mod merge;
mod nest;
pub mod plan;
pub mod planner;
pub mod precondition;
pub mod print;
pub mod rows;
mod slow_folds;
pub mod use_index;
pub mod verify;
