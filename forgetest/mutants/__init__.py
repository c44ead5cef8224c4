"""Near misses of a right solution: small wrong changes that good tests must notice.

A solution goes in as text; `make.mutants` returns it with one change each, `blanks.blanks` with
bodies that do no work. Nothing is compiled here. Read `mutant` first (what a mutant is), then
`make` (which are made), then `expressions` and `control` (the changes), on top of `tree` (which
nodes may be changed) and `plain` (plain values of a type).
"""
