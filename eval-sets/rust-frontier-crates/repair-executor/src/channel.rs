//! Channels with room for a number of values.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

struct Waiting<T> {
    id: u64,
    value: T,
    waker: Waker,
}

struct Shared<T> {
    queue: VecDeque<T>,
    room: usize,
    /// Senders that wait. If the receiver lives, the queue is full then.
    waiting: VecDeque<Waiting<T>>,
    last: u64,
    receiver: Option<Waker>,
    senders: usize,
    closed: bool,
}

/// A channel for `room` values, which are received in the order in which `try_send` was called, and the futures
/// of `send` were polled first. No `try_send` is faster than a `send` that waits.
///
/// # Panics
///
/// If `room` is 0.
pub fn channel<T>(room: usize) -> (Sender<T>, Receiver<T>) {
    assert!(room > 0, "a channel without room");
    let shared = Rc::new(RefCell::new(Shared {
        queue: VecDeque::new(),
        room,
        waiting: VecDeque::new(),
        last: 0,
        receiver: None,
        senders: 1,
        closed: false,
    }));
    (Sender(shared.clone()), Receiver(shared))
}

/// Why a value was not sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Full<T> {
    /// There is no room.
    Full(T),
    /// The receiver is gone.
    Closed(T),
}

/// Sends values.
pub struct Sender<T>(Rc<RefCell<Shared<T>>>);

impl<T> Sender<T> {
    /// Sends a value if there is room.
    pub fn try_send(&self, value: T) -> Result<(), Full<T>> {
        let mut shared = self.0.borrow_mut();
        if shared.closed {
            return Err(Full::Closed(value));
        }
        if shared.queue.len() == shared.room {
            return Err(Full::Full(value));
        }
        shared.queue.push_back(value);
        let waker = shared.receiver.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    /// Sends a value as soon as there is room; gives it back if the receiver is gone. A value for which there
    /// is room while this waits is sent at once, even if the future is not polled again.
    pub fn send(&self, value: T) -> SendFuture<'_, T> {
        SendFuture { sender: self, value: Some(value), id: 0 }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.borrow_mut().senders += 1;
        Sender(self.0.clone())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut shared = self.0.borrow_mut();
        shared.senders -= 1;
        let waker = if shared.senders == 0 { shared.receiver.take() } else { None };
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// See [`Sender::send`].
pub struct SendFuture<'a, T> {
    sender: &'a Sender<T>,
    value: Option<T>,
    id: u64,
}

impl<T> Unpin for SendFuture<'_, T> {}

impl<T> Future for SendFuture<'_, T> {
    type Output = Result<(), T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), T>> {
        if let Some(value) = self.value.take() {
            let value = match self.sender.try_send(value) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(Full::Closed(value)) => return Poll::Ready(Err(value)),
                Err(Full::Full(value)) => value,
            };
            let waker = cx.waker().clone();
            let mut shared = self.sender.0.borrow_mut();
            shared.last += 1;
            let id = shared.last;
            shared.waiting.push_back(Waiting { id, value, waker });
            drop(shared);
            self.id = id;
            return Poll::Pending;
        }
        let mut shared = self.sender.0.borrow_mut();
        let Some(at) = shared.waiting.iter().position(|other| other.id == self.id) else {
            return Poll::Ready(Ok(()));
        };
        if shared.closed {
            return match shared.waiting.remove(at) {
                Some(waiting) => Poll::Ready(Err(waiting.value)),
                None => Poll::Pending,
            };
        }
        if shared.queue.len() < shared.room {
            if let Some(waiting) = shared.waiting.remove(at) {
                shared.queue.push_back(waiting.value);
                if let Some(waker) = shared.receiver.take() {
                    waker.wake();
                }
            }
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }
}

impl<T> Drop for SendFuture<'_, T> {
    fn drop(&mut self) {
        self.sender.0.borrow_mut().waiting.retain(|other| other.id != self.id);
    }
}

/// Receives values. What was sent and not received is dropped with it.
pub struct Receiver<T>(Rc<RefCell<Shared<T>>>);

impl<T> Receiver<T> {
    /// The next value, if there is one.
    pub fn try_recv(&mut self) -> Option<T> {
        let mut shared = self.0.borrow_mut();
        let value = shared.queue.pop_front()?;
        if let Some(first) = shared.waiting.front() {
            first.waker.wake_by_ref();
        }
        Some(value)
    }

    /// The next value; `None` when there is none and all senders are gone.
    pub fn recv(&mut self) -> Recv<'_, T> {
        Recv(self)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut shared = self.0.borrow_mut();
        shared.closed = true;
        shared.queue.clear();
        if let Some(first) = shared.waiting.front() {
            first.waker.wake_by_ref();
        }
    }
}

/// See [`Receiver::recv`].
pub struct Recv<'a, T>(&'a mut Receiver<T>);

impl<T> Future for Recv<'_, T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        if let Some(value) = self.0.try_recv() {
            return Poll::Ready(Some(value));
        }
        let waker = cx.waker().clone();
        let mut shared = self.0 .0.borrow_mut();
        if shared.senders == 0 {
            return Poll::Ready(None);
        }
        shared.receiver.get_or_insert(waker);
        Poll::Pending
    }
}
