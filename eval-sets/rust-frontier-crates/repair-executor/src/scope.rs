//! Tasks that borrow.

use crate::executor::Handle;
use crate::task::{JoinHandle, Latch};
use std::future::{poll_fn, Future};
use std::marker::PhantomData;
use std::rc::Rc;
use std::task::Poll;

/// Spawns tasks that may borrow: [`Runtime::scope`](crate::Runtime::scope).
pub struct Scope<'scope, 'env: 'scope> {
    runtime: Handle,
    latch: Rc<Latch>,
    scope: PhantomData<&'scope ()>,
    env: PhantomData<&'env ()>,
}

impl<'scope, 'env> Scope<'scope, 'env> {
    pub(crate) fn new(runtime: Handle) -> Self {
        Scope {
            runtime,
            latch: Rc::default(),
            scope: PhantomData,
            env: PhantomData,
        }
    }

    /// Adds a task to the scope, also from within one of its tasks.
    pub fn spawn<F: Future + 'scope>(&'scope self, future: F) -> JoinHandle<F::Output>
    where
        F::Output: 'scope,
    {
        // SAFETY: `Runtime::scope` waits for the task.
        unsafe { self.runtime.spawn_in(future, Some(self.latch.clone())) }
    }

    pub(crate) async fn wait(&self) {
        poll_fn(|cx| {
            if self.latch.left.get() == 0 {
                return Poll::Ready(());
            }
            *self.latch.waker.borrow_mut() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
