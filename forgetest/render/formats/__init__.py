"""Reports as files: one module per format, and `catalogue.py` with one row for each.

A module makes files from runs and writes nothing. `standing.py` holds what several formats need:
how a case did, why samples failed, and names for files.
"""
