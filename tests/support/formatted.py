"""Runs made of values, as the formats of others get them."""

from collections.abc import Mapping, Sequence

from records import case, manifest, records

from forgetest.evalset.types import Case, Expectations
from forgetest.grading.verdict import Diagnostic, Outcome, Verdict
from forgetest.render.formats.catalogue import FORMATS
from forgetest.render.formats.standing import Files
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths
from forgetest.report.build import build_report
from forgetest.report.types import CaseReport, Report
from forgetest.run.events import SampleRecord

HOSTILE = "=1+1]]>&<script>\x00\x1b[31m\u202e\ud7ff\uffff|`a`\r\n::error::x"
TESTS = "#[test]\nfn works() {}\n"


def written(name: str, line: int | None = 7) -> Case:
    """Return a case with tests, at a line of a file."""
    return case(name, tags=("t",)).model_copy(
        update={
            "file": "eval-sets/set.toml",
            "line": line,
            "expectations": Expectations(test_file=TESTS),
            "reference_solution": "fn f() {}",
        }
    )


def run(
    letters: Mapping[str, Mapping[str, str]],
    *,
    label: str = "a-run",
    pass_k: Sequence[int] = (1,),
    file: str = "eval-sets/set.toml",
    extra: Mapping[str, SampleRecord] | None = None,
) -> ShownRun:
    """Return a run from model -> case -> letters (P, F, B, x) of the eval set `set`."""
    names = dict.fromkeys(name for one in letters.values() for name in one)
    cases = [written(name) for name in names]
    n = max(len(word) for one in letters.values() for word in one.values())
    made = manifest(cases, models=tuple(letters), n=n, pass_k=pass_k)
    sets = tuple(item.model_copy(update={"file": file}) for item in made.plan.eval_sets)
    recorded = {
        f"{model}|set/{name}": len(one.get(name, ""))
        for model, one in letters.items()
        for name in names
    }
    plan = made.plan.model_copy(update={"eval_sets": sets, "recorded": recorded})
    found: dict[str, SampleRecord] = {}
    for model, one in letters.items():
        found.update(records({f"set/{key}": word for key, word in one.items()}, model=model))
    report = build_report(made.model_copy(update={"plan": plan}), {**found, **(extra or {})})
    return ShownRun(report, plan.eval_sets, label)


def two_models() -> ShownRun:
    """Return a run with every standing: right, wrong, partly wrong, unscored, not planned."""
    return run(
        {
            "p/good": {"alpha": "PP", "beta": "PP", "gamma": "PF"},
            "p/bad": {"alpha": "BB", "beta": "Px", "gamma": "xx", "delta": ""},
        },
        pass_k=(1, 2),
    )


def judged(outcome: Outcome, *reasons: str, **more: object) -> Verdict:
    """Return a verdict for one of the outcomes."""
    return Verdict.model_validate(
        {
            "outcome": outcome,
            "passed": outcome is Outcome.PASSED,
            "reasons": reasons,
            "compiled": outcome is Outcome.PASSED,
            **more,
        }
    )


def lint(name: str) -> Diagnostic:
    return Diagnostic(level="warning", code=f"clippy::{name}", message=f"about {name}")


def hostile() -> ShownRun:
    """Return a run whose model, names, reasons and completions try to break what they stand in."""
    whole = run({"p/m": {"alpha": "PB"}})
    report = whole.report
    model = report.models[0]
    told = model.cases[0]
    samples = tuple(
        one.model_copy(
            update={
                "completion": one.completion.model_copy(update={"text": HOSTILE}),
                "code": HOSTILE,
                "verdict": judged(Outcome.COMPILE_FAILED, HOSTILE, errors=_errors()),
                "passed": False,
                "outcome": Outcome.COMPILE_FAILED,
            }
        )
        for one in told.samples
        if one.completion
    )
    case_ = told.model_copy(
        update={"name": HOSTILE, "tags": ("@t", HOSTILE), "samples": samples, "c": 0}
    )
    return ShownRun(_with(report, case_), whole.eval_sets, HOSTILE)


def _errors() -> tuple[Diagnostic, ...]:
    return (Diagnostic(level="error", code=HOSTILE, message=HOSTILE, rendered=HOSTILE),)


def _with(report: Report, told: CaseReport) -> Report:
    model = report.models[0]
    spec = model.model.model_copy(update={"model": HOSTILE})
    changed = model.model_copy(update={"model": spec, "cases": (told,)})
    return report.model_copy(update={"models": (changed,), "warnings": (HOSTILE,)})


def made(name: str, *runs: ShownRun) -> Files:
    """Return the files of a format, as they are written."""
    return {file: str(text) for file, text in FORMATS[name].make(runs, Paths()).items()}
