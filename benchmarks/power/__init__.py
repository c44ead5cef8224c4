"""Simulated runs of models that have not changed, or have: how often do gates err."""
