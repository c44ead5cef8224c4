//! Documented.
#![deny(missing_docs)]

/// Also documented.
pub fn f() {}

pub fn g() {}
