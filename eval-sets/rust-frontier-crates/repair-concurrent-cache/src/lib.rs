//! A concurrent cache that loads what is missing, once.
//!
//! What holds everywhere:
//!
//! - All methods may be called from all threads at the same time, and in each loader, listener, weigher,
//!   predicate and `Drop` of a key, value or error that the crate calls, for every key, also for the one that is
//!   being loaded or removed. No lock is held while they run; only `Hash` and `Eq` of keys run under a lock.
//! - A [`Cache::get_or_load`] that would wait for itself panics instead: in a loader for the same key, and also if
//!   other threads are in between, of which each loads what the one before waits for.
//! - If code of callers panics, the panic goes to who called the method, and everything can be used
//!   further: nothing is poisoned, nothing stays marked as loading, no thread waits forever.
//! - Each value that leaves the cache is given to each listener once, after it left, in the thread that removed it;
//!   values that are dropped with the cache are not. Nothing leaks, and nothing but [`Cache`] keeps keys and
//!   values, but for what callers hold.

mod cache;
mod events;
mod flight;
mod shard;
mod weak;

pub use cache::{Builder, Cache, Stats};
pub use events::{Event, Reason, Subscription};
pub use weak::Interner;

use std::sync::{Mutex, MutexGuard};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("another thread panicked")
}
