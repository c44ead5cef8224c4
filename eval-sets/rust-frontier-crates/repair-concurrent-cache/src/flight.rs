//! Loads that are going on.

use crate::lock;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};

enum State<V> {
    Loading,
    Done(Arc<V>),
    Failed,
}

/// What the loads of all types have.
pub(crate) struct Owner {
    thread: ThreadId,
}

/// The load of one key, by one thread.
pub(crate) struct Flight<V> {
    owner: Arc<Owner>,
    state: Mutex<State<V>>,
    changed: Condvar,
}

impl<V> Flight<V> {
    pub(crate) fn new() -> Arc<Self> {
        let owner = Owner { thread: thread::current().id() };
        Arc::new(Flight {
            owner: Arc::new(owner),
            state: Mutex::new(State::Loading),
            changed: Condvar::new(),
        })
    }

    /// Ends the load, with a value or without. Only the first call counts.
    pub(crate) fn finish(&self, value: Option<Arc<V>>) {
        let mut state = lock(&self.state);
        if matches!(*state, State::Loading) {
            *state = value.map_or(State::Failed, State::Done);
            self.changed.notify_one();
        }
    }

    /// Waits for the end.
    ///
    /// # Panics
    ///
    /// If this thread would wait for itself.
    pub(crate) fn wait(&self, waits: &Waits) -> Option<Arc<V>> {
        waits.enter(&self.owner);
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Loading => state = self.changed.wait(state).expect("another thread panicked"),
                State::Done(value) => {
                    waits.leave();
                    return Some(value.clone());
                }
                State::Failed => return None,
            }
        }
    }
}

/// Which thread waits for which load.
#[derive(Default)]
pub(crate) struct Waits(Mutex<HashMap<ThreadId, Arc<Owner>>>);

impl Waits {
    pub(crate) fn len(&self) -> usize {
        lock(&self.0).len()
    }

    fn enter(&self, owner: &Arc<Owner>) {
        let me = thread::current().id();
        let mut waits = lock(&self.0);
        let mut next = Some(owner);
        while let Some(owner) = next {
            assert!(owner.thread != me, "a loader waits for itself");
            next = waits.get(&owner.thread);
        }
        waits.insert(me, owner.clone());
    }

    fn leave(&self) {
        lock(&self.0).remove(&thread::current().id());
    }
}
