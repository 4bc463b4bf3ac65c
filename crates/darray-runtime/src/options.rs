//! What a runtime is told when it is made.

use crate::devices::Waits;
use darray_device::Device;
use darray_fusion::plan::{Costs, Grouping, Mode, PlanOptions, Rules};
use darray_kernel::tree::TreeRule;
use std::sync::Arc;

/// Choices for the life of a runtime.
#[derive(Clone, Debug)]
pub struct RuntimeOptions {
    /// How far fusion goes.
    pub mode: Mode,
    /// Which tasks stand together when they are fused.
    pub grouping: Grouping,
    /// Tasks of a full window.
    pub window: WindowSize,
    /// Points of a launch domain per leading axis of the iteration domain; empty means one point a
    /// device along axis 0. Its length is the number of distributed axes.
    pub grid: Vec<u32>,
    /// Block sizes of reductions and tiles; part of the semantics.
    pub tree_rule: TreeRule,
    /// Elements of the largest nests that are launched together; none: what devices say.
    pub largest_in_turn: Option<usize>,
    /// Whether user operators may be contracted to FMA.
    pub contract: bool,
    /// Keep this many of the last flushed windows with their plans, for reports.
    pub capture: usize,
    /// The rules of legality that hold.
    pub rules: Rules,
    /// The waits that are made.
    pub waits: Waits,
}

/// When a window is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSize {
    /// At this many tasks, at least 1.
    Fixed(usize),
    /// Grows while whole windows fuse.
    Adaptive,
}

impl Default for RuntimeOptions {
    fn default() -> RuntimeOptions {
        RuntimeOptions {
            mode: Mode::Fused,
            grouping: Grouping::Graph,
            window: WindowSize::Adaptive,
            grid: Vec::new(),
            tree_rule: TreeRule::STANDARD,
            largest_in_turn: None,
            contract: false,
            capture: 0,
            rules: Rules::default(),
            waits: Waits::default(),
        }
    }
}

impl RuntimeOptions {
    /// The points per leading axis over this many devices.
    pub(crate) fn grid(&self, devices: usize) -> Vec<u32> {
        if self.grid.is_empty() { vec![devices as u32] } else { self.grid.clone() }
    }

    /// What the planner needs of this and of the devices.
    pub(crate) fn plan(&self, devices: &[Arc<dyn Device>]) -> PlanOptions {
        let grid = self.grid(devices.len());
        let launches = || devices.iter().map(|device| device.describe().launches);
        let small = launches().map(|costs| costs.small).min().unwrap_or(0);
        let small = self.largest_in_turn.unwrap_or(small);
        let costs = Costs {
            small: if grid.iter().all(|&points| points == 1) { small } else { 0 },
            launch: launches().map(|costs| costs.launch).max().unwrap_or(0),
            next_nest: launches().map(|costs| costs.next_nest).max().unwrap_or(0),
        };
        PlanOptions {
            costs,
            mode: self.mode,
            grouping: self.grouping,
            distributed_axes: grid.len(),
            tree_rule: self.tree_rule,
            contract: self.contract,
            rules: self.rules,
        }
    }
}
