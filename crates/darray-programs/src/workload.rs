//! What can be run: a workload, and the forms in which a program can be written.

use darray::Result;

/// A program that can be run from its start, iteration by iteration. It holds the inputs.
pub trait Workload: 'static {
    /// Whether an iteration depends on the one before.
    const LOOPS: bool;
    /// The forms in which it is written, the original first.
    const VARIANTS: &'static [Variant] = &Variant::ALL;
    /// What an iteration reads and writes, results included.
    type State: 'static;
    /// The start of the program.
    fn prepare(&self) -> Self::State;
    /// One iteration, as the example has it or in another form.
    fn iterate(&self, state: &mut Self::State, variant: Variant);
    /// The result, to compare with other systems.
    ///
    /// # Errors
    /// Whatever failed while the program ran, for example for want of memory.
    fn checksum(&self, state: &Self::State) -> Result<Vec<f64>>;
    /// The checksum after so many iterations of the original, by plain loops over the inputs.
    fn oracle(&self, iterations: usize) -> Vec<f64>;
}

/// What to do with a workload of whatever type.
pub trait Visitor {
    /// What it gives.
    type Output;
    /// Does it.
    fn visit<W: Workload>(self, workload: W) -> Self::Output;
}

/// The forms in which a program is written. Fusion goes by rules, so it makes the same groups of all.
///
/// ```
/// use darray_programs::Variant;
/// assert_eq!(Variant::ALL.map(Variant::name), ["original", "reordered", "one_more", "constants"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As in crates/darray/examples/.
    Original,
    /// Operands and independent statements in another order.
    Reordered,
    /// One more element-wise operation in an iteration.
    OneMore,
    /// Other constants.
    Constants,
}

impl Variant {
    /// All, the original first.
    pub const ALL: [Variant; 4] =
        [Variant::Original, Variant::Reordered, Variant::OneMore, Variant::Constants];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Original => "original",
            Variant::Reordered => "reordered",
            Variant::OneMore => "one_more",
            Variant::Constants => "constants",
        }
    }
}
