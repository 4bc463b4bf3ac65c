//! Which work runs next, and who runs it.
//!
//! Eager: work that could run runs at once, in the order in which it was submitted. Random:
//! nothing runs until someone waits; then streams, and the nodes of a graph among them, take turns
//! at random until what is waited for has come.

use super::code::Code;
use super::graph::{Node, lane};
use super::operation::Operation;
use super::stream::Stream;
use super::{Driver, PROGRESS, lock};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::sync::mpsc::{Sender, channel};
use std::sync::{MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// A function of the host, as work of a stream.
#[derive(Clone, Copy, Debug)]
pub struct HostFunction {
    /// The function.
    pub function: unsafe extern "C" fn(*mut c_void),
    /// Its argument.
    pub data: *mut c_void,
}

// SAFETY: whoever submits the function promises that another thread may call it.
unsafe impl Send for HostFunction {}
// SAFETY: as above.
unsafe impl Sync for HostFunction {}

/// The driver while a call runs; the lock can be given away in between.
pub struct Session {
    guard: Option<MutexGuard<'static, Driver>>,
}

impl Session {
    /// Takes the lock.
    pub fn new() -> Session {
        Session { guard: Some(lock()) }
    }

    /// Runs work until something has come; at least that work, and at random other work.
    ///
    /// False if it never comes, since no work is left that could run.
    pub fn run_until(&mut self, come: impl Fn(&Driver) -> bool) -> bool {
        loop {
            if come(self) {
                return true;
            }
            if self.step() {
                PROGRESS.notify_all();
                continue;
            }
            if !self.streams.values().any(|stream| stream.busy) {
                return false;
            }
            self.guard = self.guard.take().map(|guard| {
                let waited = PROGRESS.wait_timeout(guard, Duration::from_millis(10));
                waited.unwrap_or_else(PoisonError::into_inner).0
            });
        }
    }
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Deref for Session {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        self.guard.as_ref().expect("the lock is given away only while waiting")
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Driver {
        self.guard.as_mut().expect("the lock is given away only while waiting")
    }
}

impl Driver {
    /// Executes one piece of work that could run now; false if there is none.
    pub fn step(&mut self) -> bool {
        let lazy = self.is_lazy();
        let mut ready: Vec<(u64, u64)> = Vec::new();
        for (handle, stream) in &self.streams {
            if let Some(sequence) = self.ready(stream) {
                ready.push((sequence, *handle));
            }
        }
        let chosen = match lazy {
            true if ready.is_empty() => None,
            true => Some(ready[self.random(ready.len())]),
            false => ready.into_iter().min(),
        };
        let Some((_, handle)) = chosen else { return false };
        self.advance(handle);
        self.sweep(handle);
        true
    }

    /// Forgets a stream that has been destroyed and has come to its end.
    pub fn sweep(&mut self, handle: u64) {
        if self.streams.get(&handle).is_some_and(|stream| stream.destroyed && stream.is_idle()) {
            self.streams.remove(&handle);
        }
    }

    /// When the work at the head of a stream was submitted, if it could run now.
    fn ready(&self, stream: &Stream) -> Option<u64> {
        let queued = stream.queue.front().filter(|_| !stream.busy)?;
        let waits = match &queued.operation {
            Operation::Wait { event, record } => !event.is_done(*record),
            Operation::Graph(run) if !run.has_begun() => self.is_running(run.executable),
            _ => false,
        };
        let ready = !waits && !self.waits_for_legacy(stream, queued.sequence);
        ready.then_some(queued.sequence)
    }

    /// Whether a launch of a graph has begun and not ended: launches of one graph exclude each
    /// other.
    fn is_running(&self, executable: u64) -> bool {
        self.streams.values().any(|stream| match stream.queue.front() {
            Some(queued) => match &queued.operation {
                Operation::Graph(run) => run.executable == executable && run.has_begun(),
                _ => false,
            },
            None => false,
        })
    }

    /// Executes the work at the head of a stream, of a graph one node.
    fn advance(&mut self, handle: u64) {
        let lazy = self.is_lazy();
        let Some(stream) = self.streams.get_mut(&handle) else { return };
        let mut device = stream.device;
        let Some(front) = stream.queue.front_mut() else { return };
        let known = std::mem::take(&mut front.known);
        self.begin(handle, &known);
        let Some(stream) = self.streams.get_mut(&handle) else { return };
        let Some(front) = stream.queue.front_mut() else { return };
        let mut graph = None;
        let operation = match &mut front.operation {
            Operation::Graph(run) => {
                let ready = run.ready();
                let Some(first) = ready.first().copied() else {
                    stream.queue.pop_front();
                    return;
                };
                let (nodes, last) = (run.nodes.clone(), run.done.iter().filter(|d| !**d).count());
                let node = match lazy {
                    true => ready[self.random(ready.len())],
                    false => first,
                };
                graph = Some((nodes, node, last == 1));
                self.node(handle, node, &mut device)
            }
            _ => stream.queue.pop_front().map(|queued| queued.operation),
        };
        if let (Some((nodes, node, last)), Some(operation)) = (&graph, &operation)
            && !matches!(operation, Operation::Host(_))
        {
            self.execute_node(handle, nodes, *node, *last);
            return;
        }
        match operation {
            Some(Operation::Host(host)) => {
                if let Some((nodes, node, last)) = graph {
                    self.begin_node(handle, node, &nodes[node].after);
                    if last {
                        self.end_graph(handle, nodes.len());
                    }
                }
                if let Some(stream) = self.streams.get_mut(&handle) {
                    stream.busy = true;
                }
                post(Post::Call(handle, host));
            }
            Some(operation) => self.execute(handle, device, operation),
            None => {}
        }
    }

    /// Executes a node of a launch in a stream. What fails in one breaks the stream's device, too.
    fn execute_node(&mut self, stream: u64, nodes: &[Node], node: usize, last: bool) {
        let Node { operation, device, after } = &nodes[node];
        self.begin_node(stream, node, after);
        self.execute(lane(stream, node), *device, operation.clone());
        if let Some(code) = self.devices[*device].broken {
            let of_stream = self.streams.get(&stream).map(|stream| stream.device);
            if let Some(own) = of_stream.filter(|own| self.devices[*own].broken.is_none()) {
                let what = self.error.clone();
                self.break_device(own, code, what);
            }
        }
        if last {
            self.end_graph(stream, nodes.len());
        }
    }

    /// Takes a node of the graph at the head of a stream.
    fn node(&mut self, handle: u64, node: usize, device: &mut usize) -> Option<Operation> {
        let stream = self.streams.get_mut(&handle)?;
        let Operation::Graph(run) = &mut stream.queue.front_mut()?.operation else { return None };
        run.done[node] = true;
        *device = run.nodes[node].device;
        let operation = run.nodes[node].operation.clone();
        if run.done.iter().all(|done| *done) {
            stream.queue.pop_front();
        }
        Some(operation)
    }

    /// Work that nothing can start any more: the streams wait for each other.
    pub fn stuck(&mut self, device: usize) -> Code {
        let code = Code::LAUNCH_FAILED;
        self.break_device(device, code, "deadlock: streams wait for each other".to_string());
        code
    }
}

/// What the thread of the host functions is told.
enum Post {
    /// Work has been submitted.
    Look,
    /// A function is to be called for a stream.
    Call(u64, HostFunction),
}

static POSTS: OnceLock<Sender<Post>> = OnceLock::new();

/// Tells the thread of the host functions that one waits in a stream.
///
/// It sees to it that the streams go on, also where nobody waits for them.
pub fn expect_host_function() {
    post(Post::Look);
}

fn post(what: Post) {
    let posts = POSTS.get_or_init(|| {
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut next = receiver.recv().ok();
            while let Some(post) = next.take() {
                if let Post::Call(stream, host) = post {
                    // SAFETY: the submitter has promised that it can be called once, from any
                    // thread.
                    unsafe { (host.function)(host.data) };
                    lock().called(stream);
                }
                PROGRESS.notify_all();
                while next.is_none() {
                    let pause = Duration::from_millis(1);
                    next = receiver.recv_timeout(pause).ok();
                    let mut driver = lock();
                    if next.is_none() && driver.host_functions == 0 {
                        drop(driver);
                        next = receiver.recv().ok();
                        if next.is_none() {
                            return;
                        }
                    } else if next.is_none() {
                        driver.step();
                        PROGRESS.notify_all();
                    }
                }
            }
        });
        sender
    });
    // The thread ends with the process only.
    posts.send(what).ok();
}

impl Driver {
    /// A host function of a stream has returned.
    fn called(&mut self, stream: u64) {
        self.host_functions = self.host_functions.saturating_sub(1);
        // It may have told the host that the stream has come so far.
        self.races.waited_for(stream);
        if let Some(found) = self.streams.get_mut(&stream) {
            found.busy = false;
        }
        self.sweep(stream);
        if !self.is_lazy() {
            while self.step() {}
        }
    }
}
