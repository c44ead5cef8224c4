//! The runtime.

use crate::scope::Scope;
use crate::task::{Header, Join, JoinHandle, Latch, Ready, Run};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{pin, Pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

type Task = Pin<Box<dyn Future<Output = ()>>>;

struct Slot {
    /// None while it is being polled.
    future: Option<Task>,
    header: Arc<Header>,
    waker: Waker,
}

#[derive(Default)]
pub(crate) struct Inner {
    tasks: RefCell<BTreeMap<u64, Slot>>,
    ready: Arc<Ready>,
    last: Cell<u64>,
    now: Cell<u64>,
    pub(crate) timers: RefCell<BTreeMap<(u64, u64), Waker>>,
    running: Cell<bool>,
}

/// Runs futures in the thread that calls it.
///
/// It works in rounds. In a round, each task that was woken before it began, and is not aborted, is
/// polled once, in the order of the wakes; then the clock goes on by 1, and the timers that are due wake
/// their tasks, in the order of their deadlines, and of equal ones in the order in which they were
/// made. If no task is woken at the beginning of a round, the clock goes on to the next deadline
/// instead; if there is none, the thread waits for a waker.
///
/// When it is dropped, its tasks are aborted in the order in which they were spawned; what they spawn
/// is aborted at once.
#[derive(Default)]
pub struct Runtime {
    inner: Rc<Inner>,
}

/// Refers to a runtime, and does not keep it. It has no effect when the runtime is gone: tasks are aborted at
/// once, sleeps are pending.
#[derive(Clone)]
pub struct Handle {
    pub(crate) inner: Rc<Inner>,
}

impl Inner {
    pub(crate) fn next_id(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    pub(crate) fn now(&self) -> u64 {
        self.now.get()
    }

    fn poll(&self, id: u64) {
        let taken = self.tasks.borrow_mut().get_mut(&id).and_then(|slot| {
            Some((slot.future.take()?, slot.header.clone(), slot.waker.clone()))
        });
        let Some((mut future, header, waker)) = taken else { return };
        let done = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        header.begin();
        let mut tasks = self.tasks.borrow_mut();
        if done {
            tasks.remove(&id);
        } else {
            tasks.insert(id, Slot { future: Some(future), header, waker });
        }
    }

    fn fire(&self) {
        let now = self.now.get();
        let mut timers = self.timers.borrow_mut();
        while let Some(first) = timers.first_entry() {
            if first.key().0 >= now {
                break;
            }
            first.remove().wake();
        }
    }

    fn run<F: Future>(&self, future: F) -> F::Output {
        assert!(!self.running.replace(true), "the runtime is running already");
        let mut future = pin!(future);
        let header = Header::new(self.next_id(), &self.ready);
        let waker = Header::waker(header.clone());
        header.push();
        loop {
            if self.ready.len() == 0 {
                let next = self.timers.borrow().keys().next().map(|key| key.0);
                match next {
                    Some(deadline) => self.now.set(deadline.max(self.now.get())),
                    None => self.ready.wait(),
                }
                self.fire();
                continue;
            }
            let mut round = Vec::new();
            while let Some(id) = self.ready.pop() {
                round.push(id);
            }
            for id in round {
                if id == header.id {
                    let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
                    header.begin();
                    if let Poll::Ready(output) = polled {
                        self.running.set(false);
                        return output;
                    }
                } else {
                    self.poll(id);
                }
            }
            self.now.set(self.now.get() + 1);
            self.fire();
        }
    }
}

impl Runtime {
    /// A runtime whose clock is at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// A handle, to be used in tasks.
    pub fn handle(&self) -> Handle {
        Handle { inner: self.inner.clone() }
    }

    /// Runs a future and all tasks until the future is done. Tasks that are not done, and woken or not, go on
    /// when it is called again. If the future panics, so does this, and the runtime can be used again.
    ///
    /// # Panics
    ///
    /// If it is called in a future of this runtime.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.inner.run(future)
    }

    /// Calls `body` with a scope, whose tasks may borrow what lives longer than this call, and runs all
    /// tasks until those of the scope are done. If `body` or a destructor panics, they are aborted instead.
    ///
    /// # Panics
    ///
    /// As `block_on`.
    pub fn scope<'env, R>(&self, body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R) -> R {
        assert!(!self.inner.running.get(), "the runtime is running already");
        let scope = Scope::new(self.handle());
        let result = body(&scope);
        self.inner.run(scope.wait());
        result
    }

    /// How many tasks there are that are not done.
    pub fn tasks(&self) -> usize {
        self.inner.tasks.borrow().len()
    }

    /// How many timers are waiting.
    pub fn timers(&self) -> usize {
        self.inner.timers.borrow().len()
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.inner.tasks.borrow_mut().clear();
    }
}

impl Handle {
    /// Adds a task. It is polled in the next round for the first time.
    pub fn spawn<F: Future + 'static>(&self, future: F) -> JoinHandle<F::Output> {
        // SAFETY: the future is 'static.
        unsafe { self.spawn_in(future, None) }
    }

    /// As `spawn`.
    ///
    /// # Safety
    ///
    /// The task is gone before what the future borrows.
    pub(crate) unsafe fn spawn_in<F: Future>(&self, future: F, latch: Option<Rc<Latch>>) -> JoinHandle<F::Output> {
        let join = Join::new();
        let run: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(Run::new(future, join.clone(), latch));
        // SAFETY: by the contract of this function.
        let run: Task = unsafe { std::mem::transmute(run) };
        let inner = &self.inner;
        let id = inner.next_id();
        let header = Header::new(id, &inner.ready);
        let waker = Header::waker(header.clone());
        header.push();
        inner.tasks.borrow_mut().insert(id, Slot { future: Some(run), header, waker });
        JoinHandle { id, runtime: self.clone(), join }
    }

    pub(crate) fn remove(&self, id: u64) {
        self.inner.tasks.borrow_mut().remove(&id);
    }

    /// What the clock shows.
    pub fn now(&self) -> u64 {
        self.inner.now()
    }
}
