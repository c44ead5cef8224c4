"""Importers: other people's benchmarks and recordings as eval sets and completions of ours."""
