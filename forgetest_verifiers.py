"""What verifiers imports for the taskset id `forgetest-verifiers`."""

from verifiers.v1.harnesses.null import NullHarness

from forgetest.integrations.verifiers import RustTaskset

__all__ = ["NullHarness", "RustTaskset"]
