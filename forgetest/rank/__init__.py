"""Models of one or several runs in the order of what they pass, and how sure that order is."""
