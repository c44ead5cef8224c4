"""The files that `forgetest init` writes."""
