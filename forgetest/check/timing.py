"""From measured times to limits: pure."""

from collections.abc import Sequence

from forgetest.check.types import Finding, Kind, Severity, Timing
from forgetest.grading.verdict import TestOutcome, Verdict

MARGIN = 4  # a limit is at least so many times what the slowest test takes
_GENEROUS = 10  # a suggested one so many times
_NICE = (1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1800, 3600)
_HASTY = 5  # a near miss gets so many times what the reference takes
_HASTY_LEAST = 0.5  # seconds


def timing_of(verdicts: Sequence[Verdict], *, limit_secs: float) -> Timing | None:
    """Return the times of gradings of one solution; None when no test of it passed."""
    quickest: dict[str, float] = {}
    for test in (test for verdict in verdicts for test in verdict.tests):
        if test.outcome is TestOutcome.PASSED:
            quickest[test.name] = min(test.secs, quickest.get(test.name, test.secs))
    if not quickest:
        return None
    name = max(quickest, key=lambda name: quickest[name])
    return Timing(
        grading_secs=min(verdict.timings.get("total", 0.0) for verdict in verdicts),
        slowest_test=name,
        slowest_secs=quickest[name],
        all_tests_secs=sum(quickest.values()),
        limit_secs=limit_secs,
        suggested_timeout_secs=suggested(quickest[name]),
    )


def suggested(slowest_secs: float) -> float:
    """Return a round number of seconds, at least 1 and ten times what the slowest test takes."""
    wanted = _GENEROUS * slowest_secs
    return float(next((nice for nice in _NICE if nice >= wanted), _NICE[-1]))


def time_findings(timing: Timing, *, all_limit_secs: float) -> tuple[Finding, ...]:
    """Return what is wrong with the limits of a case."""
    if timing.limit_secs < MARGIN * timing.slowest_secs:
        what = f"test {timing.slowest_test} takes {timing.slowest_secs:.2f} s of the"
        return (_too_tight(f"{what} {timing.limit_secs:g} s that it may", timing),)
    if all_limit_secs < MARGIN * timing.all_tests_secs:
        what = f"all tests take {timing.all_tests_secs:.2f} s of the"
        return (_too_tight(f"{what} {all_limit_secs:g} s that they may", timing),)
    return ()


def _too_tight(what: str, timing: Timing) -> Finding:
    message = (
        f"{what}: less than {MARGIN} times as long is no margin;"
        f" set timeout_secs = {timing.suggested_timeout_secs:g}"
    )
    return Finding(kind=Kind.TIME, severity=Severity.BROKEN, message=message)


def hasty_limit(slowest_secs: float) -> float:
    """Return the seconds that a test may take on code that should not pass it."""
    return max(_HASTY_LEAST, _HASTY * slowest_secs)
