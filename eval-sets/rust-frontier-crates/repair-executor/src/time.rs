//! Sleeping.

use crate::executor::Handle;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

impl Handle {
    /// Is done when the clock has gone on by `ticks` from now; at once if that is 0.
    pub fn sleep(&self, ticks: u64) -> Sleep {
        let id = self.inner.next_id();
        Sleep { runtime: self.clone(), key: (self.now().saturating_add(ticks), id) }
    }

    /// The output of the future, unless it is still pending when the clock has gone on by `ticks`. The future is polled
    /// first. It is dropped at once when the time is up.
    pub fn timeout<F: Future>(&self, ticks: u64, future: F) -> Timeout<F> {
        Timeout { future: Box::pin(future), sleep: self.sleep(ticks) }
    }
}

/// See [`Handle::sleep`]. The timer exists from the first poll on, until it is due or this is dropped.
pub struct Sleep {
    runtime: Handle,
    key: (u64, u64),
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let inner = &self.runtime.inner;
        if inner.now() >= self.key.0 {
            return Poll::Ready(());
        }
        inner.timers.borrow_mut().entry(self.key).or_insert_with(|| cx.waker().clone());
        Poll::Pending
    }
}

/// The time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

/// See [`Handle::timeout`].
pub struct Timeout<F> {
    future: Pin<Box<F>>,
    sleep: Sleep,
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if Pin::new(&mut self.sleep).poll(cx).is_ready() {
            return Poll::Ready(Err(Elapsed));
        }
        self.future.as_mut().poll(cx).map(Ok)
    }
}
