"""A ranking for people: tables of the terminal, and markdown."""
