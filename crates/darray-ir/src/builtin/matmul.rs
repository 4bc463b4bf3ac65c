//! Matrix products.

use super::{BuiltinSpec, Cuts, Tile};
use darray_core::RealType;
use smallvec::SmallVec;
use std::borrow::Cow;

/// `out (m, n) = a (m, k) . b (k, n)`, domain (m, n); tiled by rows, or by stacked products; `b`
/// replicated.
/// The input maps span (m, k) and (k, n), not the domain: axis 0 and 1 of their own views.
/// The scalar is `k`. Axes before the last two are a stack of products: then the domain is
/// (.., m, n), the inputs span (.., m, k) and (.., k, n).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatMul;

impl BuiltinSpec for MatMul {
    fn name(&self) -> Cow<'static, str> {
        "matmul".into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        SmallVec::new()
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<MatMul> {
        (name == "matmul" && numbers.is_empty()).then_some(MatMul)
    }

    fn inputs(&self) -> (usize, usize) {
        (2, 1)
    }

    fn check(&self, _dtypes: &[RealType], _rank: usize) -> Result<(), String> {
        Ok(())
    }

    fn cuts(&self) -> Cuts {
        Cuts::Rows
    }

    fn part(&self, position: usize, tile: &mut Tile, extent: usize) {
        let [.., rows, columns] = &mut tile[..] else { return };
        match position {
            1 => *columns = 0..extent,
            2 => *rows = 0..extent,
            _ => {}
        }
    }
}
