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
    compile_floor_secs: float = 10.0  # a case's own time limit does not go below this
    compile_cpu_secs: int = 20
    compile_address_space: int = 4 * GIB
    compile_file_size: int = 256 * MIB
    test_wall_secs: float = 5.0  # of each test
    test_cpu_secs: int = 4
    test_address_space: int = 2 * GIB
    test_file_size: int = 16 * MIB
    output_kept: int = MIB  # of each stream of a test
    output_killed: int = 8 * MIB
    dependencies_wall_secs: float = 900.0  # of each cargo call that prepares dependencies

    def compile(self, case: Case) -> CommandLimits:
        """Return the limits of one compiler call: the case's time limit counts above the floor."""
        wanted = max(self.compile_floor_secs, case.timeout_secs)
        return CommandLimits(
            wall_secs=min(self.compile_wall_secs, wanted),
            cpu_secs=self.compile_cpu_secs,
            address_space=self.compile_address_space,
            file_size=self.compile_file_size,
            output_kept=self.output_killed,  # cut diagnostics could not be read
            output_killed=self.output_killed,
        )

    def test(self, left_secs: float) -> CommandLimits:
        """Return the limits of one test when `left_secs` of the case's time are left for all."""
        wall_secs = min(self.test_wall_secs, left_secs)
        return CommandLimits(
            wall_secs=wall_secs,
            cpu_secs=min(self.test_cpu_secs, math.ceil(wall_secs)),
            address_space=self.test_address_space,
            file_size=self.test_file_size,
            output_kept=self.output_kept,
            output_killed=self.output_killed,
        )

    def dependencies(self) -> CommandLimits:
        """Return the limits of cargo while it resolves, fetches or builds dependencies."""
        return CommandLimits(wall_secs=self.dependencies_wall_secs)
