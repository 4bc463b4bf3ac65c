//! Copies as nodes of graphs.

use super::graph::{NODES, add, place};
use crate::driver::code::{Answer, Code};
use crate::driver::heap;
use crate::driver::operation::{Copy, End, Operation};
use crate::driver::schedule::Session;
use crate::exports::{call, device_of};
use std::ffi::c_void;
use std::sync::Arc;

/// One end of `CUDA_MEMCPY3D`.
#[repr(C)]
struct Place {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: u32,
    host: *const c_void,
    device: u64,
    array: u64,
    reserved: *const c_void,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
struct Parameters {
    from: Place,
    to: Place,
    width: usize,
    height: usize,
    depth: usize,
}

impl Place {
    fn end(&self, session: &Session, bytes: u64) -> Answer<End> {
        const HOST: u32 = 1;
        const DEVICE: u32 = 2;
        const UNIFIED: u32 = 4;
        if [self.y, self.z, self.level] != [0; 3] {
            return Err(Code::NOT_SUPPORTED);
        }
        let address = match self.kind {
            HOST => self.host as u64 + self.x as u64,
            DEVICE | UNIFIED => self.device + self.x as u64,
            _ => return Err(Code::NOT_SUPPORTED),
        };
        let of_device = heap::owner(address).is_some();
        if address == 0 || of_device && self.kind == HOST || !of_device && self.kind == DEVICE {
            return Err(Code::INVALID_VALUE);
        }
        let reachable = of_device || session.is_pinned(address, bytes);
        Ok(if reachable { End::Address(address) } else { End::Host(address) })
    }
}

impl Parameters {
    /// The copy; only those of one row can be nodes here.
    fn copy(&self, session: &Session) -> Answer<Copy> {
        let width = self.width as u64;
        match [self.height, self.depth] {
            _ if width == 0 => return Err(Code::INVALID_VALUE),
            [1, 1] => {}
            [0, _] | [_, 0] => return Err(Code::INVALID_VALUE),
            _ => return Err(Code::NOT_SUPPORTED),
        }
        let (to, from) = (self.to.end(session, width)?, self.from.end(session, width)?);
        // Between devices it needs their access to each other.
        let peer = memory(&to).is_none() || memory(&from).is_none();
        Ok(Copy { to, from, width, rows: 1, pitches: [0, 0], peer })
    }
}

/// The device whose memory an end is; none for the host's.
fn memory(end: &End) -> Option<usize> {
    match end {
        End::Address(address) => heap::owner(*address),
        End::Host(_) | End::Staged(_) => None,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphAddMemcpyNode(
    to: *mut u64,
    graph: u64,
    after: *const u64,
    count: usize,
    parameters: *const Parameters,
    context: u64,
) -> u32 {
    call("cuGraphAddMemcpyNode", |session| {
        let device = device_of(session, context)?;
        // SAFETY: the interface of the call.
        let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let operation = Operation::Copy(Arc::new(parameters.copy(session)?));
        // SAFETY: the interface of the call.
        unsafe { add(session, to, graph, after, count, device, operation) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphExecMemcpyNodeSetParams(
    executable: u64,
    node: u64,
    parameters: *const Parameters,
    context: u64,
) -> u32 {
    call("cuGraphExecMemcpyNodeSetParams", |session| {
        let device = device_of(session, context)?;
        // SAFETY: the interface of the call.
        let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let copy = parameters.copy(session)?;
        let found = session.node_to_update(executable, (node / NODES, place(node)))?;
        let Operation::Copy(old) = &found.operation else { return Err(Code::INVALID_VALUE) };
        // Both ends stay in the memory where they were.
        let ends = |copy: &Copy| (memory(&copy.to), memory(&copy.from));
        if ends(old) != ends(&copy) || found.device != device {
            return Err(Code::INVALID_VALUE);
        }
        found.operation = Operation::Copy(Arc::new(copy));
        Ok(())
    })
}
