"""What this machine offers: processes that end with us, locks and temporary folders, Rust's toolchain."""
