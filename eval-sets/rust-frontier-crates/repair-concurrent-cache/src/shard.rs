//! A part of a cache, with its own lock.

use crate::flight::Flight;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

pub(crate) struct Slot<V> {
    pub(crate) value: Arc<V>,
    weight: usize,
    tick: u64,
}

/// Values in the order of their last use.
pub(crate) struct Shard<K, V> {
    slots: HashMap<Arc<K>, Slot<V>>,
    order: BTreeMap<u64, Arc<K>>,
    pub(crate) flights: HashMap<Arc<K>, Arc<Flight<V>>>,
    capacity: usize,
    weight: usize,
    tick: u64,
}

/// A key and a value that left.
pub(crate) type Pair<K, V> = (Arc<K>, Arc<V>);

/// What was replaced, and what was evicted.
pub(crate) type Left<K, V> = (Option<Pair<K, V>>, Vec<Pair<K, V>>);

impl<K: Hash + Eq, V> Shard<K, V> {
    pub(crate) fn new(capacity: usize) -> Self {
        Shard {
            slots: HashMap::new(),
            order: BTreeMap::new(),
            flights: HashMap::new(),
            capacity,
            weight: 0,
            tick: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    pub(crate) fn peek(&self, key: &K) -> Option<Arc<V>> {
        self.slots.get(key).map(|slot| slot.value.clone())
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<Arc<V>> {
        let slot = self.slots.get_mut(key)?;
        self.tick += 1;
        if let Some(key) = self.order.get(&slot.tick).cloned() {
            self.order.insert(self.tick, key);
        }
        slot.tick = self.tick;
        Some(slot.value.clone())
    }

    /// The key is to be dropped without the lock.
    pub(crate) fn remove(&mut self, key: &K) -> Option<Pair<K, V>> {
        let (key, slot) = self.slots.remove_entry(key)?;
        self.weight -= slot.weight;
        Some((key, slot.value))
    }

    /// Puts a value in, and gives the ones that had to leave for it; it itself if it weighs too much.
    pub(crate) fn insert(&mut self, key: Arc<K>, value: Arc<V>, weight: usize) -> Left<K, V> {
        let old = self.slots.remove_entry(&key).map(|(key, slot)| (key, slot.value));
        let mut evicted = Vec::new();
        while self.weight + weight > self.capacity {
            let Some((_, first)) = self.order.pop_first() else { break };
            evicted.extend(self.remove(&first));
        }
        self.tick += 1;
        self.weight += weight;
        self.order.insert(self.tick, key.clone());
        self.slots.insert(key, Slot { value, weight, tick: self.tick });
        (old, evicted)
    }

    /// All values, the least recently used first.
    pub(crate) fn pairs(&self) -> Vec<Pair<K, V>> {
        let pair = |key: &Arc<K>| Some((key.clone(), self.peek(key)?));
        self.order.values().filter_map(pair).collect()
    }
}
