"""What compiling and testing one sample may use; a report states these figures."""

import math
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.process import GIB, MIB, CommandLimits


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one sample; sizes in bytes, times in seconds."""

    source_bytes: int = MIB
    compile_wall_secs: float = 20.0  # of each compiler call
    compile_cpu_secs: int = 20
    compile_address_space: int = 4 * GIB
    compile_file_size: int = 256 * MIB
    tests_wall_secs: float = 60.0  # of all tests of a sample, where the case sets no limit
    test_wall_secs: float = 5.0  # of each test, where the case sets no limit
    test_cpu_secs: int = 4
    test_address_space: int = 2 * GIB
    test_file_size: int = 16 * MIB
    output_kept: int = MIB  # of each stream of a test
    output_killed: int = 8 * MIB
    dependencies_wall_secs: float = 900.0  # of each cargo call that prepares dependencies

    def compile(self, case: Case) -> CommandLimits:
        """Return the limits of one compiler call; a case's longer time limit holds here, too."""
        wall_secs = max(self.compile_wall_secs, case.timeout_secs or 0.0)
        return CommandLimits(
            wall_secs=wall_secs,
            cpu_secs=max(self.compile_cpu_secs, math.ceil(wall_secs)),
            address_space=self.compile_address_space,
            file_size=self.compile_file_size,
            output_kept=self.output_killed,  # cut diagnostics could not be read
            output_killed=self.output_killed,
        )

    def all_tests(self, case: Case, tests: int) -> float:
        """Return the seconds that all tests of a sample may take together."""
        if case.timeout_secs is None:
            return self.tests_wall_secs
        return case.timeout_secs * max(tests, 1)

    def test(self, case: Case, left_secs: float) -> CommandLimits:
        """Return the limits of one test when `left_secs` are left for all that remain."""
        own = case.timeout_secs
        wall_secs = min(self.test_wall_secs if own is None else own, left_secs)
        return CommandLimits(
            wall_secs=wall_secs,
            cpu_secs=min(self.test_cpu_secs, math.ceil(wall_secs))
            if own is None
            else math.ceil(own),
            address_space=self.test_address_space,
            file_size=self.test_file_size,
            output_kept=self.output_kept,
            output_killed=self.output_killed,
        )

    def dependencies(self) -> CommandLimits:
        """Return the limits of cargo while it resolves, fetches or builds dependencies."""
        return CommandLimits(wall_secs=self.dependencies_wall_secs)
