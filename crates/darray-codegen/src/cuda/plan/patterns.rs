//! How accesses move along loops.

use crate::layout::StrideClass;
use smallvec::SmallVec;

/// Distinct strides of the accesses of a nest: elements per step of every parallel loop, then of every
/// reduced axis. Accesses that move equally share a pattern, so that their offsets are computed once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Patterns<T> {
    /// Loops and reduced axes.
    dims: usize,
    count: usize,
    /// By pattern, then by dimension.
    entries: SmallVec<[T; 16]>,
    /// The pattern of every access of the nest.
    of_access: SmallVec<[u16; 8]>,
}

impl<T: Copy + PartialEq> Patterns<T> {
    /// No patterns yet, of so many dimensions.
    pub fn new(dims: usize) -> Patterns<T> {
        Patterns { dims, count: 0, entries: SmallVec::new(), of_access: SmallVec::new() }
    }

    /// The next access, with an entry per dimension.
    pub fn push(&mut self, entries: impl Iterator<Item = T>) {
        let first = self.entries.len();
        self.entries.extend(entries);
        debug_assert_eq!(self.entries.len(), first + self.dims);
        let known =
            (0..self.count).find(|&pattern| self.pattern(pattern) == &self.entries[first..]);
        if known.is_some() {
            self.entries.truncate(first);
        }
        self.of_access.push(known.unwrap_or(self.count) as u16);
        self.count += known.is_none() as usize;
    }

    /// How many patterns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The entries of a pattern.
    pub fn pattern(&self, pattern: usize) -> &[T] {
        &self.entries[pattern * self.dims..][..self.dims]
    }

    /// The number of an access' pattern.
    pub fn number(&self, access: usize) -> usize {
        self.of_access[access] as usize
    }

    /// The entries of an access.
    pub fn of(&self, access: usize) -> &[T] {
        self.pattern(self.number(access))
    }
}

impl Patterns<i64> {
    /// The classes of the strides.
    pub fn classes(&self) -> Patterns<StrideClass> {
        let class = |&stride: &i64| match stride {
            0 => StrideClass::Still,
            1 => StrideClass::Unit,
            _ => StrideClass::Strided,
        };
        Patterns {
            dims: self.dims,
            count: self.count,
            entries: self.entries.iter().map(class).collect(),
            of_access: self.of_access.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::{Binding, Bindings, CudaKernel};
    use darray_kernel::ir::Kernel;

    /// Code has no form of its own for steps towards lower addresses: what it reads of them is declared.
    #[test]
    fn backward_is_strided() {
        let kernel = Kernel::parse(
            "kernel params=2 scalars=[]
               b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
             { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
               %0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0
             } }",
        );
        let kernel = CudaKernel::new(&kernel.expect("a kernel")).expect("a program");
        let buffer = |address, offset, stride| {
            let strides = SmallVec::from_slice(&[stride]);
            Binding { address, bytes: 800, offset, strides }
        };
        let buffers = [buffer(1 << 40, 99, -1), buffer(1 << 41, 0, 1)];
        let bindings = Bindings { buffers: &buffers, params: &[100, 0], scalars: &[] };
        let strided = kernel.variant(&bindings).expect("a variant");
        let mut backward = strided.clone();
        for nest in backward.nests.iter_mut().flatten() {
            let classes = nest.patterns.entries.iter_mut();
            let strides = classes.filter(|class| **class == StrideClass::Strided);
            strides.for_each(|class| *class = StrideClass::Backward);
        }
        assert_ne!(backward, strided);
        assert_eq!(kernel.source(&backward).text, kernel.source(&strided).text);
    }
}
