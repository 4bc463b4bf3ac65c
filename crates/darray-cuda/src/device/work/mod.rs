//! A submission that is being queued: its commands become calls of the driver, or nodes of a batch.

pub(super) mod copy_kernel;
pub(super) mod launch;
pub(super) mod rectangle;
pub(super) mod route;
pub(super) mod task;
pub(super) mod transfer;

use crate::device::group::Group;
use crate::device::state::clock::{Clock, Waits};
use crate::device::state::logical::Logical;
use crate::device::state::submission::Submission;
use crate::driver::Stream;
use route::Route;

/// A submission that is being queued.
pub(super) struct Run<'r> {
    pub group: &'r Group,
    pub own: &'r Logical,
    pub route: Route<'r>,
    /// The queue's stream, once a program's own task has asked for it.
    pub direct: Option<&'r Stream>,
    /// What the route's stream is behind; of a batch nobody asks.
    pub known: &'r Clock,
    /// What the stream that fetches for the first command has to wait for, before it does.
    pub apart: Option<Waits>,
    /// What the route's stream is behind by way of streams that fetch.
    pub learned: Clock,
    pub submission: Submission,
}
