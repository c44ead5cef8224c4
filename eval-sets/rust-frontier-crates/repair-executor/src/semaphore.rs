//! Semaphores.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

struct Waiting {
    id: u64,
    count: usize,
    waker: Waker,
}

#[derive(Default)]
struct State {
    free: usize,
    waiting: VecDeque<Waiting>,
    /// Who has got permits, and was not polled since.
    granted: Vec<u64>,
    last: u64,
}

/// A number of permits, given in the order in which futures were polled first. Who waits for many is not
/// overtaken by those who want few. Clones share the permits.
#[derive(Clone)]
pub struct Semaphore(Rc<RefCell<State>>);

impl Semaphore {
    /// A semaphore with this many permits.
    pub fn new(permits: usize) -> Self {
        Semaphore(Rc::new(RefCell::new(State { free: permits, ..State::default() })))
    }

    /// How many permits nobody has.
    pub fn free(&self) -> usize {
        self.0.borrow().free
    }

    /// Takes permits, if they are free and nobody waits.
    pub fn try_acquire(&self, count: usize) -> Option<Permit> {
        let mut state = self.0.borrow_mut();
        if state.free < count {
            return None;
        }
        state.free -= count;
        drop(state);
        Some(Permit { semaphore: self.clone(), count })
    }

    /// Waits for permits.
    pub fn acquire(&self, count: usize) -> Acquire {
        Acquire { semaphore: self.clone(), count, id: 0 }
    }

    /// Adds free permits.
    pub fn add(&self, count: usize) {
        let mut state = self.0.borrow_mut();
        state.free += count;
        let first = state.waiting.front().map(|first| (first.count, first.id));
        if let Some((count, id)) = first.filter(|first| first.0 <= state.free) {
            state.free -= count;
            state.granted.push(id);
            if let Some(first) = state.waiting.pop_front() {
                first.waker.wake();
            }
        }
    }
}

/// Permits, given back when this is dropped.
pub struct Permit {
    semaphore: Semaphore,
    count: usize,
}

impl Permit {
    /// Keeps `count` of the permits here, and gives the others.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    pub fn split(&mut self, count: usize) -> Permit {
        let others = self.count.checked_sub(count).expect("too few permits");
        self.count = count;
        Permit { semaphore: self.semaphore.clone(), count: others }
    }

    /// Takes the permits away from the semaphore.
    pub fn forget(mut self) {
        self.count = 0;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.semaphore.add(self.count);
    }
}

/// See [`Semaphore::acquire`].
pub struct Acquire {
    semaphore: Semaphore,
    count: usize,
    id: u64,
}

impl Future for Acquire {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Permit> {
        let waker = cx.waker().clone();
        if self.id == 0 {
            if let Some(permit) = self.semaphore.try_acquire(self.count) {
                return Poll::Ready(permit);
            }
            let (mut state, count) = (self.semaphore.0.borrow_mut(), self.count);
            state.last += 1;
            let id = state.last;
            state.waiting.push_back(Waiting { id, count, waker });
            drop(state);
            self.id = id;
            return Poll::Pending;
        }
        let mut state = self.semaphore.0.borrow_mut();
        if let Some(at) = state.granted.iter().position(|id| *id == self.id) {
            state.granted.swap_remove(at);
            drop(state);
            self.id = 0;
            return Poll::Ready(Permit { semaphore: self.semaphore.clone(), count: self.count });
        }
        Poll::Pending
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let mut state = self.semaphore.0.borrow_mut();
        state.waiting.retain(|other| other.id != self.id);
    }
}
