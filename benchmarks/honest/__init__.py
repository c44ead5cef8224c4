"""Honest programs of many shapes, and what plain cargo says of them; see `differential.py`."""
