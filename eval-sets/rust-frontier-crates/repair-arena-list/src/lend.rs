//! Iterators whose items borrow from the iterator.

/// The item of a [`Lend`] while it is borrowed for `'n`. `Bound` is never named.
pub trait Lending<'n, Bound = &'n Self> {
    /// The item.
    type Item;
}

/// An iterator that lends: an item must be gone before the next one is asked for.
pub trait Lend: for<'n> Lending<'n> {
    /// The next item.
    fn next(&mut self) -> Option<<Self as Lending<'_>>::Item>;

    /// Only the items that `keep` accepts.
    fn filter<F>(self, keep: F) -> Filter<Self, F>
    where
        Self: Sized,
        F: for<'n> FnMut(&<Self as Lending<'n>>::Item) -> bool,
    {
        Filter { inner: self, keep }
    }

    /// Calls `each` for all items.
    fn for_each<F>(mut self, mut each: F)
    where
        Self: Sized,
        F: for<'n> FnMut(<Self as Lending<'n>>::Item),
    {
        while let Some(item) = self.next() {
            each(item);
        }
    }
}

/// See [`Lend::filter`].
pub struct Filter<I, F> {
    inner: I,
    keep: F,
}

impl<'n, I: Lend, F> Lending<'n> for Filter<I, F> {
    type Item = <I as Lending<'n>>::Item;
}

impl<I: Lend, F> Lend for Filter<I, F>
where
    F: for<'n> FnMut(&<I as Lending<'n>>::Item) -> bool,
{
    fn next(&mut self) -> Option<<Self as Lending<'_>>::Item> {
        loop {
            // SAFETY: an item that is not returned is gone before the next call; the borrow checker
            // does not see that yet.
            let inner: &mut I = unsafe { &mut *std::ptr::from_mut(&mut self.inner) };
            let item = inner.next()?;
            if (self.keep)(&item) {
                return Some(item);
            }
        }
    }
}
