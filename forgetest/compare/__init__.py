"""Two reports in, one comparison out: what changed, how sure that is, and what a gate says.

`read` counts a report.json into a `Side` (`side`), case by case, so that large reports fit in
memory. `pair` lays two sides next to each other, `model` compares one pair of models, `gate` turns
evidence into a verdict and an exit code, `comparability` lists what else differs between the runs,
and `compare` puts it together: read it first. `types` is the comparison as it is written to JSON.
`selfcheck` asks how often a gate fires when nothing changed.
"""
