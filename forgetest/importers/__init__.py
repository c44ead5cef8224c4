"""Importers: other people's benchmarks and recordings go in, eval sets and completions come out.

`catalogue` lists the formats, one row each; `types` says what an importer gets and gives. Formats
are in `multipl_e`, `humaneval`, `recorded` and `exercism/`. They share `reading` (JSON Lines to
items), `problems` (an item to a case), `programs` (asserts to tests) and `foreign` (the crates that
code imports). Read `types`, `catalogue`, then `humaneval`.
"""
