//! Containers on raw pointers, for values of every kind: without `Clone`, borrowed, of no size.
//!
//! What holds for all of them, besides what each type says:
//!
//! - Safe code that uses them cannot cause undefined behaviour, whatever its closures, iterators and
//!   implementations of `Drop`, `Clone` and `Ord` do: panic, call the container again where borrows
//!   allow it, or give wrong hints. This also holds if guards and iterators are forgotten.
//! - Each value is dropped exactly once, unless safe code forgets what owns it. If dropping a value
//!   panics, the other values that were to be dropped with it are dropped all the same.
//! - Everything is `Send` and `Sync` as the safe references and collections that it stands for: a
//!   [`List`], a [`Buffer`] and what iterates over them by value as `Vec<T>`, shared iterators and
//!   cursors as `&T`, mutable ones as `&mut T`.
//! - [`List`], [`Buffer`], [`Drain`], [`BufferIntoIter`], [`Iter`], [`Cursor`] and [`IntoIter`] are
//!   covariant in `T`.
//! - [`Iter`] and [`Cursor`] are `Clone`, and `Cursor` is `Copy`, for every `T`.

mod arena;
mod buffer;
mod lend;
mod list;

pub use arena::Arena;
pub use buffer::{Buffer, BufferIntoIter, Drain, WindowsMut};
pub use lend::{Filter, Lend, Lending};
pub use list::{Cursor, CursorMut, ExtractIf, IntoIter, Iter, IterMut, List, PairsMut};
