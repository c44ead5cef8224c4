//! The cache.

use crate::events::{Event, Listeners, Reason, Subscription};
use crate::flight::{Flight, Waits};
use crate::lock;
use crate::shard::{Pair, Shard};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

type Weigher<K, V> = Box<dyn Fn(&K, &V) -> usize + Send + Sync>;

/// How often what happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// `get` and `get_or_load` that found a value, or got it from the load of another thread.
    pub hits: u64,
    /// `get` that found none, and loaders that were called.
    pub misses: u64,
    /// Loaders that failed or panicked.
    pub failed: u64,
    /// Values that were evicted.
    pub evicted: u64,
}

#[derive(Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
    failed: AtomicU64,
    evicted: AtomicU64,
}

/// Settings of a cache.
pub struct Builder<K, V> {
    shards: usize,
    capacity: usize,
    weigher: Weigher<K, V>,
}

impl<K, V> Builder<K, V> {
    /// How many parts the cache has, at least 1. Each key belongs to one. By default 8.
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = shards.max(1);
        self
    }

    /// The greatest weight of all values, of which each part has an equal share, rounded up. By default 1024.
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    /// Says how much a value weighs, by default 1. It is called once for each value that is put in.
    pub fn weigher(mut self, weigher: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        self.weigher = Box::new(weigher);
        self
    }
}

impl<K: Hash + Eq + 'static, V: 'static> Builder<K, V> {
    /// Makes the cache.
    pub fn build(self) -> Cache<K, V> {
        let share = self.capacity.div_ceil(self.shards);
        Cache(Arc::new(Inner {
            shards: (0..self.shards).map(|_| Mutex::new(Shard::new(share))).collect(),
            hasher: RandomState::new(),
            weigher: self.weigher,
            listeners: Arc::default(),
            waits: Waits::default(),
            counts: Counts::default(),
        }))
    }
}

struct Inner<K, V> {
    shards: Vec<Mutex<Shard<K, V>>>,
    hasher: RandomState,
    weigher: Weigher<K, V>,
    listeners: Arc<Listeners<K, V>>,
    waits: Waits,
    counts: Counts,
}

/// A cache. Clones share it.
pub struct Cache<K, V>(Arc<Inner<K, V>>);

impl<K, V> Clone for Cache<K, V> {
    fn clone(&self) -> Self {
        Cache(self.0.clone())
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::SeqCst);
}

fn events<K, V>(pairs: impl IntoIterator<Item = Pair<K, V>>, reason: Reason) -> Vec<Event<K, V>> {
    pairs.into_iter().map(|(key, value)| Event { key, value, reason }).collect()
}

impl<K: Hash + Eq + 'static, V: 'static> Cache<K, V> {
    /// Settings for a new cache.
    pub fn builder() -> Builder<K, V> {
        Builder { shards: 8, capacity: 1024, weigher: Box::new(|_, _| 1) }
    }

    fn shard(&self, key: &K) -> &Mutex<Shard<K, V>> {
        let hash = self.0.hasher.hash_one(key) as usize;
        &self.0.shards[hash % self.0.shards.len()]
    }

    /// The value of a key, which is the most recently used one of its part then.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        let value = lock(self.shard(key)).get(key);
        count(if value.is_some() { &self.0.counts.hits } else { &self.0.counts.misses });
        value
    }

    /// The value of a key; nothing else changes.
    pub fn peek(&self, key: &K) -> Option<Arc<V>> {
        lock(self.shard(key)).peek(key)
    }

    /// Puts a value in, and returns the one that it replaced. Threads that wait for a load of this key get this
    /// value; what is loaded goes to who loads it, and not into the cache.
    pub fn insert(&self, key: K, value: V) -> Option<Arc<V>> {
        let (key, value) = (Arc::new(key), Arc::new(value));
        let mut shard = lock(self.shard(&key));
        let weight = (self.0.weigher)(&key, &value);
        let (old, evicted) = shard.insert(key, value, weight);
        let result = old.as_ref().map(|old| old.1.clone());
        self.left(old, evicted);
        result
    }

    fn left(&self, old: Option<Pair<K, V>>, evicted: Vec<Pair<K, V>>) {
        self.0.counts.evicted.fetch_add(evicted.len() as u64, Ordering::SeqCst);
        let mut all = events(old, Reason::Replaced);
        all.extend(events(evicted, Reason::Evicted));
        self.0.listeners.send(all);
    }

    /// Takes a value out. A load of this key that is going on is not put into the cache when it ends, and who asks for
    /// the key from now on does not wait for it; those who wait already get what it gives.
    pub fn remove(&self, key: &K) -> Option<Arc<V>> {
        let pair = lock(self.shard(key)).remove(key);
        let result = pair.as_ref().map(|pair| pair.1.clone());
        self.0.listeners.send(events(pair, Reason::Removed));
        result
    }

    /// The value of a key. If there is none, one thread calls its loader, and those who ask for the key meanwhile wait for
    /// it. If the loader fails or panics, that is for its caller alone; one of those who wait calls its own loader next.
    ///
    /// # Panics
    ///
    /// If the loader panics, or if this thread would wait for itself.
    pub fn get_or_load<E>(&self, key: K, loader: impl FnOnce(&K) -> Result<V, E>) -> Result<Arc<V>, E> {
        let key = Arc::new(key);
        loop {
            let mut shard = lock(self.shard(&key));
            if let Some(value) = shard.get(&key) {
                count(&self.0.counts.hits);
                return Ok(value);
            }
            if let Some(flight) = shard.flights.get(&key).cloned() {
                drop(shard);
                if let Some(value) = flight.wait(&self.0.waits) {
                    count(&self.0.counts.hits);
                    return Ok(value);
                }
                continue;
            }
            let flight = Flight::new();
            shard.flights.insert(key.clone(), flight.clone());
            drop(shard);
            return self.load(&key, flight, loader);
        }
    }

    fn load<E>(&self, key: &Arc<K>, flight: Arc<Flight<V>>, loader: impl FnOnce(&K) -> Result<V, E>) -> Result<Arc<V>, E> {
        count(&self.0.counts.misses);
        let value = match loader(key) {
            Ok(value) => Arc::new(value),
            Err(error) => {
                count(&self.0.counts.failed);
                lock(self.shard(key)).flights.remove(key);
                return Err(error);
            }
        };
        let mut shard = lock(self.shard(key));
        let weight = (self.0.weigher)(key, &value);
        let (old, evicted) = shard.insert(key.clone(), value.clone(), weight);
        shard.flights.remove(key);
        drop(shard);
        self.left(old, evicted);
        flight.finish(Some(value.clone()));
        Ok(value)
    }

    /// Takes out the values that `keep` rejects, the least recently used of each part first. It is called once for each value that
    /// was there at the beginning; one that was replaced meanwhile stays.
    pub fn retain(&self, mut keep: impl FnMut(&K, &V) -> bool) {
        for shard in &self.0.shards {
            let mut shard = lock(shard);
            for (key, value) in shard.pairs() {
                if !keep(&key, &value) {
                    let pair = shard.remove(&key);
                    self.0.listeners.send(events(pair, Reason::Removed));
                }
            }
        }
    }

    /// Takes out all values; with loads it is as with `remove`. All of it happens before the first listener is called.
    pub fn clear(&self) {
        for shard in &self.0.shards {
            let mut shard = lock(shard);
            for (key, _) in shard.pairs() {
                let pair = shard.remove(&key);
                self.0.listeners.send(events(pair, Reason::Removed));
            }
        }
    }

    /// Calls a listener for each value that leaves, in the order in which they were added. If it panics, the others are called all the same,
    /// and then the first panic goes on.
    pub fn listen(&self, listener: impl Fn(&Event<K, V>) + Send + Sync + 'static) -> Subscription {
        self.0.listeners.add(Arc::new(listener))
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.0.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What all values weigh.
    pub fn weight(&self) -> usize {
        self.0.shards.iter().map(|shard| lock(shard).weight()).sum()
    }

    /// How many threads wait for loads of others.
    pub fn waiting(&self) -> usize {
        self.0.waits.len()
    }

    /// What happened so far.
    pub fn stats(&self) -> Stats {
        let counts = &self.0.counts;
        let get = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
        Stats {
            hits: get(&counts.hits),
            misses: get(&counts.misses),
            failed: get(&counts.failed),
            evicted: get(&counts.evicted),
        }
    }
}
