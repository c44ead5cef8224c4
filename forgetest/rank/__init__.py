"""Runs in, a ranking of their models out: who is best, and which models noise cannot tell apart.

`rank` orders what is ranked and states the uncertainty of every number: read it first. `entrants`
says what is ranked, models or variants, and by which cases; `variants` who was asked in which way.
`pairs` tests every pair and gives those that do not differ a common letter. `lead` says what is
known of the leader next to each other one. `types` is the ranking as it is written to JSON.
"""
