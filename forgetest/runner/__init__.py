"""The conductor: one event loop, one task group, two limits, no rules of its own."""
