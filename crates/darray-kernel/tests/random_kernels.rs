//! Random kernels, simplified and contracted.

use darray_differential::{Options, first_difference, random_kernel};
use darray_interpreter::interpret;
use darray_kernel::contract::contract;
use darray_kernel::ir::Region;
use darray_kernel::simplify::simplify;
use darray_kernel::verify::verify;
use proptest::prelude::*;

fn count(region: &Region) -> usize {
    region.ops.iter().map(|op| 1 + op.body().map_or(0, count)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn simplified_kernels_compute_the_same_bits(seed in any::<u64>()) {
        let options = Options { longest: 9, operations: 25, ..Options::default() };
        let case = random_kernel(seed, &options);
        let simplified = simplify(&case.kernel);
        prop_assert_eq!(verify(&simplified).err(), None);
        let (mut want, mut got) = (case.memory.clone(), case.memory.clone());
        interpret(&case.kernel, &case.launch, &mut want).unwrap();
        interpret(&simplified, &case.launch, &mut got).unwrap();
        let difference = first_difference(&want, &got);
        prop_assert_eq!(difference, None, "{}\n{}", case.kernel, simplified);
        prop_assert!(count(&simplified.body) <= count(&case.kernel.body));
        prop_assert_eq!(simplify(&simplified).to_string(), simplified.to_string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Simplified again, no contractible product is left, and there are no more operations than
    /// sums, products and negatives before.
    #[test]
    fn contracted_kernels_are_kernels_and_contracting_them_again_changes_nothing(
        seed in any::<u64>()
    ) {
        let options = Options { longest: 9, operations: 25, ..Options::default() };
        let kernel = simplify(&random_kernel(seed, &options).kernel);
        let contracted = contract(&kernel);
        prop_assert_eq!(verify(&contracted).err(), None);
        prop_assert_eq!(contract(&contracted).to_string(), contracted.to_string());
    }
}
