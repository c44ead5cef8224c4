"""Reports in the formats of others: one module per format, and the catalogue of all."""
