//! What is kept of work till it has run.

use super::check::Check;
use super::staging::{Landing, Lease};
use crate::driver::Function;
use crate::error::CudaError;
use darray_core::RealType;
use darray_device::{Command, CommandFault, Fault};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// What must be kept of a submission until it has run.
#[derive(Default)]
pub(in crate::device) struct Submission {
    /// What the host found wrong.
    pub fault: Option<CommandFault>,
    /// None for most: what is small is moved quickly.
    pub host: Option<Box<HostMemory>>,
    /// Code that the GPU runs.
    functions: SmallVec<[Arc<Vec<Function>>; 1]>,
    /// Its first commands, for the message about a failure on the GPU, and how many there are.
    names: SmallVec<[Name; 1]>,
    commands: u32,
}

/// Memory of the host that a submission uses.
#[derive(Default)]
pub(in crate::device) struct HostMemory {
    /// What the GPU reads.
    keeps: Vec<Lease>,
    /// What the GPU writes, and where its bytes go then.
    pub landings: Vec<Landing>,
    /// What the GPU may have found wrong with data.
    pub checks: Vec<Check>,
}

/// More names are of no use to a reader.
const NAMES: usize = 16;

/// What a command is.
enum Name {
    Kernel(u32),
    Builtin(&'static str),
    Transfer(Box<(&'static str, SmallVec<[usize; 4]>, RealType)>),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Kernel(code) => write!(f, "kernel {code}"),
            Name::Builtin(name) => f.write_str(name),
            Name::Transfer(transfer) => {
                let (what, extents, dtype) = &**transfer;
                write!(f, "{what} of {extents:?} {dtype}")
            }
        }
    }
}

impl Submission {
    /// Notes what a command is.
    pub fn describe(&mut self, command: &Command) {
        self.commands += 1;
        if self.names.len() == NAMES {
            return;
        }
        let transfer = |what, rect: &darray_device::Rect| {
            Name::Transfer(Box::new((what, rect.extents.clone(), rect.dtype)))
        };
        self.names.push(match command {
            Command::Launch { code, .. } => Name::Kernel(code.0),
            Command::Builtin { name, .. } => Name::Builtin(name),
            Command::Task(call) => Name::Builtin(call.task.name()),
            Command::Copy { from, .. } => transfer("copy", from),
            Command::Upload { to, .. } => transfer("upload", to),
            Command::Download { from, .. } => transfer("download", from),
        });
    }

    /// What the GPU finds wrong with the data of the command that was described last.
    pub fn check(&mut self, from: Lease, judge: Box<dyn FnOnce(usize, i64) -> Fault + Send>) {
        let command = self.commands.saturating_sub(1);
        self.host().checks.push(Check::new(command, from, judge));
    }

    /// Keeps memory of the host that the GPU reads.
    pub fn hold(&mut self, memory: Lease) {
        self.host().keeps.push(memory);
    }

    /// Keeps memory of the host that the GPU writes.
    pub fn land(&mut self, landing: Landing) {
        self.host().landings.push(landing);
    }

    fn host(&mut self) -> &mut HostMemory {
        self.host.get_or_insert_default()
    }

    /// Keeps kernels that it launches from being unloaded before they have run.
    pub fn keep(&mut self, functions: &Arc<Vec<Function>>) {
        self.functions.push(functions.clone());
    }

    /// It has this ticket.
    pub fn issue(&mut self, ticket: u64) {
        if let Some(host) = &mut self.host {
            host.checks.iter_mut().for_each(|check| check.ticket = ticket);
        }
    }

    /// Takes over what must be kept of another one, which has this ticket and runs with it.
    pub fn absorb(&mut self, ticket: u64, other: &mut Submission) {
        other.issue(ticket);
        if let Some(other) = other.host.take() {
            let own = self.host();
            own.keeps.extend(other.keeps);
            own.landings.extend(other.landings);
            own.checks.extend(other.checks);
        }
        other.functions.drain(..).for_each(|function| self.functions.push(function));
        self.commands += std::mem::take(&mut other.commands);
        let room = NAMES - self.names.len();
        other.names.drain(..).take(room).for_each(|name| self.names.push(name));
    }

    /// What a failure on the GPU means for it.
    pub fn failure(&self, error: &CudaError) -> CommandFault {
        let names: Vec<String> = self.names.iter().map(Name::to_string).collect();
        let mut during = if names.is_empty() { "nothing".to_string() } else { names.join(", ") };
        let more = self.commands as usize - names.len();
        if more > 0 {
            during += &format!(" and {more} more");
        }
        let fault = Fault::Execution(format!("{error}; while this ran: {during}"));
        CommandFault { command: 0, fault }
    }
}
