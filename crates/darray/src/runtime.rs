//! Runtimes: where arrays live and operations run.

mod builder;
#[cfg(feature = "testing")]
pub mod testing;

pub use builder::RuntimeBuilder;

use darray_core::{Error, ErrorKind, Place, Result};
use darray_device::TaskDefinition;
use darray_runtime::{Emission, NewStores, Stats};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Devices, a task window and what is in flight between them: a cheap handle.
///
/// Rules:
/// - An array belongs to the runtime that was current when it was created; operations run where
///   their operands are, and operands of two runtimes are an error.
/// - The current runtime of a thread is the innermost [`scope`](Self::scope), else the global one,
///   which is made from the settings (docs/settings.md) on first use.
/// - Operations are recorded in the order in which threads emit them.
///
/// ```
/// use darray::{DArray, Runtime};
/// let rt = Runtime::builder().cpu_devices(4).build().unwrap();
/// let total = rt.scope(|| DArray::<f64>::ones(1000).sum(..));
/// assert_eq!(total.item(), 1000.0);
/// ```
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    engine: darray_runtime::Runtime,
    sync: bool,
    /// Held while an array is updated or cloned.
    updates: Mutex<()>,
}

thread_local! {
    /// The scopes that are open, innermost last; `None` where one ended before those inside it.
    static ENTERED: RefCell<Vec<Option<Runtime>>> = const { RefCell::new(Vec::new()) };
}

/// Leaves a runtime's scope when it is dropped; see [`Runtime::enter`].
///
/// ```
/// use darray::Runtime;
/// let rt = Runtime::builder().build().unwrap();
/// let entered = rt.enter();
/// assert!(Runtime::current() == rt);
/// drop(entered);
/// assert!(Runtime::current() != rt);
/// ```
#[must_use = "the scope ends when this is dropped"]
pub struct Entered {
    /// Its index among the open scopes of this thread.
    index: usize,
    not_send: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        // Where the thread ends, its scopes may be gone already.
        let _ended = ENTERED.try_with(|entered| {
            let mut entered = entered.borrow_mut();
            let ended = entered[self.index].take();
            let open = entered.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            entered.truncate(open);
            ended
        });
    }
}

impl Runtime {
    /// Choices for a new runtime.
    ///
    /// ```
    /// use darray::{Mode, Runtime};
    /// let rt = Runtime::builder().cpu_devices(2).mode(Mode::Unfused).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::new()
    }

    /// Choices for a new runtime, beginning with what the environment's settings say: the global runtime
    /// is [`builder_from_env`](Self::builder_from_env) and nothing else.
    ///
    /// # Errors
    ///
    /// If a setting has a value that it does not take.
    ///
    /// ```
    /// use darray::Runtime;
    /// let rt = Runtime::builder_from_env()?.contract(true).build()?;
    /// # drop(rt);
    /// # Ok::<(), darray::Error>(())
    /// ```
    #[track_caller]
    pub fn builder_from_env() -> Result<RuntimeBuilder> {
        RuntimeBuilder::from_env(Place::caller())
    }

    /// The runtime in which this thread creates arrays.
    ///
    /// # Panics
    ///
    /// If the global runtime is made here and a setting has a value that it does not take.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// assert!(DArray::<f64>::zeros(1).runtime() == &Runtime::current());
    /// ```
    #[track_caller]
    pub fn current() -> Runtime {
        crate::error::expect_at_caller(Runtime::try_current())
    }

    /// As [`current`](Self::current); a bad setting is an error.
    ///
    /// ```
    /// use darray::Runtime;
    /// assert!(Runtime::try_current().is_ok());
    /// ```
    #[track_caller]
    pub fn try_current() -> Result<Runtime> {
        Runtime::current_at(Place::caller())
    }

    /// As [`try_current`](Self::try_current), for an operation of this place.
    pub(crate) fn current_at(place: Place) -> Result<Runtime> {
        // A thread that ends has no scopes any more.
        let innermost = ENTERED.try_with(|entered| entered.borrow().last().cloned().flatten());
        match innermost.ok().flatten() {
            Some(runtime) => Ok(runtime),
            None => Runtime::global(place),
        }
    }

    fn global(place: Place) -> Result<Runtime> {
        static GLOBAL: OnceLock<std::result::Result<Runtime, String>> = OnceLock::new();
        let build = || {
            let builder = RuntimeBuilder::from_env(place).map_err(|e| e.kind().to_string())?;
            builder.build_at(place).map_err(|e| e.kind().to_string())
        };
        GLOBAL
            .get_or_init(build)
            .clone()
            .map_err(|message| Error::new("runtime", ErrorKind::Runtime { message }, place))
    }

    pub(crate) fn new(engine: darray_runtime::Runtime, sync: bool) -> Runtime {
        Runtime(Arc::new(Inner { engine, sync, updates: Mutex::new(()) }))
    }

    /// Makes this the current runtime of the thread until the result is dropped, in whatever order
    /// that happens with those of other scopes.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let rt = Runtime::builder().build().unwrap();
    /// let _entered = rt.enter();
    /// assert!(DArray::<f64>::zeros(1).runtime() == &rt);
    /// ```
    pub fn enter(&self) -> Entered {
        let index = ENTERED.with_borrow_mut(|entered| {
            entered.push(Some(self.clone()));
            entered.len() - 1
        });
        Entered { index, not_send: PhantomData }
    }

    /// Runs `f` with this as the current runtime.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let rt = Runtime::builder().build().unwrap();
    /// let x = rt.scope(|| DArray::<f64>::zeros(1));
    /// assert!(x.runtime() == &rt);
    /// ```
    pub fn scope<R>(&self, f: impl FnOnce() -> R) -> R {
        let _entered = self.enter();
        f()
    }

    /// Plans and starts everything recorded so far. CPU devices have carried it out then, as they work on the threads that flush;
    /// other devices go on. Meanwhile other threads wait that use the runtime.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let x = DArray::<f64>::ones(3) + 1.0;
    /// Runtime::current().flush();
    /// # drop(x);
    /// ```
    pub fn flush(&self) {
        self.0.engine.flush();
    }

    /// Flushes and waits for everything.
    ///
    /// # Panics
    ///
    /// With the first failure since the last call.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let x = DArray::<f64>::ones(3) + 1.0;
    /// Runtime::current().sync();
    /// # drop(x);
    /// ```
    #[track_caller]
    pub fn sync(&self) {
        crate::error::expect_at_caller(self.try_sync());
    }

    /// As [`sync`](Self::sync); the first failure since the last call is an error.
    ///
    /// ```
    /// use darray::Runtime;
    /// assert!(Runtime::current().try_sync().is_ok());
    /// ```
    pub fn try_sync(&self) -> Result<()> {
        self.0.engine.sync()
    }

    /// Counters since the runtime was made or [`reset_stats`](Self::reset_stats).
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let rt = Runtime::builder().build().unwrap();
    /// rt.scope(|| (DArray::<f64>::ones(3) + 1.0).to_vec());
    /// assert_eq!(rt.stats().tasks, 2);
    /// ```
    pub fn stats(&self) -> Stats {
        self.0.engine.stats()
    }

    /// Sets the counters to zero.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let rt = Runtime::builder().build().unwrap();
    /// rt.scope(|| DArray::<f64>::ones(3).to_vec());
    /// rt.reset_stats();
    /// assert_eq!(rt.stats().tasks, 0);
    /// ```
    pub fn reset_stats(&self) {
        self.0.engine.reset_stats();
    }

    /// Runs a program here and says how it ran: every window of tasks that was flushed, its fused
    /// tasks, each boundary with its reason, and the kernels as text. What the program returns is
    /// alive at the last flush, so its values are computed. The program may itself explain a part of it.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let rt = Runtime::builder().build().unwrap();
    /// let (_sum, text) = rt.explain(|| (2.0 * DArray::<f64>::ones(8) + 1.0).sum(..));
    /// assert!(text.contains("t1: mul.f64") && text.contains("kernel K0: t0..t3"));
    /// ```
    pub fn explain<R>(&self, program: impl FnOnce() -> R) -> (R, String) {
        let capturing = self.0.engine.capture();
        let result = self.scope(program);
        self.flush();
        let windows = capturing.windows();
        drop(capturing);
        let text = windows.iter().map(|flushed| {
            let plan = flushed.plan.text_with_kernels(&flushed.window);
            format!("{}\n{plan}", flushed.window)
        });
        (result, text.collect::<Vec<_>>().join("\n"))
    }

    /// The engine, for tools that look inside.
    #[doc(hidden)]
    pub fn engine(&self) -> &darray_runtime::Runtime {
        &self.0.engine
    }

    /// Keeps other threads from updating and from cloning arrays: what an update finds out (the
    /// version that it reads, whether a clone shares the store) must hold until its task is
    /// recorded. No lock is taken before this one.
    pub(crate) fn updating(&self) -> MutexGuard<'_, ()> {
        self.0.updates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`emit`](Self::emit), for an opaque task of this definition.
    pub(crate) fn emit_task(
        &self,
        task: &Arc<TaskDefinition>,
        emission: Emission<'_>,
    ) -> Result<NewStores> {
        match self.0.sync {
            true => self.0.engine.emit_and_wait(&emission, Some(task)),
            false => Ok(self.0.engine.emit_task(task, emission)),
        }
    }

    /// Records a task and gives the stores that it makes; with the setting for synchronous operation, runs
    /// it and waits.
    #[inline]
    pub(crate) fn emit(&self, emission: Emission<'_>) -> Result<NewStores> {
        match self.0.sync {
            true => self.0.engine.emit_and_wait(&emission, None),
            false => Ok(self.0.engine.emit(emission)),
        }
    }
}

impl PartialEq for Runtime {
    /// Whether both are handles of one runtime.
    fn eq(&self, other: &Runtime) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}
