"""Carries out `forgetest compare`: open both sides, compare, print, and the exit code."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.cli.comparison import FORMS, write_comparison, write_self_check
from forgetest.cli.printing import check_format, say_doubts
from forgetest.cli.sides import check_alpha, open_named
from forgetest.compare.compare import compare
from forgetest.compare.gate import exit_code
from forgetest.compare.read import STANDARD_INPUT
from forgetest.compare.selfcheck import self_check
from forgetest.compare.types import Options, Rule
from forgetest.errors import ConfigError, ExitCode


@dataclass(frozen=True, slots=True)
class Regrading:
    """How the baseline is graded again."""

    sandbox: str | None
    config: Path | None
    allow_custom_checks: bool
    quiet: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    baseline: str | None
    current: str | None
    options: Options
    allow_incomplete: bool
    self_check: str | None
    splits: int
    format: str
    output: Path | None
    regrading: Regrading | None


def options_of(
    *, maps: Sequence[str], gates: Sequence[str], alpha: float, **rest: float | bool
) -> Options:
    """Return the checked options of a comparison; ConfigError for one that makes no sense."""
    for gate in gates:
        if gate not in tuple(Rule):
            raise ConfigError(f"--gate {gate} does not exist; choose {', '.join(Rule)}")
    check_alpha(alpha)
    return Options.model_validate(
        {"maps": tuple(map(_map, maps)), "rule": _rule(gates), "alpha": alpha, **rest}
    )


def _rule(gates: Sequence[str]) -> Rule | None:
    """Return the rule of all gates that are asked for: of two, either."""
    rules = {Rule(gate) for gate in gates}
    if len(rules) > 1:
        return Rule.EITHER
    return next(iter(rules), None)


def _map(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise ConfigError(f"--map {text} is not OLD=NEW, such as openai/gpt-a=openai/gpt-b")
    return old, new


def carry_out(asked: Asked) -> ExitCode:
    """Carry out what is asked; return the exit code."""
    if asked.self_check is not None:
        _demand_self_check_alone(asked)
        check_format(asked.format)
        return _self_check(asked, asked.self_check)
    check_format(asked.format, FORMS)
    if asked.baseline is None or asked.current is None:
        raise ConfigError("compare needs --baseline and --current, or --self-check RUN")
    if asked.baseline == asked.current == STANDARD_INPUT:
        raise ConfigError("only one of --baseline and --current can be standard input")
    return _compare(asked, asked.baseline, asked.current)


def _demand_self_check_alone(asked: Asked) -> None:
    """Raise ConfigError for options that would be taken for heeded."""
    given = {
        "--baseline": asked.baseline,
        "--current": asked.current,
        "--map": asked.options.maps,
        "--gate and --fail-on-regression": asked.options.rule,
        "--strict": asked.options.strict,
        "--regrade": asked.regrading,
    }
    for option, value in given.items():
        if value:
            raise ConfigError(
                f"--self-check compares a run with itself and gates nothing; leave out {option}"
            )


def _self_check(asked: Asked, name: str) -> ExitCode:
    side = open_named(name, allow_incomplete=asked.allow_incomplete)
    say_doubts(name, side.doubts)
    found = self_check(side, asked.options, splits=asked.splits)
    write_self_check(found, asked.format, asked.output)
    return ExitCode.DONE if any(model.cases for model in found.models) else ExitCode.UNSCORED


def _compare(asked: Asked, baseline: str, current: str) -> ExitCode:
    then, after = (
        open_named(name, allow_incomplete=asked.allow_incomplete) for name in (baseline, current)
    )
    if asked.regrading is not None:
        from forgetest.cli.regraded import regraded  # what grades takes a second to load

        now = regraded(baseline, then, asked.regrading)
        comparison = compare(now, after, asked.options, graded_then=then)
    else:
        comparison = compare(then, after, asked.options)
    if asked.format == "html":
        from forgetest.cli.comparisonpage import write_page  # templates, and the whole reports

        write_page(comparison, (baseline, current), asked.output)
    else:
        write_comparison(comparison, asked.format, asked.output, environ=os.environ)
    return exit_code(comparison.gate)
