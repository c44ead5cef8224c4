"""Fault injection: what a failing machine may do to gradings and runs, and what it may not."""
