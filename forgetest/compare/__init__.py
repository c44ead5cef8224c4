"""Two reports to a comparison: what changed, how sure that is, and whether they can be compared."""
