"""A run from Python: the same as `forgetest run`, with a folder and a report, without a console."""

import asyncio
import logging
import os
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from forgetest.api.blocking import finished
from forgetest.api.cases import Cases, load
from forgetest.api.reports import RunReport
from forgetest.api.start import RESUMABLE, RunRequest, draft, new_session, resumed_session
from forgetest.errors import ConfigError
from forgetest.render.live import plain_line, wait_line
from forgetest.render.run import plan_line
from forgetest.run.events import Event
from forgetest.run.settings import RunTable
from forgetest.run.tally import Tallies, Tally
from forgetest.runner.config import Config, load_config
from forgetest.runner.session import Session, run_session
from forgetest.sampling.plan import Plan

if TYPE_CHECKING:  # it loads an HTTP client, and few runs ask no server
    from forgetest.sampling.transport import Wait

LOG = logging.getLogger("forgetest")

Texts = str | Sequence[str]
EvalSets = str | Path | Cases | Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, in samples of all its models, with those of earlier sessions."""

    folder: Path
    planned: int
    answered: int = 0
    graded: int = 0
    passed: int = 0
    unscored: int = 0  # the machine or the provider failed

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return self.graded + self.unscored == self.planned


def run(  # noqa: PLR0913 - options, all but two of them keywords
    eval_sets: EvalSets | None = None,
    models: Texts | None = None,
    *,
    samples: int | None = None,
    pass_k: int | Sequence[int] | None = None,
    variants: Texts | None = None,
    temperature: float | None = None,
    top_p: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    filters: Texts = (),
    cases: Texts = (),
    limit: int | None = None,
    concurrency: int | None = None,
    parallelism: int | None = None,
    timeout_secs: float | None = None,
    extractor: str | None = None,
    sandbox: str | None = None,
    repeat_grading: int | None = None,
    verdict_cache: bool | None = None,
    grade_on: str | None = None,
    allow_custom_checks: bool = False,
    strict_params: bool = False,
    skip_broken: bool = False,
    max_cost: float | None = None,
    fail_fast: bool = False,
    output: str | Path | None = None,
    resume: str | Path | None = None,
    config: str | Path | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> RunReport:
    """Run eval sets against models in a new run folder below `output`, and return the report.

    The options are those of `forgetest run`. `config` is a forgetest.toml for what is not given;
    no file is read without it. `resume` names the folder of an interrupted run, which goes on as
    planned. `progress` is called in another thread whenever a sample gets further; what it raises
    stops the run. Lines for people go to the logger `forgetest`.

    An answer is on disk before it is graded. Ctrl-C stops the run, which `resume` continues.
    Samples that the machine failed on are unscored, and `Report.complete` is False. Raises
    `ForgetestError` for what makes no run, before anything is paid for.
    """
    options = _table(
        models=_texts(models),
        samples=samples,
        pass_k=(pass_k,) if isinstance(pass_k, int) else pass_k and tuple(pass_k),
        variants=_texts(variants),
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
        concurrency=concurrency,
        parallelism=parallelism,
        timeout_secs=timeout_secs,
        extractor=extractor,
        sandbox=sandbox,
        repeat_grading=repeat_grading,
        verdict_cache=verdict_cache,
        grade_on=grade_on,
        max_cost=max_cost,
        output=None if output is None else str(output),
    )
    loaded = _loaded(eval_sets).eval_sets if eval_sets else None
    request = RunRequest(
        options=options,
        config=Config() if config is None else load_config(Path(config), os.environ),
        eval_sets=loaded,
        command=("forgetest.run()",),
        filters=_texts(filters) or (),
        globs=_texts(cases) or (),
        limit=limit,
        strict_params=strict_params,
        fail_fast=fail_fast,
        allow_custom_checks=allow_custom_checks,
        say=_say,
    )
    follower = _Follower(progress)
    if resume is None:
        _demand_named(request)
        return finished(_run(_begun(request, skip_broken=skip_broken), follower))
    _refuse_planning(request, skip_broken=skip_broken)
    return finished(_run(resumed_session(Path(resume), request), follower))


async def _run(session: Coroutine[Any, Any, Session], follower: "_Follower") -> RunReport:
    try:
        done = await run_session(await session, follower)
    except asyncio.CancelledError:
        if follower.progress is not None:
            LOG.warning("interrupted; continue with resume=%r", str(follower.progress.folder))
        raise
    return RunReport.of(done.report, done.path)


async def _begun(request: RunRequest, *, skip_broken: bool) -> Session:
    planned = await draft(request, skip_broken=skip_broken)
    return await new_session(planned, request.sources(planned.plan))


class _Follower:
    """Follows a session for a callback and for the log."""

    def __init__(self, tell: Callable[[Progress], object] | None) -> None:
        self.progress: Progress | None = None
        self._tell = tell
        self._tallies = Tallies({})

    def begin(self, plan: Plan, path: Path, earlier: Tallies) -> None:
        """Log where the run is, and tell what earlier sessions did."""
        self._tallies = earlier
        self.progress = Progress(path, sum(tally.planned for tally in self._each()))
        LOG.info("%s -> %s", plan_line(plan), path)
        self._further()

    def event(self, event: Event) -> None:
        """Tell what happened to a sample, and log what became of it."""
        if self._tallies.add(event) and LOG.isEnabledFor(logging.INFO):
            LOG.info("%s", plain_line(event, self._tallies))
        self._further()

    def say(self, line: str) -> None:
        """Log what happened to many samples at once."""
        LOG.warning("%s", line)

    def grades_on(self, status: Callable[[], str]) -> None:
        """Log which other machines grade."""
        LOG.info("%s", status())

    def waits(self, wait: "Wait") -> None:
        """Log for how long a provider is not asked."""
        LOG.info("%s", wait_line(wait.provider, wait.why, wait.secs))

    def _each(self) -> Collection[Tally]:
        return self._tallies.by_model.values()

    def _further(self) -> None:
        if self.progress is None:
            return
        self.progress = replace(
            self.progress,
            answered=sum(tally.answered for tally in self._each()),
            graded=sum(tally.graded for tally in self._each()),
            passed=sum(tally.passed for tally in self._each()),
            unscored=sum(tally.faulted for tally in self._each()),
        )
        if self._tell is not None:
            self._tell(self.progress)


def _table(**options: Any) -> RunTable:
    try:
        return RunTable.model_validate(options)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        message = first["msg"]
        raise ConfigError(f"{first['loc'][0]}: {message[0].lower()}{message[1:]}") from None


def _texts(given: Texts | None) -> tuple[str, ...] | None:
    """Return one text or several as a tuple; None where there is none."""
    return ((given,) if isinstance(given, str) else tuple(given)) if given else None


def _loaded(eval_sets: EvalSets) -> Cases:
    if isinstance(eval_sets, Cases):
        return eval_sets
    return load(*((eval_sets,) if isinstance(eval_sets, str | Path) else eval_sets))


def _demand_named(request: RunRequest) -> None:
    """Raise ConfigError, in the words of Python, where nothing says what is run."""
    if request.eval_sets is None and not request.table.eval_sets:
        raise ConfigError('run() needs an eval set: a shipped name such as "starter", or a file')
    if not request.table.models:
        raise ConfigError('run() needs models, such as "ollama/qwen3:8b"')


def _refuse_planning(request: RunRequest, *, skip_broken: bool) -> None:
    """Raise ConfigError for options that only a new run can follow."""
    asked = [name for name, value in request.options if value is not None]
    others = {
        "eval_sets": request.eval_sets,
        "filters": request.filters,
        "cases": request.globs,
        "limit": request.limit,
        "skip_broken": skip_broken,
    }
    given = [name for name in asked if name not in RESUMABLE]
    given += [name for name, value in others.items() if value]
    if given:
        raise ConfigError(f"resume continues a run as planned: leave out {', '.join(given)}")


def _say(line: str) -> None:
    LOG.info("%s", line.removeprefix("note: "))
