"""A comparison in words: `headline.py` has the verdict and what to do. Read it first.

`words.py` and `cases.py` have the other sentences and cells of all forms;
`terminal.py`, `markdown.py` and `github.py` put them together; the page is `html/comparison.py`.
"""
