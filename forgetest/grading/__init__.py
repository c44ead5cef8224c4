"""From a case and code to a verdict, or to a `Fault` when the machine is the cause.

Read `grader` first: it takes a sample through the steps. `graders` are the layers above it: a cache
of verdicts, a limit, repetition.

- The steps: `workshop` opens a `workspace` with the files of `crate`, `stages` compile, lint and
  build the tests, `testrun` runs them, `compile_fail` builds the uses that rustc must reject,
  `requirement` checks what a case demands besides its tests.
- The verdict: `rules` turn what the steps found into a `verdict`; they are pure.
- Where the tests are put and what they see of the sample: `layout`. The program that runs them:
  `harness`.
- The compilers: `compilers` is the contract, `direct` and `cargo` implement it, `diagnostics` reads
  what they print, `proof` shows with canaries that the direct calls can be trusted.
- Once per machine: `dependencies` are built into a `depository`, verdicts kept in a
  `verdict_store` under the `identity` of the grader. `limits` says what a sample may use.
- `probe` is the quick question whether tests notice code.
"""
