"""Commands that handle generated code go in; how each of them ended comes out, and nothing else.

Each compiler call and the tests of each sample run in a box of their own. Read first `sandbox` (the
face that grading uses) and `plan` (what is to run, and the contract of a backend), then `choose`,
which picks a backend of `backends` and tries it. `bwrap`, `landlock`, `docker` and `none` are one
backend each. Inside a box the guard is the first process: `guard/` is its source in Rust,
`guardprogram` builds it, `guarded` talks to it, and `host` knows what boxes need of this system.
"""
