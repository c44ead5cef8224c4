"""A sample plugin of forgetest: a module for each of its parts."""
