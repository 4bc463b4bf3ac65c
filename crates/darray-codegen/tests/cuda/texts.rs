//! The texts of a few kernels.

use crate::examples;
use expect_test::expect_file;

#[test]
fn texts() {
    expect_file!["texts/chain.cu"].assert_eq(&examples::chain(1000).source().text);
    expect_file!["texts/axpy.cu"].assert_eq(&examples::axpy(1001).source().text);
    expect_file!["texts/stencil.cu"].assert_eq(&examples::stencil(34, 66).source().text);
    expect_file!["texts/dot.cu"].assert_eq(&examples::dot(5000).source().text);
    expect_file!["texts/row_sum.cu"].assert_eq(&examples::row_sum(40, 500).source().text);
}
