//! What tests change inside a runtime. It is compiled only with the feature `testing`, which is not a default.

use darray_cpu::CpuOptions;
use darray_fusion::plan::{Rule, Rules};
use darray_kernel::tree::TreeRule;
use darray_runtime::{RuntimeOptions, WaitKind, Waits};

/// What tests change inside a runtime, for [`RuntimeBuilder::testing`](crate::RuntimeBuilder::testing); by default nothing.
///
/// ```
/// use darray::testing::Testing;
/// use darray::{DArray, Runtime};
/// let testing = Testing { isolate: true, ..Testing::default() };
/// let rt = Runtime::builder().cpu_devices(2).testing(testing).build().unwrap();
/// assert_eq!(rt.scope(|| DArray::<f64>::ones((8, 8)).sum(..).item()), 64.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Testing {
    /// Block sizes of reductions and tiles: small arrays cross small ones. Results depend on it.
    pub tree_rule: TreeRule,
    /// Whether the memories of other CPU devices are inaccessible while one works, and what surrounds arrays is at any time.
    pub isolate: bool,
    /// Simple operations from which a CPU device's threads share a loop, and nests of a kernel by rows run together, so
    /// that small arrays go the ways of large ones.
    pub least_parallel: Option<usize>,
    /// Elements of the largest nests that are launched together, so that small arrays go the ways of large ones.
    pub largest_in_turn: Option<usize>,
    /// A rule of fusion to leave out. Results are then wrong.
    pub without_rule: Option<Rule>,
    /// A kind of wait to leave out. Results are then wrong.
    pub without_wait: Option<WaitKind>,
}

impl Default for Testing {
    fn default() -> Testing {
        Testing {
            tree_rule: TreeRule::STANDARD,
            isolate: false,
            least_parallel: None,
            largest_in_turn: None,
            without_rule: None,
            without_wait: None,
        }
    }
}

impl Testing {
    /// The runtime's options with these changes.
    pub(crate) fn runtime(self, options: RuntimeOptions) -> RuntimeOptions {
        RuntimeOptions {
            tree_rule: self.tree_rule,
            largest_in_turn: self.largest_in_turn,
            rules: self.without_rule.map_or_else(Rules::default, Rules::without),
            waits: self.without_wait.map_or_else(Waits::default, Waits::without),
            ..options
        }
    }

    /// The options of CPU devices with these changes.
    pub(crate) fn cpus(self, options: CpuOptions) -> CpuOptions {
        CpuOptions {
            isolate: self.isolate,
            least_parallel: self.least_parallel.unwrap_or(options.least_parallel),
            rows_from: self.least_parallel.unwrap_or(options.rows_from),
            ..options
        }
    }
}
