//! Counts the work and the memory of code, the same on every run and machine.
//!
//! The tests of a case see this module as `forgetest_counts`. Counts are those of the whole
//! process, so what a thread does is counted, too.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cmp::Ordering;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE_BYTES: AtomicU64 = AtomicU64::new(0);
static PEAK_BYTES: AtomicU64 = AtomicU64::new(0);
static COMPARISONS: AtomicU64 = AtomicU64::new(0);
static HASHES: AtomicU64 = AtomicU64::new(0);
static CLONES: AtomicU64 = AtomicU64::new(0);
static DROPS: AtomicU64 = AtomicU64::new(0);
static POLLS: AtomicU64 = AtomicU64::new(0);

/// What was done while some code ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Requests for memory: each allocation, and each time that one is made larger or smaller.
    pub allocations: u64,
    /// The most bytes that were held at once, beyond those that were held before.
    pub peak_bytes: u64,
    /// Comparisons of `Counted` values: by `==`, by order, or by `max` and the like.
    pub comparisons: u64,
    /// `Counted` values that were hashed.
    pub hashes: u64,
    /// `Counted` values that were cloned.
    pub clones: u64,
    /// `Counted` values that were dropped.
    pub drops: u64,
    /// Polls of `Counted` futures.
    pub polls: u64,
}

/// Returns what `work` returns, and what it did.
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, Counts) {
    let before = totals();
    let peak = Peak::begin();
    let result = work();
    let (peak_bytes, after) = (peak.bytes(), totals());
    let counts = Counts {
        allocations: after.allocations - before.allocations,
        peak_bytes,
        comparisons: after.comparisons - before.comparisons,
        hashes: after.hashes - before.hashes,
        clones: after.clones - before.clones,
        drops: after.drops - before.drops,
        polls: after.polls - before.polls,
    };
    (result, counts)
}

/// Returns how often `work` asks for memory.
pub fn allocations<R>(work: impl FnOnce() -> R) -> u64 {
    measure(work).1.allocations
}

/// Returns the most bytes that `work` holds at once.
pub fn peak_bytes<R>(work: impl FnOnce() -> R) -> u64 {
    measure(work).1.peak_bytes
}

fn totals() -> Counts {
    Counts {
        allocations: ALLOCATIONS.load(Relaxed),
        peak_bytes: 0,
        comparisons: COMPARISONS.load(Relaxed),
        hashes: HASHES.load(Relaxed),
        clones: CLONES.load(Relaxed),
        drops: DROPS.load(Relaxed),
        polls: POLLS.load(Relaxed),
    }
}

/// The highest level of memory since it began; one that is inside of another does not disturb it.
struct Peak {
    before: u64,
    outer: u64,
}

impl Peak {
    fn begin() -> Peak {
        let before = LIVE_BYTES.load(Relaxed);
        Peak { before, outer: PEAK_BYTES.swap(before, Relaxed) }
    }

    fn bytes(&self) -> u64 {
        PEAK_BYTES.load(Relaxed).saturating_sub(self.before)
    }
}

impl Drop for Peak {
    fn drop(&mut self) {
        PEAK_BYTES.fetch_max(self.outer, Relaxed);
    }
}

/// A value that counts what is done with it, or a future that counts how often it is polled.
pub struct Counted<T>(pub T);

impl<T: PartialEq> PartialEq for Counted<T> {
    fn eq(&self, other: &Self) -> bool {
        COMPARISONS.fetch_add(1, Relaxed);
        self.0 == other.0
    }
}

impl<T: Eq> Eq for Counted<T> {}

impl<T: PartialOrd> PartialOrd for Counted<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        COMPARISONS.fetch_add(1, Relaxed);
        self.0.partial_cmp(&other.0)
    }
}

impl<T: Ord> Ord for Counted<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        COMPARISONS.fetch_add(1, Relaxed);
        self.0.cmp(&other.0)
    }
}

impl<T: Hash> Hash for Counted<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        HASHES.fetch_add(1, Relaxed);
        self.0.hash(state);
    }
}

impl<T: Clone> Clone for Counted<T> {
    fn clone(&self) -> Self {
        CLONES.fetch_add(1, Relaxed);
        Counted(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for Counted<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<T> Drop for Counted<T> {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Relaxed);
    }
}

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        POLLS.fetch_add(1, Relaxed);
        // The future stays where it is: neither `drop` nor anything else here moves it.
        unsafe { self.map_unchecked_mut(|counted| &mut counted.0) }.poll(context)
    }
}

/// The allocator of a program that counts: the system's, with a count of what it is asked for.
pub struct Allocator;

unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        System.alloc(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        System.alloc_zeroed(layout)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give_back(layout.size());
        System.dealloc(pointer, layout)
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        give_back(layout.size());
        take(size);
        System.realloc(pointer, layout, size)
    }
}

fn take(size: usize) {
    ALLOCATIONS.fetch_add(1, Relaxed);
    let live = LIVE_BYTES.fetch_add(size as u64, Relaxed).wrapping_add(size as u64);
    PEAK_BYTES.fetch_max(live, Relaxed);
}

fn give_back(size: usize) {
    LIVE_BYTES.fetch_sub(size as u64, Relaxed);
}
