"""What a command is given: its words, a clean environment and the prompt; and what it reports.

All of it is pure but for `read_report`, which reads the small file that a command may write.
"""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path

from pydantic import Field, ValidationError

from forgetest.evalset.types import Case
from forgetest.sampling.completion import Cost, Draw, Prompt, Usage
from forgetest.sampling.price import LOCAL, UNKNOWN
from forgetest.system.files import read_regular
from forgetest.value import Value

REPORT_VARIABLE = "FORGETEST_REPORT"
REPORT_BYTES = 64 << 10
REQUEST_VERSION = 1
DEFAULT_TIMEOUT_SECS = 600.0
DEFAULT_CONCURRENCY = 4

# Of the user's environment, what programs need to run at all; none of it is a key.
_KEPT = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}
    | {"CARGO_HOME", "RUSTUP_HOME"}
)


class CommandIo(StrEnum):
    """How a command is asked."""

    STDIO = "stdio"  # the prompt on standard input, the completion on standard output
    WORKSPACE = "workspace"  # a crate to work in, whose src/lib.rs is the completion


class CommandInput(StrEnum):
    """What is written to standard input."""

    JSON = "json"
    PROMPT = "prompt"


class CommandBox(StrEnum):
    """What holds a command."""

    NONE = "none"  # the user's own rights
    BWRAP = "bwrap"  # the network, the system read-only, and the crate


class OnTimeout(StrEnum):
    """What the time limit of a command in a workspace means."""

    FAULT = "fault"  # nothing is known of the model: the sample stays unscored
    ANSWER = "answer"  # the time was its budget: what is in src/lib.rs is its answer


class CommandSpec(Value):
    """A command as data."""

    name: str
    argv: tuple[str, ...]
    io: CommandIo = CommandIo.STDIO
    input: CommandInput = CommandInput.JSON
    timeout_secs: float = DEFAULT_TIMEOUT_SECS
    on_timeout: OnTimeout = OnTimeout.FAULT
    concurrency: int = DEFAULT_CONCURRENCY
    pass_env: tuple[str, ...] = ()
    box: CommandBox = CommandBox.NONE
    box_reads: tuple[str, ...] = ()
    local: bool = False  # free of charge

    @property
    def in_workspace(self) -> bool:
        """Whether it works in a crate."""
        return self.io is CommandIo.WORKSPACE

    @property
    def takes_parameters(self) -> bool:
        """Whether it is told the sampling parameters."""
        return not self.in_workspace and self.input is CommandInput.JSON

    @property
    def description(self) -> str:
        """The command line and what decides how it is asked, for people and for comparisons."""
        ways = [str(self.io)]
        if not self.in_workspace:
            ways.append(str(self.input))
        if self.on_timeout is OnTimeout.ANSWER:
            ways.append(f"answers after {self.timeout_secs:g} s")
        if self.box is not CommandBox.NONE:
            ways.append(str(self.box))
        return f"{shlex.join(self.argv)} ({', '.join(ways)})"


# Returns the words that run a command from a folder, in its box; the last path is its report.
Enclose = Callable[[CommandSpec, Sequence[str], Path, Path], list[str]]


@dataclass(frozen=True, slots=True)
class CommandHost:
    """What a session supplies: its log folder, crates that build offline, and a box."""

    logs: Path
    base_of: Callable[[Case], Mapping[str, bytes]]  # the manifest and the lock file of a case
    env: Mapping[str, str]  # of the compilers that grade
    enclose: Enclose


def program_of(spec: CommandSpec) -> str:
    """Return the program: a path is taken from the folder where forgetest was started."""
    program = spec.argv[0]
    return str(Path(program).expanduser().absolute()) if "/" in program else program


def clean_env(spec: CommandSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a command: what every program needs, and the variables named."""
    names = _KEPT | set(spec.pass_env)
    return {name: value for name, value in environ.items() if name in names}


def unset_variables(spec: CommandSpec, environ: Mapping[str, str]) -> list[str]:
    """Return the variables that a command is to get and that are not set."""
    return [name for name in spec.pass_env if not environ.get(name)]


def standard_input(spec: CommandSpec, draw: Draw) -> bytes:
    """Return what a command reads: a JSON object, the plain prompt, nothing in a workspace."""
    if spec.in_workspace:
        return b""
    if spec.input is CommandInput.PROMPT:
        return plain_prompt(draw.prompt).encode()
    return json.dumps(request(draw), ensure_ascii=False).encode() + b"\n"


def request(draw: Draw) -> dict[str, object]:
    """Return a draw as the JSON object that a command reads."""
    sampling = draw.sampling.model_dump(mode="json", exclude_none=True)
    return {
        "version": REQUEST_VERSION,
        "case": draw.case.key,
        "sample": draw.sample.index,
        "system": draw.prompt.system,
        "messages": [{"role": turn.role, "content": turn.text} for turn in draw.prompt.turns],
        "sampling": {**sampling, **draw.variant.extra_body},
    }


def plain_prompt(prompt: Prompt) -> str:
    """Return the system text and the user's as one text; several turns have headings."""
    if len(prompt.turns) == 1:
        return "\n\n".join(filter(None, (prompt.system, prompt.user.rstrip()))) + "\n"
    turns = (f"## {turn.role.capitalize()}\n\n{turn.text.rstrip()}" for turn in prompt.turns)
    return "\n\n".join(filter(None, (prompt.system, *turns))) + "\n"


def unheeded(spec: CommandSpec, draw: Draw) -> tuple[str, ...]:
    """Return the sampling parameters that are set and that a command is not told."""
    if spec.takes_parameters:
        return ()
    wanted = draw.sampling.model_dump(exclude_none=True)
    own_limit = draw.sampling.max_tokens == draw.case.max_tokens  # a hint of the case's author
    extra = tuple(draw.variant.extra_body)
    return (*(name for name in wanted if not (name == "max_tokens" and own_limit)), *extra)


class CommandReport(Value):
    """What a command says it has used: the JSON file that it may write."""

    cost_usd: Decimal | None = Field(None, ge=0)
    input_tokens: int | None = Field(None, ge=0)
    output_tokens: int | None = Field(None, ge=0)
    cache_read_tokens: int = Field(0, ge=0)
    cache_write_tokens: int = Field(0, ge=0)
    reasoning_tokens: int = Field(0, ge=0)
    model: str | None = None

    @property
    def usage(self) -> Usage:
        """The tokens."""
        return Usage.model_validate(self.model_dump(exclude={"cost_usd", "model"}))

    def cost(self, *, local: bool) -> Cost:
        """Return what it says it cost; nothing for a local command that does not say."""
        if self.cost_usd is not None:
            return Cost(usd=self.cost_usd, source="provider")
        return LOCAL if local else UNKNOWN


def read_report(path: Path) -> tuple[CommandReport, tuple[str, ...]]:
    """Return what a command reports; a file that cannot be read as one is a note, never a fault.

    Its answer is paid for already.
    """
    content = read_regular(path, REPORT_BYTES)
    if content is None:
        return CommandReport(), ()
    try:
        return CommandReport.model_validate_json(content), ()
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        key = ".".join(map(str, problem["loc"]))
        why = f"{key}: {problem['msg']}" if key else problem["msg"]
        return CommandReport(), (f"{REPORT_VARIABLE} was not read: {why}",)
