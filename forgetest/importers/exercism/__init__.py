"""Exercism tracks, single exercises, and Aider's polyglot folders as eval sets.

The solution of an exercise is next to its stub. What a model is shown comes from the instructions,
the stub and the files that the stub needs, never from the folders that hold solutions.
"""
