//! An async runtime for one thread, with a clock of its own.
//!
//! What holds everywhere:
//!
//! - Futures are polled and dropped in the thread of the runtime. Wakers may be cloned, called and
//!   dropped in every thread and at every time, also during a poll, after the task has finished and
//!   after the runtime is gone. A wake is never lost: whatever is woken after its poll began is polled
//!   again. It is polled once, however often it was woken before that poll begins.
//! - No future is polled again after it gave its output, or after it panicked.
//! - A future that is pending wakes the waker of its last poll, not of an earlier one.
//! - Dropping a future at any time undoes its waiting: nothing stays registered for it, and nobody waits
//!   longer because of it.
//! - Futures, outputs and values are dropped once, and nothing leaks, also if futures panic and if
//!   tasks keep handles of each other and of the runtime. Their destructors and polls may call everything
//!   here, such as `spawn`, `abort` or `try_send`.

mod channel;
mod combine;
mod executor;
mod scope;
mod semaphore;
mod task;
mod time;

pub use channel::{channel, Full, Receiver, Recv, SendFuture, Sender};
pub use combine::{join_all, select, yield_now, Either, JoinAll, Select, YieldNow};
pub use executor::{Handle, Runtime};
pub use scope::Scope;
pub use semaphore::{Acquire, Permit, Semaphore};
pub use task::{JoinHandle, Stopped};
pub use time::{Elapsed, Sleep, Timeout};
