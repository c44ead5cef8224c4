//! Futures made of futures.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Lets the other tasks run: pending once.
pub fn yield_now() -> YieldNow {
    YieldNow(false)
}

/// See [`yield_now`].
pub struct YieldNow(bool);

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// One of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The first.
    Left(A),
    /// The second.
    Right(B),
}

/// The output of the future that is done first, and the other future, which can be used further. The one that
/// is polled first takes turns with each poll, beginning with `a`; the second is not polled if the first is done.
pub fn select<A: Future + Unpin, B: Future + Unpin>(a: A, b: B) -> Select<A, B> {
    Select { both: Some((a, b)), turn: false }
}

/// See [`select`].
pub struct Select<A, B> {
    both: Option<(A, B)>,
    turn: bool,
}

impl<A: Future + Unpin, B: Future + Unpin> Unpin for Select<A, B> {}

impl<A: Future + Unpin, B: Future + Unpin> Future for Select<A, B> {
    type Output = Either<(A::Output, B), (B::Output, A)>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let turn = self.turn;
        self.turn = !turn;
        let (mut a, mut b) = self.both.take().expect("polled after it was done");
        let first = Pin::new(&mut a).poll(cx);
        let second = Pin::new(&mut b).poll(cx);
        match (first, second) {
            (Poll::Ready(output), Poll::Pending) => Poll::Ready(Either::Left((output, b))),
            (Poll::Pending, Poll::Ready(output)) => Poll::Ready(Either::Right((output, a))),
            (Poll::Ready(output), _) if !turn => Poll::Ready(Either::Left((output, b))),
            (_, Poll::Ready(output)) => Poll::Ready(Either::Right((output, a))),
            _ => {
                self.both = Some((a, b));
                Poll::Pending
            }
        }
    }
}

/// The outputs of all futures, in their order. Each future is dropped as soon as it is done.
pub fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> JoinAll<F> {
    JoinAll { parts: futures.into_iter().map(|future| Either::Left(Box::pin(future))).collect() }
}

/// See [`join_all`].
pub struct JoinAll<F: Future> {
    parts: Vec<Either<Pin<Box<F>>, F::Output>>,
}

impl<F: Future> Unpin for JoinAll<F> {}

impl<F: Future> Future for JoinAll<F> {
    type Output = Vec<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut pending = false;
        for part in &mut self.parts {
            if let Either::Left(future) = part {
                match future.as_mut().poll(cx) {
                    Poll::Ready(output) => *part = Either::Right(output),
                    Poll::Pending => {
                        pending = true;
                        break;
                    }
                }
            }
        }
        if pending {
            return Poll::Pending;
        }
        let parts = std::mem::take(&mut self.parts);
        let output = |part| match part {
            Either::Left(_) => None,
            Either::Right(output) => Some(output),
        };
        Poll::Ready(parts.into_iter().filter_map(output).collect())
    }
}
