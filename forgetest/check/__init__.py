"""Are the cases themselves right: what they ask, what they test, what their references do."""
