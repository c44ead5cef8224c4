//! A game: the callers of `crate::ecs`.

pub mod parts;
pub mod run;
pub mod systems;
pub mod tools;
