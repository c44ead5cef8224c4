"""Boxes for hostile code: one to compile it in, one to run it in, by what this system offers."""

from forgetest.sandbox.choose import choose
from forgetest.sandbox.plan import PlannedTest, TestPlan, TestRan
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Backend, Guarantees, Held, Requested

__all__ = [
    "Backend",
    "Guarantees",
    "Held",
    "PlannedTest",
    "Requested",
    "Sandbox",
    "TestPlan",
    "TestRan",
    "choose",
]
