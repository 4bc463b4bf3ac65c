//! The buffers of a kernel under construction.

use crate::plan::BufferSource;
use darray_core::{Chart, RealType};
use darray_ir::{DomainId, MapId, Privilege, StoreId, Window};
use darray_kernel::ir::{Buffer, Role};
use hashbrown::HashMap;

/// The buffers of a kernel, one per store and chart.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) sources: Vec<BufferSource>,
    known: HashMap<(StoreId, Chart, usize), u16>,
}

impl Buffers {
    /// The buffer of a store in the chart of a map over a domain, used by this privilege.
    pub(crate) fn store(
        &mut self,
        window: &Window,
        store: StoreId,
        (domain, map): (DomainId, MapId),
        by: Privilege,
    ) -> u16 {
        let geometry = window.map(map);
        let rank = geometry.dims.len();
        let index = *self.known.entry((store, geometry.chart, rank)).or_insert_with(|| {
            let role = if by.writes() { Role::Write } else { Role::Read };
            let dtype = window.store(store).dtype;
            self.buffers.push(Buffer { dtype, rank: rank as u8, role, no_alias: true });
            self.sources.push(BufferSource::Store { store, accesses: Vec::new() });
            self.buffers.len() as u16 - 1
        });
        let role = &mut self.buffers[index as usize].role;
        *role = match (*role, by.writes()) {
            (Role::Read, true) | (Role::Write, false) => Role::ReadWrite,
            (role, _) => role,
        };
        if let BufferSource::Store { accesses, .. } = &mut self.sources[index as usize] {
            match accesses.iter_mut().find(|(d, m, _)| (*d, *m) == (domain, map)) {
                // What the kernel reads of its own, it needs nothing of from before.
                Some((_, _, Privilege::Write)) if by == Privilege::Read => {}
                Some((_, _, known)) => *known = known.promote(by),
                None => accesses.push((domain, map, by)),
            }
        }
        index
    }

    /// A new buffer for the partial results of a reduction output.
    pub(crate) fn partial(
        &mut self,
        dtype: RealType,
        rank: usize,
        reduction: u32,
        output: u32,
    ) -> u16 {
        self.buffers.push(Buffer { dtype, rank: rank as u8, role: Role::Partial, no_alias: true });
        self.sources.push(BufferSource::Partial { reduction, output });
        self.buffers.len() as u16 - 1
    }
}
