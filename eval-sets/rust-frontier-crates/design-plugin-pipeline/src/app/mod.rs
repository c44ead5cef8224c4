//! What uses the crate. These files stay as they are.

pub mod old;
pub mod plugins;
pub mod tasks;
pub mod text;
