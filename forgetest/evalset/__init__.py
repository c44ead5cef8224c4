"""Eval sets: the TOML schema, its reader, and the values the rest of the program uses."""
