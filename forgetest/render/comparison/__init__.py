"""A comparison in words: `words.py` and `cases.py` have the sentences and cells of all forms.

`terminal.py`, `markdown.py` and `github.py` put them together; the page is `html/comparison.py`.
"""
