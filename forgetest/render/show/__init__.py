"""A run, a case and a sample for somebody who looks at them in a terminal."""
