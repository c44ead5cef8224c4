"""How fast two reports are compared."""
