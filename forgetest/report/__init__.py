"""What a run recorded in, its report out: counts first, and every rate computed from them.

`build` turns the records of a journal into a report: read it first. `aggregate` holds the numbers
of one case and of many, `score` the score of one sample, `usage` the costs, `agreement` how our
verdicts compare to recorded ones, `extensions` the numbers that `[report]` of forgetest.toml adds.
`types` is the report as it is written; `stream` writes it a sample at a time, and finds each sample
where it stands; `files` writes and reads report.json, opens a run, and finds
the case, model or sample that somebody names.
"""
