"""A command as a source of completions: it is run, and its end is an answer or a fault.

Exit code 0 says that what the command leaves is its answer, however bad, and that is scored.
Anything else says nothing of the model: another exit code, a signal, a flood of output or the time
limit is a fault, which is told from trouble that may pass. Nothing of a command is left running.
"""

import asyncio
import contextlib
import re
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Self

from forgetest.errors import Fault, FaultKind
from forgetest.sampling.completion import Completion, Cost, Draw, Finish
from forgetest.sampling.exec.command import (
    REPORT_VARIABLE,
    CommandHost,
    CommandReport,
    CommandSpec,
    OnTimeout,
    clean_env,
    program_of,
    read_report,
    standard_input,
    unheeded,
)
from forgetest.sampling.exec.workspace import (
    answer_in,
    answers_of,
    crate_files,
    notes_on,
    write_files,
)
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.secrets import secrets_of
from forgetest.sampling.transport.admission import Slots
from forgetest.sampling.transport.policy import Pace, RetryPolicy, Tries, Trouble, wait_before_next
from forgetest.system.files import temporary_folder
from forgetest.system.process import KIB, MIB, CommandLimits, Exit, run, signal_name

COMPLETION_BYTES = 4 * MIB  # of standard output: more is not a completion
LOG_BYTES = 64 * KIB  # kept of each stream of a command in a workspace
WORDS = 200  # characters of what a command said last
GIVEN_UP = 5  # samples in a row without an answer end the asking
_CANNOT_RUN = (126, 127)  # what shells answer where there is no such program
_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")

# An attempt of an agent costs minutes and money; that of a filter little.
STDIO_POLICY = RetryPolicy(attempts=3)
WORKSPACE_POLICY = RetryPolicy(attempts=2)


class CommandProvider:
    """One command as all ways of asking it share it: slots, threads, logs; a context manager."""

    def __init__(
        self,
        spec: CommandSpec,
        host: CommandHost,
        environ: Mapping[str, str],
        *,
        concurrency: int | None = None,
        strict_params: bool = False,
        pace: Pace | None = None,
    ) -> None:
        self.spec = spec
        self.host = host
        self.strict_params = strict_params
        self.pace = pace or Pace()
        self.policy = WORKSPACE_POLICY if spec.in_workspace else STDIO_POLICY
        self.concurrency = concurrency or spec.concurrency
        self.slots = Slots(self.concurrency)
        self.ended: str | None = None  # why the command is not run any more
        self._unanswered = 0  # samples in a row
        self._env = clean_env(spec, environ) | dict(host.env if spec.in_workspace else {})
        self._secrets = secrets_of(environ.get(name, "") for name in spec.pass_env)
        self._threads = ThreadPoolExecutor(self.concurrency, "forgetest-command")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._threads.shutdown()

    async def run(self, draw: Draw, folder: Path, report: Path) -> Exit:
        """Run the command once in a folder and log how it ended; `Fault` when it cannot start."""
        words = (program_of(self.spec), *self.spec.argv[1:])
        argv = self.host.enclose(self.spec, words, folder, report)
        try:
            ended = await run(
                argv,
                cwd=folder,
                env={**self._env, REPORT_VARIABLE: str(report)},
                limits=limits_of(self.spec),
                stdin=standard_input(self.spec, draw),
                executor=self._threads,
            )
        except Fault as fault:
            final = fault.kind is not FaultKind.DISK
            kind = FaultKind.PROVIDER if final else fault.kind
            raise Fault(kind, f"exec/{self.spec.name}: {fault.message}", final=final) from None
        self._log(draw, ended)
        return ended

    def hide(self, text: str) -> str:
        """Return text without the values of the variables that the command was given."""
        return self._secrets.hide(text)

    def answered(self) -> None:
        """Note that a sample has its answer."""
        self._unanswered = 0

    def unanswered(self, message: str) -> bool:
        """Note a sample without an answer, and return whether the command is given up."""
        self._unanswered += 1
        if self._unanswered >= GIVEN_UP:
            self.ended = f"{message} (given up after {GIVEN_UP} samples in a row without an answer)"
        return self.ended is not None

    def _log(self, draw: Draw, ended: Exit) -> None:
        """Add what a command printed to the sample's log; a full disk is not the model's fault."""
        sample = draw.sample
        name = f"{sample.eval_set}-{sample.case}-{sample.index + 1}.log"
        path = self.host.logs / _UNSAFE.sub("-", str(sample.model)) / _UNSAFE.sub("-", name)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(self.hide("\n".join(log_lines(self.spec, ended))) + "\n")


class CommandSource:
    """A command as a source of completions; every sample is a process of its own."""

    def __init__(
        self, model: ModelSpec, provider: CommandProvider, halt: Halt | None = None
    ) -> None:
        self._model = model
        self._provider = provider
        self._halt = halt or Halt()

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once, over all ways of asking the command."""
        return self._provider.concurrency

    async def complete(self, draw: Draw) -> Completion:
        """Return the completion; raise `Fault` when there is none.

        After a final fault the command is not run any more: every later draw gets the same fault.
        """
        provider = self._provider
        tries, earlier = Tries(), Spending()
        while True:
            try:
                outcome = await self._attempt(draw, earlier)
            except Fault as fault:
                if fault.final:
                    provider.ended = provider.ended or fault.message
                raise
            if isinstance(outcome, Completion):
                provider.answered()
                return outcome.model_copy(update={"attempts": tries.count + 1})
            tries = tries.after(outcome)
            wait = wait_before_next(outcome, tries, provider.policy, provider.pace.random)
            if wait is None:
                raise self._given_up(outcome, tries)
            await provider.pace.sleep(wait)

    def _given_up(self, trouble: Trouble, tries: Tries) -> Fault:
        many = f" (gave up after {tries.count} attempts)" if tries.count > 1 else ""
        message = f"{self._model}: {self._provider.hide(trouble.message)}{many}"
        if trouble.final:
            self._provider.ended = self._provider.ended or message
        final = self._provider.unanswered(message)
        return Fault(FaultKind.PROVIDER, message, final=final)

    async def _attempt(self, draw: Draw, earlier: "Spending") -> Completion | Trouble:
        provider = self._provider
        left_out = unheeded(provider.spec, draw)
        if left_out and provider.strict_params:
            names = " or ".join(left_out)
            hint = "leave it out, or run without --strict-params"
            return Trouble(f"is not told {names}; {hint}", final=True)
        async with provider.slots.held_by(str(self._model)):
            if provider.ended is not None:
                raise Fault(FaultKind.PROVIDER, provider.ended, final=True)
            self._halt.demand_ask(free=provider.spec.local)
            async with _place(provider, draw) as place:
                ended = await provider.run(draw, place.folder, place.report)
                report, unread = read_report(place.report)
                cost = earlier.add(report, local=provider.spec.local, halt=self._halt)
                trouble = trouble_in(ended, provider.spec)
                if trouble is not None:
                    return trouble
                completion = place.completion(ended)
        notes = (*completion.notes, *unread)
        return completion.model_copy(
            update={
                "usage": report.usage,
                "cost": cost,
                "served_model": report.model,
                "dropped_params": left_out,
                "notes": tuple(map(provider.hide, notes)),
            }
        )


@dataclass(slots=True)
class Spending:
    """What the attempts of one sample have cost together."""

    usd: Decimal = field(default=Decimal(0))

    def add(self, report: CommandReport, *, local: bool, halt: Halt) -> Cost:
        """Count an attempt, and return the cost of all of them."""
        cost = report.cost(local=local)
        halt.spend(cost)
        self.usd += cost.usd or Decimal(0)
        return cost if cost.usd is None else cost.model_copy(update={"usd": self.usd})


@dataclass(frozen=True, slots=True)
class _CommandPlace:
    """Where one attempt works; `files` are those of its crate, none where it has no crate."""

    folder: Path
    report: Path
    files: Mapping[str, bytes]
    asked: tuple[str, ...]  # the paths of the files that are the answer

    def completion(self, ended: Exit) -> Completion:
        """Return what the command left, without what it cost."""
        finish = Finish.LENGTH if ended.timed_out else Finish.STOP
        native = f"time limit after {ended.secs:.1f} s" if ended.timed_out else None
        text = ended.stdout.decode(errors="replace")
        notes: tuple[str, ...] = ()
        if self.files:
            text = answer_in(self.folder, self.asked)
            notes = notes_on(self.folder, self.files, self.asked)
        return Completion(
            text=text, finish=finish, native_finish=native, latency_secs=ended.secs, notes=notes
        )


@contextlib.asynccontextmanager
async def _place(provider: CommandProvider, draw: Draw) -> AsyncIterator[_CommandPlace]:
    """Give a place that vanishes afterwards; `Fault` when the disk refuses it.

    Without a crate of its own, a command works in the folder where forgetest was started.
    """
    with _disk_faults(), contextlib.ExitStack() as stack:
        root = stack.enter_context(temporary_folder())
        files: Mapping[str, bytes] = {}
        folder = Path.cwd()
        if provider.spec.in_workspace:
            files = crate_files(draw, provider.host.base_of(draw.case))
            folder = root / "crate"
            await asyncio.to_thread(write_files, folder, files)
        reports = root / "report"
        reports.mkdir()
        yield _CommandPlace(folder, reports / "report.json", files, answers_of(draw.case))


@contextlib.contextmanager
def _disk_faults() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Fault(FaultKind.DISK, f"a command's folder cannot be written: {error}") from error


def limits_of(spec: CommandSpec) -> CommandLimits:
    """Return what a command may use; of what an agent prints, only the log is bounded."""
    if spec.in_workspace:
        return CommandLimits(
            wall_secs=spec.timeout_secs, output_kept=LOG_BYTES, output_killed=64 * MIB
        )
    return CommandLimits(
        wall_secs=spec.timeout_secs, output_kept=COMPLETION_BYTES, output_killed=COMPLETION_BYTES
    )


def trouble_in(ended: Exit, spec: CommandSpec) -> Trouble | None:
    """Return why an end is not an answer, None where it is one."""
    if ended.output_limited:
        return Trouble(f"printed more than {limits_of(spec).output_killed // MIB} MiB")
    if ended.timed_out:
        answers = spec.in_workspace and spec.on_timeout is OnTimeout.ANSWER
        why = f"did not end within {spec.timeout_secs:g} s"
        return None if answers else Trouble(why, timed_out=True)
    if ended.signal is not None:
        return Trouble(f"ended by {signal_name(ended.signal)}{_words(ended)}", passing=True)
    if ended.code == 0:
        return None
    missing = ended.code in _CANNOT_RUN
    return Trouble(f"exit code {ended.code}{_words(ended)}", passing=not missing, final=missing)


def _words(ended: Exit) -> str:
    """Return the last line of what a command said, as the rest of a sentence."""
    lines = (ended.stderr or ended.stdout).decode(errors="replace").split("\n")
    said = next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "")
    return f": {said[:WORDS]}" if said else ""


def log_lines(spec: CommandSpec, ended: Exit) -> Iterator[str]:
    """Yield the log of one run: the command, its end and what else it printed."""
    how = f"exit code {ended.code}" if ended.signal is None else signal_name(ended.signal)
    late = ", time limit" if ended.timed_out else ", too much output" * ended.output_limited
    yield f"$ {shlex.join(spec.argv)}"
    yield f"{how}{late}, {ended.secs:.1f} s"
    is_journaled = not spec.in_workspace and trouble_in(ended, spec) is None
    for name, output in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        if output and not (is_journaled and name == "stdout"):
            yield f"--- {name}"
            yield output[:LOG_BYTES].decode(errors="replace").rstrip("\n")
