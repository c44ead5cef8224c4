"""Values in, text out: runs, comparisons, rankings and checks, for terminals, browsers and tools.

Nothing here reads a file or prints. Texts of models and users pass through `safe.py` on their way
out. Tables are columns as data: start with `columns.py`, then `leaderboard.py`, which holds the
columns of a report; `tables.py` and `markdown.py` put a report together for terminal and pull
request, `html/` for the browser, `formats/` for other tools. `comparison/`, `ranking.py`, `show/`
and `checking.py` do the same for `compare`, `rank`, `show` and `validate --deep`; `machine.py` and
`run.py` hold the small tables of the rest.
"""
