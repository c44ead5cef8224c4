"""Text from values: terminal, markdown, JSON. Pure: the CLI prints what is made here."""
