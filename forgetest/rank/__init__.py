"""Runs in, a ranking of their models out: who is best, and which models noise cannot tell apart.

`rank` finds the cases that all models have in common, orders the models and states the uncertainty
of every number: read it first. `pairs` tests every pair of models and gives those that do not
differ a common letter. `types` is the ranking as it is written to JSON.
"""
