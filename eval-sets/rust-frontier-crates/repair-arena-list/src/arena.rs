//! A typed arena.

use std::marker::PhantomData;
use std::ptr::NonNull;

/// Values of one type that live as long as the arena.
///
/// - What [`alloc`](Arena::alloc) and [`alloc_extend`](Arena::alloc_extend) return stays where it is,
///   and no other reference to it exists until the arena is borrowed mutably or dropped.
/// - Iterators that are given to `alloc_extend` may allocate in the same arena.
/// - The order of the values is the one in which they were allocated; those of one `alloc_extend`
///   are adjacent, after all that its iterator allocated. They are dropped in this order.
/// - Values may refer to each other: an `Arena<Node<'a>>` whose nodes have a
///   `Cell<Option<&'a Node<'a>>>` that refers to nodes of the same arena.
/// - It is `Send` if `T` is, and never `Sync`.
/// - Memory is asked for many values at a time: 1,000 calls of `alloc` ask at most 200 times.
pub struct Arena<T> {
    inner: NonNull<Inner<T>>,
    owns: PhantomData<T>,
}

struct Inner<T> {
    /// The last one is being filled.
    chunks: Vec<Vec<T>>,
    len: usize,
}

// SAFETY: an arena owns its values.
unsafe impl<T> Send for Arena<T> {}
// SAFETY: values that are shared are not changed.
unsafe impl<T: Sync> Sync for Arena<T> {}

const FIRST: usize = 8;
const MOST: usize = 1024;

impl<T> Inner<T> {
    /// A chunk that has room for `more` values.
    fn room(&mut self, more: usize) -> &mut Vec<T> {
        let last = self.chunks.last();
        if last.is_none_or(|chunk| chunk.capacity() - chunk.len() < more) {
            let size = last.map_or(FIRST, |chunk| chunk.len().clamp(FIRST, MOST / 2) * 2);
            self.chunks.push(Vec::with_capacity(size.max(more)));
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }
}

impl<T> Arena<T> {
    /// An empty arena.
    pub fn new() -> Self {
        let inner = Box::new(Inner { chunks: Vec::new(), len: 0 });
        Self { inner: NonNull::from(Box::leak(inner)), owns: PhantomData }
    }

    #[allow(clippy::mut_from_ref)]
    fn inner(&self) -> &mut Inner<T> {
        // SAFETY: the box lives as long as the arena.
        unsafe { &mut *self.inner.as_ptr() }
    }

    /// Moves a value into the arena.
    #[allow(clippy::mut_from_ref)]
    pub fn alloc(&self, value: T) -> &mut T {
        self.inner().len += 1;
        let chunk = self.inner().room(1);
        let at = chunk.len();
        chunk.push(value);
        &mut chunk[at]
    }

    /// Moves all values of an iterator into the arena, side by side. If the iterator panics, none of
    /// them stays.
    #[allow(clippy::mut_from_ref)]
    pub fn alloc_extend(&self, values: impl IntoIterator<Item = T>) -> &mut [T] {
        let values = values.into_iter();
        let chunk = self.inner().room(values.size_hint().0);
        let at = chunk.len();
        chunk.extend(values);
        self.inner().len += chunk.len() - at;
        &mut chunk[at..]
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.inner().len
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values, in order.
    pub fn iter_mut(&self) -> impl Iterator<Item = &mut T> {
        self.inner().chunks.iter_mut().flatten()
    }

    /// All values, in order.
    pub fn into_vec(self) -> Vec<T> {
        std::mem::take(&mut self.inner().chunks).into_iter().flatten().collect()
    }
}

impl<T> Drop for Arena<T> {
    fn drop(&mut self) {
        // SAFETY: it was made by `new`, and is dropped once.
        let mut inner = unsafe { Box::from_raw(self.inner.as_ptr()) };
        while let Some(chunk) = inner.chunks.pop() {
            drop(chunk);
        }
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}
