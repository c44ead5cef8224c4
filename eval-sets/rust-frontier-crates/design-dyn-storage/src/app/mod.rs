//! What uses the crate. These files stay as they are.

pub mod legacy;
pub mod packed;
pub mod plugins;
pub mod shapes;
pub mod text;
