//! A doubly linked list.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;

type Link<T> = Option<NonNull<Node<T>>>;

struct Node<T> {
    prev: Link<T>,
    next: Link<T>,
    value: T,
}

/// A doubly linked list. Nodes stay where they are until their value is taken out.
pub struct List<T> {
    head: Link<T>,
    tail: Link<T>,
    len: usize,
    owns: PhantomData<*mut Node<T>>,
}

// SAFETY: a list owns its values.
unsafe impl<T> Send for List<T> {}
// SAFETY: a shared list only gives shared values.
unsafe impl<T: Sync> Sync for List<T> {}

impl<T> List<T> {
    /// An empty list.
    pub fn new() -> Self {
        Self { head: None, tail: None, len: 0, owns: PhantomData }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn set_next(&mut self, node: Link<T>, next: Link<T>) {
        match node {
            // SAFETY: nodes of a list that is borrowed mutably.
            Some(mut node) => unsafe { node.as_mut() }.next = next,
            None => self.head = next,
        }
    }

    fn set_prev(&mut self, node: Link<T>, prev: Link<T>) {
        match node {
            // SAFETY: as in `set_next`.
            Some(mut node) => unsafe { node.as_mut() }.prev = prev,
            None => self.tail = prev,
        }
    }

    /// Puts all nodes of `other` between two neighbours of this list.
    fn link(&mut self, prev: Link<T>, next: Link<T>, mut other: List<T>) {
        let (first, last) = (other.head.take(), other.tail.take());
        if first.is_none() {
            return;
        }
        self.len += mem::take(&mut other.len);
        self.set_next(prev, first);
        self.set_prev(first, prev);
        self.set_next(last, next);
        self.set_prev(next, last);
    }

    fn link_value(&mut self, prev: Link<T>, next: Link<T>, value: T) {
        let node = Box::new(Node { prev: None, next: None, value });
        let node = Some(NonNull::from(Box::leak(node)));
        self.link(prev, next, List { head: node, tail: node, len: 1, owns: PhantomData });
    }

    /// Takes a node out of this list.
    ///
    /// # Safety
    ///
    /// It is a node of this list.
    unsafe fn unlink(&mut self, node: NonNull<Node<T>>) -> T {
        // SAFETY: all nodes are boxes that the list owns.
        let node = unsafe { Box::from_raw(node.as_ptr()) };
        self.set_next(node.prev, node.next);
        self.set_prev(node.next, node.prev);
        self.len -= 1;
        node.value
    }

    /// Adds a value at the front.
    pub fn push_front(&mut self, value: T) {
        self.link_value(None, self.head, value);
    }

    /// Adds a value at the back.
    pub fn push_back(&mut self, value: T) {
        self.link_value(self.tail, None, value);
    }

    /// Takes the first value.
    pub fn pop_front(&mut self) -> Option<T> {
        // SAFETY: it is a node of this list.
        self.head.map(|node| unsafe { self.unlink(node) })
    }

    /// Takes the last value.
    pub fn pop_back(&mut self) -> Option<T> {
        // SAFETY: it is a node of this list.
        self.tail.map(|node| unsafe { self.unlink(node) })
    }

    /// The first value.
    pub fn front(&self) -> Option<&T> {
        // SAFETY: the node lives while the list is borrowed.
        self.head.map(|node| unsafe { &(*node.as_ptr()).value })
    }

    /// The first value.
    pub fn front_mut(&mut self) -> Option<&mut T> {
        // SAFETY: as in `front`.
        self.head.map(|node| unsafe { &mut (*node.as_ptr()).value })
    }

    /// The last value.
    pub fn back(&self) -> Option<&T> {
        // SAFETY: as in `front`.
        self.tail.map(|node| unsafe { &(*node.as_ptr()).value })
    }

    /// Drops all values. The list is empty afterwards, even if a drop panics.
    pub fn clear(&mut self) {
        while self.pop_front().is_some() {}
    }

    /// Moves all values of `other` to the end of this list.
    pub fn append(&mut self, other: &mut List<T>) {
        self.link(self.tail, None, mem::take(other));
    }

    /// Takes out all values from `index` on.
    ///
    /// # Panics
    ///
    /// If `index` is greater than the length.
    pub fn split_off(&mut self, index: usize) -> List<T> {
        assert!(index <= self.len, "index {index} of {}", self.len);
        let mut cursor = self.cursor_mut();
        for _ in 0..index {
            cursor.move_next();
        }
        cursor.split_after()
    }

    /// Sorts the values; equal ones keep their order. If `compare` panics, the list has all of its
    /// values, in some order.
    pub fn sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut sorted = List::new();
        while let Some(value) = self.pop_front() {
            let mut cursor = sorted.cursor_mut();
            cursor.move_prev();
            while cursor.current().is_some_and(|other| compare(other, &value).is_gt()) {
                cursor.move_prev();
            }
            cursor.insert_after(value);
        }
        *self = sorted;
    }

    /// Drops the values that `keep` does not accept. If `keep` or a drop panics, all values that were
    /// accepted or not asked for, or for which `keep` panicked, stay.
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        for _ in 0..self.len {
            if let Some(mut value) = self.pop_front() {
                if keep(&mut value) {
                    self.push_back(value);
                }
            }
        }
    }

    /// Takes out the values that `test` accepts, each when it is asked for. Values for which `test`
    /// was not called, or panicked, stay in the list; after a panic the iterator goes on behind it.
    pub fn extract_if<F: FnMut(&mut T) -> bool>(&mut self, test: F) -> ExtractIf<'_, T, F> {
        ExtractIf { next: self.head, list: self, test }
    }

    /// All values.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { head: self.head, tail: self.tail, len: self.len, borrow: PhantomData }
    }

    /// All values.
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut { head: self.head, tail: self.tail, len: self.len, borrow: PhantomData }
    }

    /// All pairs of neighbours. They overlap, so they are lent one after the other.
    pub fn pairs_mut(&mut self) -> PairsMut<'_, T> {
        PairsMut { next: self.head, borrow: PhantomData }
    }

    /// A cursor before the first value.
    pub fn cursor(&self) -> Cursor<'_, T> {
        Cursor { list: self, at: None }
    }

    /// A cursor before the first value.
    pub fn cursor_mut(&mut self) -> CursorMut<'_, T> {
        CursorMut { list: NonNull::from(self), at: None, borrow: PhantomData }
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        while self.pop_front().is_some() {}
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone> Clone for List<T> {
    fn clone(&self) -> Self {
        self.iter().cloned().collect()
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push_back(value));
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut list = Self::new();
        list.extend(values);
        list
    }
}

impl<T> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut List<T> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}

/// The values of a [`List`].
pub struct IntoIter<T>(List<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len, Some(self.0.len))
    }
}

impl<T> DoubleEndedIterator for IntoIter<T> {
    fn next_back(&mut self) -> Option<T> {
        self.0.pop_back()
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}

/// The values of a shared [`List`].
#[derive(Clone)]
pub struct Iter<'a, T> {
    head: Link<T>,
    tail: Link<T>,
    len: usize,
    borrow: PhantomData<&'a T>,
}

// SAFETY: it gives shared values only.
unsafe impl<T: Send> Send for Iter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Iter<'_, T> {}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: there are len nodes between head and tail; they live for 'a.
        let node: &'a Node<T> = unsafe { self.head?.as_ref() };
        self.head = node.next;
        Some(&node.value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<'a, T> DoubleEndedIterator for Iter<'a, T> {
    fn next_back(&mut self) -> Option<&'a T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: as in `next`.
        let node: &'a Node<T> = unsafe { self.tail?.as_ref() };
        self.tail = node.prev;
        Some(&node.value)
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

/// The values of a [`List`], mutable.
pub struct IterMut<'a, T> {
    head: Link<T>,
    tail: Link<T>,
    len: usize,
    borrow: PhantomData<&'a T>,
}

// SAFETY: it gives each value once, mutable.
unsafe impl<T: Send> Send for IterMut<'_, T> {}
// SAFETY: shared, it gives nothing.
unsafe impl<T: Sync> Sync for IterMut<'_, T> {}

impl<'a, T> Iterator for IterMut<'a, T> {
    type Item = &'a mut T;

    fn next(&mut self) -> Option<&'a mut T> {
        self.len = self.len.checked_sub(1)?;
        let node = self.head?.as_ptr();
        // SAFETY: there are len nodes between head and tail; they live for 'a and are given once.
        unsafe {
            self.head = (*node).next;
            Some(&mut (*node).value)
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<'a, T> DoubleEndedIterator for IterMut<'a, T> {
    fn next_back(&mut self) -> Option<&'a mut T> {
        self.len = self.len.saturating_sub(1);
        let node = self.tail?.as_ptr();
        // SAFETY: as in `next`.
        unsafe {
            self.tail = (*node).prev;
            Some(&mut (*node).value)
        }
    }
}

impl<T> ExactSizeIterator for IterMut<'_, T> {}

/// Takes values out of a [`List`]: [`List::extract_if`].
pub struct ExtractIf<'a, T, F> {
    next: Link<T>,
    list: &'a mut List<T>,
    test: F,
}

// SAFETY: it gives values of a list that it borrows mutably.
unsafe impl<T: Send, F> Send for ExtractIf<'_, T, F> {}
// SAFETY: shared, it gives nothing.
unsafe impl<T, F: Sync> Sync for ExtractIf<'_, T, F> {}

impl<T, F: FnMut(&mut T) -> bool> Iterator for ExtractIf<'_, T, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while let Some(node) = self.next {
            // SAFETY: a node of the list.
            unsafe {
                let accepted = (self.test)(&mut (*node.as_ptr()).value);
                self.next = node.as_ref().next;
                if accepted {
                    return Some(self.list.unlink(node));
                }
            }
        }
        None
    }
}

/// Pairs of neighbours of a [`List`]: [`List::pairs_mut`].
pub struct PairsMut<'a, T> {
    next: Link<T>,
    borrow: PhantomData<&'a T>,
}

// SAFETY: it gives mutable values.
unsafe impl<T: Send> Send for PairsMut<'_, T> {}
// SAFETY: shared, it gives nothing.
unsafe impl<T: Sync> Sync for PairsMut<'_, T> {}

impl<'a, T> Iterator for PairsMut<'a, T> {
    type Item = (&'a mut T, &'a mut T);

    fn next(&mut self) -> Option<(&'a mut T, &'a mut T)> {
        let first = self.next?.as_ptr();
        // SAFETY: two different nodes, which live for 'a.
        unsafe {
            let second = (*first).next?;
            self.next = Some(second);
            Some((&mut (*first).value, &mut (*second.as_ptr()).value))
        }
    }
}

/// A place in a shared [`List`]: at a value, or between the end and the start.
#[derive(Clone, Copy)]
pub struct Cursor<'a, T> {
    list: &'a List<T>,
    at: Link<T>,
}

// SAFETY: it gives shared values only.
unsafe impl<T: Sync> Send for Cursor<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Cursor<'_, T> {}

impl<'a, T> Cursor<'a, T> {
    /// Goes to the next value; from the last one, to the place between the end and the start.
    pub fn move_next(&mut self) {
        // SAFETY: a node of the list.
        self.at = self.at.map_or(self.list.head, |node| unsafe { node.as_ref() }.next);
    }

    /// Goes to the value before.
    pub fn move_prev(&mut self) {
        // SAFETY: a node of the list.
        self.at = self.at.map_or(self.list.tail, |node| unsafe { node.as_ref() }.prev);
    }

    /// The value here. It borrows from the list.
    pub fn current(&self) -> Option<&'a T> {
        // SAFETY: a node of the list, which is borrowed for 'a.
        self.at.map(|node| unsafe { &(*node.as_ptr()).value })
    }
}

/// A place in a [`List`] that can be changed there: at a value, or between the end and the start.
pub struct CursorMut<'a, T> {
    list: NonNull<List<T>>,
    at: Link<T>,
    borrow: PhantomData<&'a List<T>>,
}

// SAFETY: it has a mutable list.
unsafe impl<T: Send> Send for CursorMut<'_, T> {}
// SAFETY: shared, it gives shared values.
unsafe impl<T: Send> Sync for CursorMut<'_, T> {}

impl<'a, T> CursorMut<'a, T> {
    fn list(&mut self) -> &'a mut List<T> {
        // SAFETY: the list is borrowed for 'a.
        unsafe { &mut *self.list.as_ptr() }
    }

    fn after(&self) -> Link<T> {
        // SAFETY: a node of the list.
        self.at.map_or(unsafe { self.list.as_ref() }.head, |node| unsafe { node.as_ref() }.next)
    }

    fn before(&self) -> Link<T> {
        // SAFETY: a node of the list.
        self.at.map_or(unsafe { self.list.as_ref() }.tail, |node| unsafe { node.as_ref() }.prev)
    }

    /// Goes to the next value; from the last one, to the place between the end and the start.
    pub fn move_next(&mut self) {
        self.at = self.after();
    }

    /// Goes to the value before.
    pub fn move_prev(&mut self) {
        self.at = self.before();
    }

    /// The value here.
    pub fn current(&mut self) -> Option<&'a mut T> {
        // SAFETY: a node of the list, which is borrowed for 'a.
        self.at.map(|node| unsafe { &mut (*node.as_ptr()).value })
    }

    /// The value after this one; from between the end and the start, the first.
    pub fn peek_next(&mut self) -> Option<&'a mut T> {
        // SAFETY: as in `current`.
        self.after().map(|node| unsafe { &mut (*node.as_ptr()).value })
    }

    /// The value here, for the whole borrow of the list.
    pub fn into_current(self) -> Option<&'a mut T> {
        // SAFETY: a node of the list, which nobody else can reach for 'a.
        self.at.map(|node| unsafe { &mut (*node.as_ptr()).value })
    }

    /// A shared cursor at this place, while this one is not used.
    pub fn as_cursor(&self) -> Cursor<'a, T> {
        // SAFETY: the list is borrowed for 'a.
        Cursor { list: unsafe { self.list.as_ref() }, at: self.at }
    }

    /// Inserts a value after this one, at the start from between the end and the start.
    pub fn insert_after(&mut self, value: T) {
        let after = self.after();
        self.list().link_value(self.at, after, value);
    }

    /// Inserts a value before this one, at the end from between the end and the start.
    pub fn insert_before(&mut self, value: T) {
        let before = self.before();
        self.list().link_value(before, self.at, value);
    }

    /// Takes the value here, and goes to the next.
    pub fn remove_current(&mut self) -> Option<T> {
        let node = self.at?;
        self.move_next();
        // SAFETY: a node of the list.
        Some(unsafe { self.list().unlink(node) })
    }

    /// Inserts all values of `other` after this one, at the start from between the end and the start.
    pub fn splice_after(&mut self, other: List<T>) {
        let after = self.after();
        self.list().link(self.at, after, other);
    }

    /// Takes out all values after this one; from between the end and the start, all.
    pub fn split_after(&mut self) -> List<T> {
        let Some(first) = self.after() else { return List::new() };
        let mut kept = 0;
        let mut node = self.at;
        while let Some(here) = node {
            kept += 1;
            // SAFETY: a node of the list.
            node = unsafe { here.as_ref() }.prev;
        }
        let at = self.at;
        let list = self.list();
        let rest = List {
            head: Some(first),
            tail: list.tail,
            len: list.len - kept,
            owns: PhantomData,
        };
        list.set_next(at, None);
        list.tail = at;
        list.len = kept;
        rest
    }
}
