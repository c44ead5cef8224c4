"""A command as a model: a script, a tool or a coding agent that answers on this machine.

`command` is what a command is given and what it reports of itself, `workspace` the crate that it
works in, `source` the loop that runs it and tells an answer from a fault.
"""
