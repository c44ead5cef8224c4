"""forgetest: an eval runner for Rust code generation."""

__version__ = "0.1.0"
