"""Comparisons as text: for a terminal, for a pull request, for a workflow's log."""
