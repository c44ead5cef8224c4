"""Reports and samples made of values, and what is printed of them."""

from compared import report
from rich.console import Console, RenderableType

from forgetest.grading.verdict import Outcome, Verdict
from forgetest.report.files import PickedSample
from forgetest.report.types import Report
from forgetest.sampling.completion import Completion

TWO = {
    "a/fast": {"s/add": "PF", "s/sub": "PP", "t/add": "BB"},
    "a/faster": {"s/add": "PP", "s/sub": "xP", "t/add": "FB"},
}


def made(letters: object = TWO) -> Report:
    """Return a report from letters."""
    return Report.model_validate(report(letters))


def text(shown: RenderableType, width: int = 80) -> str:
    """Return what is printed where there is no terminal."""
    console = Console(width=width, no_color=True, highlight=False, force_terminal=False)
    with console.capture() as printed:
        console.print(shown)
    return printed.get()


def picked(verdict: Verdict, code: str = "fn f() {}\n", reply: str = "reply") -> PickedSample:
    """Return a sample with a verdict."""
    one = made({"p/m": {"s/a": "F"}})
    case = one.models[0].cases[0]
    sample = case.samples[0].model_copy(
        update={
            "verdict": verdict,
            "code": code,
            "outcome": verdict.outcome,
            "passed": verdict.passed,
            "completion": Completion(text=reply),
        }
    )
    return PickedSample("p/m", case, sample)


def failing(**more: object) -> Verdict:
    """Return the verdict of a sample that fails."""
    return Verdict.model_validate({"outcome": Outcome.TESTS_FAILED, "passed": False, **more})
