//! A device that runs kernels by the reference interpreter: slow, simple, for tests and as an oracle.

mod builtin;

use darray_core::{RealType, Scalar};
use darray_device::builtin::View;
use darray_device::codes::Codes;
use darray_device::faults::Faults;
use darray_device::{
    Arg, Block, Code, Command, CommandFault, Describe, Device, DeviceId, DeviceStats, Event, Fault,
    LaunchCosts, Queue, Rect,
};
use darray_interpreter::{BufferArg, Launch, interpret};
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;

/// A device whose memory is host bytes and whose kernels are interpreted element by element.
///
/// Rules: commands run in `submit`; fresh memory is filled with 0xA5, so that what was not written is
/// seen; a block that was given back, or bytes outside a block, are a fault.
pub struct ReferenceDevice {
    id: DeviceId,
    describe: Describe,
    memories: Arc<Mutex<Vec<Memory>>>,
}

/// One device's memory and state.
#[derive(Default)]
struct Memory {
    blocks: BTreeMap<u64, Vec<u8>>,
    next_handle: u64,
    kernels: Codes<Kernel>,
    tickets: BTreeMap<u16, u64>,
    faults: Faults<(u16, u64)>,
    stats: DeviceStats,
}

impl ReferenceDevice {
    /// Devices with separate memories of `limit` bytes, which can copy from each other.
    pub fn set(count: usize, limit: u64) -> Vec<Arc<dyn Device>> {
        let memories: Vec<Memory> = (0..count).map(|_| Memory::default()).collect();
        let memories = Arc::new(Mutex::new(memories));
        let device = |id: usize| ReferenceDevice {
            id: DeviceId(id as u16),
            describe: Describe {
                name: format!("reference:{id}"),
                memory_limit: limit,
                queues: 1,
                launches: LaunchCosts { small: 2048, launch: 50_000, next_nest: 20_000 },
            },
            memories: memories.clone(),
        };
        (0..count).map(|id| Arc::new(device(id)) as Arc<dyn Device>).collect()
    }

    fn memories(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.memories.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn run(&self, memories: &mut [Memory], command: &Command) -> Result<(), Fault> {
        let own = self.id.0 as usize;
        match command {
            Command::Launch { code, args } => {
                memories[own].stats.launches += 1;
                memories[own].launch(*code, args)
            }
            Command::Builtin { name, args } => {
                memories[own].stats.builtins += 1;
                memories[own].builtin(name, args)
            }
            Command::Task(call) => {
                let message = format!("task {} has no variant for this device", call.task.name());
                Err(Fault::Execution(message))
            }
            Command::Copy { from, to } => {
                let bytes = memories[from.block.device.0 as usize].gather(from)?;
                memories[own].scatter(to, &bytes)
            }
            Command::Upload { from, to } => memories[own].scatter(to, from.bytes()),
            Command::Download { from, to, at } => {
                let bytes = memories[own].gather(from)?;
                let mut to = to.lock().unwrap_or_else(|e| e.into_inner());
                match to.put(*at, &bytes) {
                    true => Ok(()),
                    false => Err(Fault::no_room(*at, bytes.len(), to.byte_capacity())),
                }
            }
        }
    }
}

impl Device for ReferenceDevice {
    fn describe(&self) -> &Describe {
        &self.describe
    }

    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
        self.memories()[self.id.0 as usize].kernels.hold(kernel, || Ok(kernel.clone()))
    }

    fn forget(&self, code: Code) {
        self.memories()[self.id.0 as usize].kernels.forget(code);
    }

    fn allocate(&self, _queue: Queue, bytes: u64) -> Result<Block, Fault> {
        let memory = &mut self.memories()[self.id.0 as usize];
        let (in_use, limit) = (memory.stats.bytes_in_use, self.describe.memory_limit);
        if in_use + bytes > limit {
            return Err(Fault::OutOfMemory { requested: bytes, in_use, limit });
        }
        memory.stats.bytes_in_use += bytes;
        memory.stats.bytes_peak = memory.stats.bytes_peak.max(in_use + bytes);
        memory.next_handle += 1;
        memory.blocks.insert(memory.next_handle, vec![0xA5; bytes as usize]);
        Ok(Block { device: self.id, handle: memory.next_handle, bytes })
    }

    fn release(&self, _queue: Queue, block: Block, _after: &[Event]) {
        let memory = &mut self.memories()[self.id.0 as usize];
        if memory.blocks.remove(&block.handle).is_some() {
            memory.stats.bytes_in_use -= block.bytes;
        }
    }

    fn submit(&self, queue: Queue, _after: &[Event], work: &[Command]) -> Result<Event, Fault> {
        let mut memories = self.memories();
        let mut fault = None;
        for (number, command) in work.iter().enumerate() {
            if let Err(reason) = self.run(&mut memories, command) {
                fault = Some(CommandFault { command: number as u32, fault: reason });
                break;
            }
        }
        let memory = &mut memories[self.id.0 as usize];
        let ticket = memory.tickets.entry(queue.0).or_default();
        *ticket += 1;
        let ticket = *ticket;
        if let Some(fault) = fault {
            memory.faults.add((queue.0, ticket), fault);
        }
        Ok(Event { device: self.id, queue, ticket })
    }

    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        Poll::Ready(self.wait(event))
    }

    fn wait(&self, event: Event) -> Result<(), CommandFault> {
        let faults = &mut self.memories()[self.id.0 as usize].faults;
        faults.hand_on(&(event.queue.0, event.ticket))
    }

    fn stats(&self) -> DeviceStats {
        let memory = &self.memories()[self.id.0 as usize];
        let mut stats = DeviceStats { faults: memory.faults.len() as u64, ..memory.stats };
        memory.kernels.count(&mut stats);
        stats
    }
}

impl Memory {
    fn launch(&mut self, code: Code, args: &[Arg]) -> Result<(), Fault> {
        let kernel = self.kernels.get(code)?;
        let (params, count) = (kernel.params as usize, kernel.buffers.len());
        if args.len() != count + params + kernel.scalars.len() {
            return Err(Fault::Execution("wrong number of launch arguments".to_string()));
        }
        // One array per block and type.
        let mut arrays: Vec<((u64, RealType), Vec<Scalar>)> = Vec::new();
        let mut buffers = Vec::new();
        for (buffer, arg) in kernel.buffers.iter().zip(args) {
            let Arg::Buffer { block, offset, strides } = arg else {
                return Err(Fault::Execution("a buffer argument is no buffer".to_string()));
            };
            let key = (block.handle, buffer.dtype);
            let at = match arrays.iter().position(|(k, _)| *k == key) {
                Some(at) => at,
                None => {
                    let elements = block.bytes as usize / buffer.dtype.size();
                    let array = (0..elements as i64).map(|e| self.get(*block, buffer.dtype, e));
                    arrays.push((key, array.collect::<Result<_, _>>()?));
                    arrays.len() - 1
                }
            };
            buffers.push(BufferArg::new(at, *offset, strides.iter().copied()));
        }
        let bits = |arg: &Arg| match arg {
            Arg::Bits(bits) => *bits,
            Arg::Buffer { .. } => 0,
        };
        let scalars = kernel.scalars.iter().zip(&args[count + params..]);
        let launch = Launch {
            buffers,
            params: args[count..count + params].iter().map(|a| bits(a) as i64).collect(),
            scalars: scalars.map(|(dtype, a)| Scalar::from_bits(*dtype, bits(a))).collect(),
        };
        let (keys, mut memory): (Vec<_>, Vec<_>) = arrays.into_iter().unzip();
        let written = interpret(&kernel, &launch, &mut memory);
        // Not what has changed: any byte but 0 reads as true, and true is written as 1.
        for (array, element) in written.map_err(|e| Fault::Execution(e.to_string()))? {
            let ((handle, dtype), value) = (keys[array], memory[array][element]);
            let bytes = self.blocks.get_mut(&handle).ok_or_else(released)?;
            let (at, size) = (element * dtype.size(), dtype.size());
            bytes[at..at + size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
        }
        Ok(())
    }

    fn element(&self, view: &View, dtype: RealType, index: &[usize]) -> Result<Scalar, Fault> {
        self.get(view.block, dtype, position(view.offset, &view.strides, index))
    }

    fn set_element(&mut self, view: &View, value: Scalar, index: &[usize]) -> Result<(), Fault> {
        let at = position(view.offset, &view.strides, index);
        let size = value.dtype().size();
        self.slice(view.block, at, size)?.copy_from_slice(&value.bits().to_le_bytes()[..size]);
        Ok(())
    }

    fn get(&self, block: Block, dtype: RealType, element: i64) -> Result<Scalar, Fault> {
        let bytes = self.blocks.get(&block.handle).ok_or_else(released)?;
        let at = usize::try_from(element).map_err(|_| outside())? * dtype.size();
        let value = bytes.get(at..at + dtype.size()).ok_or_else(outside)?;
        let mut bits = [0; 8];
        bits[..value.len()].copy_from_slice(value);
        Ok(Scalar::from_bits(dtype, u64::from_le_bytes(bits)))
    }

    fn slice(&mut self, block: Block, element: i64, size: usize) -> Result<&mut [u8], Fault> {
        let at = usize::try_from(element).map_err(|_| outside())? * size;
        let bytes = self.blocks.get_mut(&block.handle).ok_or_else(released)?;
        bytes.get_mut(at..at + size).ok_or_else(outside)
    }

    /// The elements of a rectangle, row-major.
    fn gather(&mut self, from: &Rect) -> Result<Vec<u8>, Fault> {
        let size = from.dtype.size();
        let mut out = Vec::with_capacity(from.extents.iter().product::<usize>() * size);
        for element in elements(from) {
            out.extend_from_slice(self.slice(from.block, element, size)?);
        }
        Ok(out)
    }

    fn scatter(&mut self, to: &Rect, bytes: &[u8]) -> Result<(), Fault> {
        let size = to.dtype.size();
        for (element, value) in elements(to).zip(bytes.chunks(size)) {
            self.slice(to.block, element, size)?.copy_from_slice(value);
        }
        Ok(())
    }
}

/// All indices of an array of these extents, row-major.
fn indices(extents: &[usize]) -> impl Iterator<Item = SmallVec<[usize; 4]>> + '_ {
    (0..extents.iter().product()).map(|number| {
        let (mut index, mut rest): (SmallVec<[usize; 4]>, usize) = (extents.into(), number);
        for at in index.iter_mut().rev() {
            (*at, rest) = (rest % *at, rest / *at);
        }
        index
    })
}

/// The positions of a rectangle's elements in its block, row-major.
fn elements(rect: &Rect) -> impl Iterator<Item = i64> + '_ {
    (0..rect.extents.iter().product()).map(|number| {
        let mut rest: usize = number;
        let mut at = rect.offset;
        for (&extent, stride) in rect.extents.iter().zip(&rect.strides).rev() {
            at += (rest % extent) as i64 * stride;
            rest /= extent;
        }
        at
    })
}

fn position(offset: i64, strides: &[i64], index: &[usize]) -> i64 {
    offset + strides.iter().zip(index).map(|(s, &i)| s * i as i64).sum::<i64>()
}

fn released() -> Fault {
    Fault::Execution("a block is used that was given back".to_string())
}

fn outside() -> Fault {
    Fault::Execution("an element lies outside its block".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fresh memory is filled with is true as well, so that nothing seems to change.
    #[test]
    fn true_is_written_as_one_and_nothing_else_is_written() {
        let device = ReferenceDevice::set(1, 1 << 20).remove(0);
        let kernel = Kernel::parse(
            "kernel params=3 scalars=[] b0: bool rank 1 write {
               for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                 %0 = const.bool true
                 store b0[p1 + 1*i0] %0
               }
             }",
        )
        .unwrap();
        let code = device.compile(&kernel).unwrap();
        let block = device.allocate(Queue(0), 4).unwrap();
        let buffer = Arg::Buffer { block, offset: 0, strides: [2].into_iter().collect() };
        let args = vec![buffer, Arg::Bits(2), Arg::Bits(0), Arg::Bits(1)];
        let to = Arc::new(Mutex::new(vec![0u8; 4]));
        let from = Rect {
            block,
            dtype: RealType::Bool,
            offset: 0,
            extents: [4].into_iter().collect(),
            strides: [1].into_iter().collect(),
        };
        let work =
            [Command::Launch { code, args }, Command::Download { from, to: to.clone(), at: 0 }];
        let event = device.submit(Queue(0), &[], &work).unwrap();
        device.wait(event).unwrap();
        assert_eq!(*to.lock().unwrap(), [1, 0xA5, 1, 0xA5]);
    }
}
