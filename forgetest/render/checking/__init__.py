"""What `validate --deep` found: for the terminal and as markdown, from the same cells."""
