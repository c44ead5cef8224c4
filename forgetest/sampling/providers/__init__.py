"""The wire protocols, one file each, and the table of presets over them."""
