"""What this machine offers: commands, files, and the Rust toolchain.

`process` runs one command within limits and leaves nothing of it behind, with the help of
`orphans`; `files` has locks between processes and temporary folders that vanish; `toolchain` finds
rustc, cargo and clippy, and checks what grading needs. Each file can be read alone.
"""
