"""Checks of the cases themselves: whether a score on a case means something.

Cases go in, findings come out. `anchors` is plain `validate`: the reference passes and a stub does
not. `deep` is `validate --deep`: it runs `soundness` (gradings in several orders, blank
implementations, time limits, texts) and `strength` (mutants) and remembers what they found.
`naming` and `contradiction` read prompt and tests without running anything; `prompts` reads what
variants show of a case's tests and solution. `types` holds the findings, `summary` their sums.
`excerpt` puts what rustc says back into the author's text, `places` finds it in the TOML file.
"""
