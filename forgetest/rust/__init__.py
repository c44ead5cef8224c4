"""What can be told of Rust source by parsing it."""
