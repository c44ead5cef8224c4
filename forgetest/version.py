"""The version of forgetest, in a file that nothing large is loaded with."""

__version__ = "0.1.0"
