//! Tasks: their wakers, what they give, and handles to them.

use crate::executor::Handle;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

/// The tasks that are to be polled, in the order in which they were woken.
#[derive(Default)]
pub(crate) struct Ready {
    ids: Mutex<VecDeque<u64>>,
    woken: Condvar,
}

impl Ready {
    pub(crate) fn len(&self) -> usize {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn pop(&self) -> Option<u64> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Blocks the thread until there is a task.
    pub(crate) fn wait(&self) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        while ids.is_empty() {
            ids = self.woken.wait(ids).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What the wakers of a task point to. It does not own the future.
pub(crate) struct Header {
    pub(crate) id: u64,
    queued: Cell<bool>,
    ready: Arc<Ready>,
}

impl Header {
    pub(crate) fn new(id: u64, ready: &Arc<Ready>) -> Arc<Self> {
        Arc::new(Header { id, queued: Cell::new(false), ready: ready.clone() })
    }

    /// To be called with each poll.
    pub(crate) fn begin(&self) {
        self.queued.set(false);
    }
}

// SAFETY: the queue has a lock.
unsafe impl Send for Header {}
// SAFETY: as above.
unsafe impl Sync for Header {}

impl Header {
    pub(crate) fn push(&self) {
        if !self.queued.replace(true) {
            self.ready.ids.lock().unwrap_or_else(PoisonError::into_inner).push_back(self.id);
            self.ready.woken.notify_one();
        }
    }

    pub(crate) fn waker(header: Arc<Header>) -> Waker {
        // SAFETY: the functions of the table take what `Arc::into_raw` gives.
        unsafe { Waker::from_raw(RawWaker::new(Arc::into_raw(header).cast(), &TABLE)) }
    }
}

static TABLE: RawWakerVTable = RawWakerVTable::new(
    |header| {
        // SAFETY: it is a header.
        unsafe { Arc::increment_strong_count(header.cast::<Header>()) };
        RawWaker::new(header, &TABLE)
    },
    |header| {
        // SAFETY: it is a header, which this waker shares.
        unsafe { &*header.cast::<Header>() }.push();
    },
    |header| {
        // SAFETY: it is a header, which this waker shares.
        unsafe { Arc::from_raw(header.cast::<Header>()) }.push();
    },
    |header| {
        // SAFETY: it is a header, which this waker shares.
        drop(unsafe { Arc::from_raw(header.cast::<Header>()) });
    },
);

/// Why a task has no output.
pub enum Stopped {
    /// It was aborted, or its runtime is gone.
    Aborted,
    /// Its future panicked, in a poll or when it was dropped.
    Panicked(Box<dyn Any + Send>),
}

impl fmt::Debug for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stopped::Aborted => "Aborted",
            Stopped::Panicked(_) => "Panicked",
        })
    }
}

/// What a task and its handle share.
pub(crate) struct Join<T> {
    result: RefCell<Option<Result<T, Stopped>>>,
    waker: RefCell<Option<Waker>>,
    finished: Cell<bool>,
}

impl<T> Join<T> {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(Join {
            result: RefCell::new(None),
            waker: RefCell::new(None),
            finished: Cell::new(false),
        })
    }

    pub(crate) fn finish(&self, result: Result<T, Stopped>) {
        if !self.finished.replace(true) {
            *self.result.borrow_mut() = Some(result);
            if let Some(waker) = self.waker.borrow_mut().take() {
                waker.wake();
            }
        }
    }
}

/// How many tasks of a scope are left.
#[derive(Default)]
pub(crate) struct Latch {
    pub(crate) left: Cell<usize>,
    pub(crate) waker: RefCell<Option<Waker>>,
}

/// The future of a task: runs another one, and tells the handle.
pub(crate) struct Run<F: Future> {
    future: Pin<Box<F>>,
    join: Rc<Join<F::Output>>,
    latch: Option<Rc<Latch>>,
}

impl<F: Future> Run<F> {
    pub(crate) fn new(future: F, join: Rc<Join<F::Output>>, latch: Option<Rc<Latch>>) -> Self {
        if let Some(latch) = &latch {
            latch.left.set(latch.left.get() + 1);
        }
        Run { future: Box::pin(future), join, latch }
    }
}

impl<F: Future> Unpin for Run<F> {}

impl<F: Future> Future for Run<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.future.as_mut().poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(output) => {
                self.join.finish(Ok(output));
                if let Some(latch) = self.latch.take() {
                    latch.left.set(latch.left.get() - 1);
                    if let Some(waker) = latch.waker.borrow_mut().take() {
                        waker.wake();
                    }
                }
                Poll::Ready(())
            }
        }
    }
}

impl<F: Future> Drop for Run<F> {
    fn drop(&mut self) {
        self.join.finish(Err(Stopped::Aborted));
    }
}

/// Gives the output of a task, as a future. If it is dropped, the task goes on.
pub struct JoinHandle<T> {
    pub(crate) id: u64,
    pub(crate) runtime: Handle,
    pub(crate) join: Rc<Join<T>>,
}

impl<T> JoinHandle<T> {
    /// Stops the task, and drops its future at once, or after its poll if it is being polled. If it has
    /// not finished, it gives `Stopped::Aborted`.
    pub fn abort(&self) {
        self.runtime.remove(self.id);
    }

    /// Whether there is an output, or a reason that there is none. The future of the task is gone then.
    pub fn is_finished(&self) -> bool {
        self.join.finished.get()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, Stopped>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(result) = self.join.result.borrow_mut().take() {
            return Poll::Ready(result);
        }
        self.join.waker.borrow_mut().get_or_insert_with(|| cx.waker().clone());
        Poll::Pending
    }
}
