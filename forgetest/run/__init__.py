"""A run on disk: what was planned, what happened to each sample, and what state the run is in.

A run is a folder. `folder` creates, resumes and reads it: read it first. `manifest` is its
identity, written once at the start; `events` are the lines of its journal, which is the only state.
`seal` holds the checksums that reveal damage, `state` tells whether the run is running,
interrupted, complete or failed, and `settings` is what a user asked for.
"""
