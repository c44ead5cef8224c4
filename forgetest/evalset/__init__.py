"""Eval sets: a TOML file goes in, cases come out, and the other way round.

`types` describes every key of a case, `forms` what single strings must look like, and `schema` the
document around them, with its JSON Schema. `load` reads files and reports all problems at once,
with `findings` for what is wrong with one key and `positions` for its line. `dump` writes TOML,
`select` carries out `--filter` and `--case`. `shipped` finds the sets that come with forgetest by
name, `strength` what is recorded of their tests. Read `types`, then `load`.
"""
