"""What this machine offers: processes, locks and temporary folders, Rust's toolchain."""
