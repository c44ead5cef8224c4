"""Near misses of a right solution: small wrong changes that good tests must notice."""
