"""A run on disk: what was asked, what came of it, and in which state it is."""
