//! Listeners.

use crate::lock;
use std::sync::{Arc, Mutex};

/// Why a value left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Another one was inserted for its key.
    Replaced,
    /// It was removed by `remove`, `retain` or `clear`.
    Removed,
    /// It was used least recently when there was no room, or is too heavy for the cache.
    Evicted,
}

/// A value that left.
#[derive(Debug)]
pub struct Event<K, V> {
    /// Its key.
    pub key: Arc<K>,
    /// The value.
    pub value: Arc<V>,
    /// Why.
    pub reason: Reason,
}

type Listener<K, V> = Arc<dyn Fn(&Event<K, V>) + Send + Sync>;

pub(crate) struct Listeners<K, V> {
    all: Mutex<Vec<(u64, Listener<K, V>)>>,
    last: Mutex<u64>,
}

impl<K, V> Default for Listeners<K, V> {
    fn default() -> Self {
        Listeners { all: Mutex::default(), last: Mutex::default() }
    }
}

impl<K: 'static, V: 'static> Listeners<K, V> {
    pub(crate) fn add(self: &Arc<Self>, listener: Listener<K, V>) -> Subscription {
        let id = {
            let mut last = lock(&self.last);
            *last += 1;
            *last
        };
        lock(&self.all).push((id, listener));
        let listeners = self.clone();
        Subscription(Some(Box::new(move || {
            lock(&listeners.all).retain(|(other, _)| *other != id);
        })))
    }

    /// Gives the events to all listeners, in order. If some of them panic, the first panic goes on at the end.
    pub(crate) fn send(&self, events: Vec<Event<K, V>>) {
        for event in events {
            for (_, listener) in lock(&self.all).iter() {
                listener(&event);
            }
        }
    }
}

/// Keeps a listener. When it is dropped, also by the listener itself, the listener gets no event that is sent after
/// that. It does not keep the cache.
pub struct Subscription(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Subscription {
    /// Leaves the listener with the cache, for good.
    pub fn detach(mut self) {
        self.0 = None;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}
