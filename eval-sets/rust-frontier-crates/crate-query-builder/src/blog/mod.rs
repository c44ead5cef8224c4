//! A blog: the callers of `crate::sql`.

pub mod lists;
pub mod reports;
pub mod schema;
pub mod store;
