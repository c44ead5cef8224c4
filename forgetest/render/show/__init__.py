"""What `forgetest show` prints: a run (`run.py`), a case or sample (`sample.py`), an export."""
