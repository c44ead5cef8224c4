//! A growable array.

use std::alloc::{alloc, dealloc, handle_alloc_error, realloc, Layout};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::{self, NonNull};
use std::slice;

/// A growable array. Room is made geometrically: 1,000 calls of `push` ask for memory at most 20 times,
/// and never if `T` has no size. All of it is given back.
pub struct Buffer<T> {
    start: NonNull<T>,
    capacity: usize,
    len: usize,
    owns: PhantomData<T>,
}

// SAFETY: a buffer owns its values.
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: a shared buffer only gives shared values.
unsafe impl<T: Sync> Sync for Buffer<T> {}

impl<T> Buffer<T> {
    /// An empty buffer.
    pub fn new() -> Self {
        let capacity = if size_of::<T>() == 0 { usize::MAX } else { 0 };
        Self { start: NonNull::dangling(), capacity, len: 0, owns: PhantomData }
    }

    fn at(&self, index: usize) -> *mut T {
        // SAFETY: callers give an index up to the capacity.
        unsafe { self.start.as_ptr().add(index) }
    }

    /// Makes room for `more` values.
    pub fn reserve(&mut self, more: usize) {
        let wanted = self.len.checked_add(more).expect("too many values");
        if wanted <= self.capacity {
            return;
        }
        let capacity = wanted.max(self.capacity.saturating_mul(2)).max(4);
        let layout = Layout::array::<T>(capacity).expect("too many values");
        // SAFETY: T has a size here, else the capacity would do; the old layout is the one in use.
        let start = unsafe {
            if self.capacity == 0 {
                alloc(layout)
            } else {
                let old = Layout::array::<T>(self.capacity).expect("was made before");
                realloc(self.start.as_ptr().cast(), old, layout.size())
            }
        };
        let Some(start) = NonNull::new(start.cast::<T>()) else { handle_alloc_error(layout) };
        self.start = start;
        self.capacity = capacity;
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: T) {
        self.reserve(1);
        // SAFETY: there is room.
        unsafe { self.at(self.len).write(value) };
        self.len += 1;
    }

    /// Takes the last value.
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: it is a value, and no longer counted.
        Some(unsafe { self.at(self.len).read() })
    }

    /// Takes the value at `index`, and moves those after it.
    ///
    /// # Panics
    ///
    /// If there is no such value.
    pub fn remove(&mut self, index: usize) -> T {
        assert!(index < self.len, "index {index} of {}", self.len);
        // SAFETY: the index is valid; the values after it are moved by one.
        unsafe {
            let value = self.at(index).read();
            self.len -= 1;
            ptr::copy(self.at(index + 1), self.at(index), self.len - index);
            value
        }
    }

    /// Drops all values from `len` on.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            let rest = ptr::slice_from_raw_parts_mut(self.at(len), self.len - len);
            // SAFETY: these values are not used again.
            unsafe { ptr::drop_in_place(rest) };
            self.len = len;
        }
    }

    /// Drops all values. The buffer is empty afterwards, even if a drop panics.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Drops the values that `keep` does not accept, at once. If `keep` or a drop panics, all values
    /// that were accepted or not asked for, or for which `keep` panicked, stay, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut kept = 0;
        for next in 0..self.len {
            let value = self.at(next);
            // SAFETY: the values from next on are valid, the ones between kept and next are gone.
            unsafe {
                if !keep(&mut *value) {
                    ptr::drop_in_place(value);
                } else {
                    ptr::copy(value, self.at(kept), 1);
                    kept += 1;
                }
            }
        }
        self.len = kept;
    }

    /// Adds clones of the values in `range` at the end. If a clone panics, those made before stay.
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    pub fn extend_from_within(&mut self, range: Range<usize>)
    where
        T: Clone,
    {
        let source: *const [T] = &self[range];
        // SAFETY: the values of the range are not changed by adding others behind them.
        for value in unsafe { &*source } {
            self.push(value.clone());
        }
    }

    /// Puts all values of an iterator before the one at `index`. If the iterator panics, the buffer
    /// has the values that it had before.
    ///
    /// # Panics
    ///
    /// If `index` is greater than the length.
    pub fn insert_all(&mut self, index: usize, values: impl IntoIterator<Item = T>) {
        assert!(index <= self.len, "index {index} of {}", self.len);
        let values = values.into_iter();
        let more = values.size_hint().0;
        self.reserve(more);
        // SAFETY: there is room.
        unsafe { ptr::copy(self.at(index), self.at(index + more), self.len - index) };
        for (next, value) in (index..).zip(values) {
            if next < index + more {
                // SAFETY: this place is in the gap.
                unsafe { self.at(next).write(value) };
                self.len += 1;
            } else {
                self.push(value);
                self[next..].rotate_right(1);
            }
        }
    }

    /// Takes out the values in `range`. When the [`Drain`] is dropped, those that it did not give are
    /// dropped, and the values after the range move down, also if a drop panics.
    ///
    /// If it is forgotten, values of the buffer may leak.
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    pub fn drain(&mut self, range: Range<usize>) -> Drain<'_, T> {
        let _ = &self[range.clone()];
        Drain {
            next: range.start,
            last: range.end,
            tail: range.end,
            end: self.len,
            start: range.start,
            buffer: NonNull::from(self),
            borrow: PhantomData,
        }
    }

    /// All slices of `size` neighbours. They overlap, so they are lent one after the other.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn windows_mut(&mut self, size: usize) -> WindowsMut<'_, T> {
        assert!(size > 0, "windows of no size");
        let len = self.len;
        WindowsMut { start: self.start, len, size, next: 0, borrow: PhantomData }
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.clear();
        if size_of::<T>() > 0 && self.capacity > 0 {
            let layout = Layout::array::<T>(self.capacity).expect("was made before");
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the first len values are valid.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Clone> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        let mut buffer = Self::new();
        buffer.reserve(self.len);
        buffer.len = self.len;
        for (index, value) in self.iter().enumerate() {
            // SAFETY: there is room.
            unsafe { buffer.at(index).write(value.clone()) };
        }
        buffer
    }
}

impl<T> Extend<T> for Buffer<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl<T> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut buffer = Self::new();
        buffer.extend(values);
        buffer
    }
}

impl<T> IntoIterator for Buffer<T> {
    type Item = T;
    type IntoIter = BufferIntoIter<T>;

    fn into_iter(self) -> BufferIntoIter<T> {
        let end = self.len;
        BufferIntoIter { buffer: ManuallyDrop::new(self), next: 0, end }
    }
}

/// The values of a [`Buffer`].
pub struct BufferIntoIter<T> {
    buffer: ManuallyDrop<Buffer<T>>,
    next: usize,
    end: usize,
}

impl<T> BufferIntoIter<T> {
    /// The values that are left.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: these values were not given out.
        unsafe { slice::from_raw_parts(self.buffer.at(self.next), self.end - self.next) }
    }
}

impl<T> Iterator for BufferIntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        // SAFETY: it was not given out, and will not be again.
        Some(unsafe { self.buffer.at(self.next - 1).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl<T> DoubleEndedIterator for BufferIntoIter<T> {
    fn next_back(&mut self) -> Option<T> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        // SAFETY: as in `next`.
        Some(unsafe { self.buffer.at(self.end).read() })
    }
}

impl<T> ExactSizeIterator for BufferIntoIter<T> {}

impl<T> Drop for BufferIntoIter<T> {
    fn drop(&mut self) {
        self.for_each(drop);
        self.buffer.len = 0;
        // SAFETY: it is dropped once, here; its len is 0, so it only frees the memory.
        unsafe { ManuallyDrop::drop(&mut self.buffer) };
    }
}

/// Values that are taken out of a [`Buffer`]: [`Buffer::drain`].
pub struct Drain<'a, T> {
    buffer: NonNull<Buffer<T>>,
    next: usize,
    last: usize,
    tail: usize,
    end: usize,
    start: usize,
    borrow: PhantomData<&'a mut T>,
}

// SAFETY: a drain borrows its values.
unsafe impl<T: Sync> Send for Drain<'_, T> {}
// SAFETY: a shared drain only gives shared values.
unsafe impl<T: Sync> Sync for Drain<'_, T> {}

impl<'a, T> Drain<'a, T> {
    fn at(&self, index: usize) -> *mut T {
        // SAFETY: the buffer is borrowed.
        unsafe { self.buffer.as_ref() }.at(index)
    }

    /// The values that are left.
    pub fn as_slice(&self) -> &'a [T] {
        // SAFETY: these values were not given out.
        unsafe { slice::from_raw_parts(self.at(self.next), self.last - self.next) }
    }

    /// Leaves the values that were not given in the buffer.
    pub fn keep_rest(self) {
        let mut this = ManuallyDrop::new(self);
        let gap = this.next - this.start;
        // SAFETY: the values from next on are moved over those that were given.
        unsafe {
            let buffer = this.buffer.as_mut();
            ptr::copy(buffer.at(this.next), buffer.at(this.start), this.end - this.next);
            buffer.len = this.end - gap;
        }
    }

    fn close(&mut self) {
        let tail = self.end - self.tail;
        // SAFETY: the values after the range are moved to the end of the buffer, and counted.
        unsafe {
            let buffer = self.buffer.as_mut();
            ptr::copy(buffer.at(self.tail), buffer.at(self.start), tail);
            buffer.len = self.start + tail;
        }
    }
}

impl<T> Iterator for Drain<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.next == self.last {
            return None;
        }
        self.next += 1;
        // SAFETY: it was not given out, and will not be again.
        Some(unsafe { self.at(self.next - 1).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.last - self.next;
        (left, Some(left))
    }
}

impl<T> DoubleEndedIterator for Drain<'_, T> {
    fn next_back(&mut self) -> Option<T> {
        if self.next == self.last {
            return None;
        }
        self.last -= 1;
        // SAFETY: as in `next`.
        Some(unsafe { self.at(self.last).read() })
    }
}

impl<T> ExactSizeIterator for Drain<'_, T> {}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        self.for_each(drop);
        self.close();
    }
}

/// Overlapping slices of a [`Buffer`]: [`Buffer::windows_mut`].
pub struct WindowsMut<'a, T> {
    start: NonNull<T>,
    len: usize,
    size: usize,
    next: usize,
    borrow: PhantomData<&'a T>,
}

// SAFETY: it only refers to values.
unsafe impl<T> Send for WindowsMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for WindowsMut<'_, T> {}

impl<'a, T> Iterator for WindowsMut<'a, T> {
    type Item = &'a mut [T];

    fn next(&mut self) -> Option<&'a mut [T]> {
        if self.next + self.size > self.len {
            return None;
        }
        // SAFETY: the values are borrowed for 'a.
        let window = unsafe {
            slice::from_raw_parts_mut(self.start.as_ptr().add(self.next), self.size)
        };
        self.next += 1;
        Some(window)
    }
}
