//! A shop: the callers of `crate::web`.

pub mod embed;
pub mod handlers;
pub mod layers;
pub mod model;
pub mod site;
