"""Boxes for hostile code: one to compile it in, one to run it in, by what this system offers."""
