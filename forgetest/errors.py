"""What can stop a run, and the fault that leaves one sample unscored.

Three kinds of trouble never mix: a `ForgetestError` stops the program with one line and an exit
code; a `Fault` is the machine's doing and leaves one sample unscored; what the model did wrong is
not an exception at all but a `Verdict`.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class ExitCode(IntEnum):
    """What the process tells its caller; scripts depend on these numbers."""

    DONE = 0
    REGRESSION = 1
    USAGE = 2
    UNSCORED = 3
    BUG = 70
    OUTPUT_LOST = 74
    INTERRUPTED = 130


class ForgetestError(Exception):
    """A problem that the user can solve: its text is one line that says how."""

    code = ExitCode.USAGE  # of the program


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file, at a line that an editor can jump to."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


class ProblemsError(ForgetestError):
    """A file of the user is wrong; carries every problem, not only the first."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


class EvalSetError(ProblemsError):
    """An eval set is not valid."""


class ConfigFileError(ProblemsError):
    """forgetest.toml is not valid."""


class ConfigError(ForgetestError):
    """forgetest.toml or a command-line value cannot be used."""


class ProviderSetupError(ForgetestError):
    """A provider cannot be used at all: no key, no address, a key over plain http."""


class ToolchainError(ForgetestError):
    """A part of the Rust toolchain is missing or unusable."""


class CratesError(ToolchainError):
    """The crates that an eval set needs do not exist or do not build, on any machine.

    `crate` is the one at fault; empty where that cannot be told.
    """

    def __init__(self, message: str, *, crate: str = "") -> None:
        self.crate = crate
        super().__init__(message)


class RunDirError(ForgetestError):
    """A run folder is in use, damaged, or belongs to another plan."""


class OutputLostError(ForgetestError):
    """Standard output or standard error cannot be written any more."""

    code = ExitCode.OUTPUT_LOST


class FaultKind(StrEnum):
    """Which machine failed, or what kept it from being tried."""

    PROVIDER = "provider"  # the model server, after retries
    TOOLCHAIN = "toolchain"  # cargo, rustc or clippy failed without blaming the sample
    SANDBOX = "sandbox"  # the box could not be built or was killed by someone else
    DISK = "disk"  # full or read-only
    CLUSTER = "cluster"  # the workers that grade were lost, or the way to them
    INTERNAL = "internal"  # our own bug; the traceback is kept
    STOPPED = "stopped"  # nothing failed: the user's --max-cost or --fail-fast left it undone


class Fault(Exception):  # noqa: N818 - a fault is not an error of the program; the word is the design
    """The machinery failed on one sample: journaled, never scored, tried again on resume.

    `final` says that another try in this run cannot help (a bad key, a spent quota); it stops the
    model that it concerns.
    """

    def __init__(self, kind: FaultKind, message: str, *, final: bool = False) -> None:
        self.kind = kind
        self.message = message
        self.final = final
        super().__init__(f"{kind}: {message}")


def first_cause(error: BaseException) -> BaseException:
    """Return the first error of a group that parallel tasks raised; any other error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
