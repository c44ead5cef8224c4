"""JUnit XML: a suite per run and model, a testcase per case, as CI servers show them.

Keeps to Jenkins' schema (junit-10.xsd), which knows properties of suites only: n, c and pass@k of
a case are listed there, under its name. Wrong is a failure, a machine's fault an error: of the case
where it left no sample with a verdict, else of the lost sample alone, as a testcase of its own. All
texts go through `one_line`, which leaves nothing that XML 1.0 cannot hold.
"""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from forgetest.render.formats.standing import (
    Files,
    TestStatus,
    case_summary,
    failure_list,
    main_failure,
    reason,
    standing,
    suite_name,
    unscored,
    who,
    work_secs,
)
from forgetest.render.run import ShownRun
from forgetest.render.safe import one_line
from forgetest.report.samples import SampleReport
from forgetest.report.types import Block, CaseReport, ModelReport

JUNIT = "junit.xml"

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
_LONGEST = 300  # characters of a name


def junit_files(runs: Sequence[ShownRun]) -> Files:
    """Return junit.xml over all runs; times are seconds of requests and grading, added up."""
    root = Element("testsuites", name="forgetest")
    suites = [
        _suite(root, run, model, name=suite_name(run, model, several=len(runs) > 1))
        for run in runs
        for model in run.report.models
    ]
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", f"{sum(float(suite.get('time', '0')) for suite in suites):.3f}")
    indent(root)
    return {JUNIT: f"{_DECLARATION}\n{tostring(root, encoding='unicode')}\n"}


def _suite(root: Element, run: ShownRun, model: ModelReport, *, name: str) -> Element:
    found = [_standing(case) for case in model.cases]
    lost = [(case, sample) for case in model.cases for sample in _lost(case)]
    suite = SubElement(
        root,
        "testsuite",
        name=one_line(name, _LONGEST),
        tests=str(len(found) + len(lost)),
        failures=str(found.count(TestStatus.FAILED)),
        errors=str(found.count(TestStatus.UNSCORED) + len(lost)),
        skipped=str(found.count(TestStatus.NOT_PLANNED)),
        time=f"{sum(map(work_secs, model.cases)):.3f}",
        timestamp=one_line(run.report.created),
    )
    properties = SubElement(suite, "properties")
    for label, value in _properties(run, model):
        SubElement(
            properties, "property", name=one_line(label, _LONGEST), value=one_line(value, _LONGEST)
        )
    for case in model.cases:
        _case(suite, case)
    for case, sample in lost:
        _lost_sample(suite, case, sample)
    return suite


def _standing(case: CaseReport) -> TestStatus:
    """Return how the scored samples of a case did; without any, how the case did."""
    found = standing(case)
    return TestStatus.PASSED if found is TestStatus.UNSCORED and case.n else found


def _lost(case: CaseReport) -> list[SampleReport]:
    """Return the samples without a verdict of a case that has others."""
    return unscored(case) if case.n else []


def _lost_sample(suite: Element, case: CaseReport, sample: SampleReport) -> None:
    element = SubElement(
        suite,
        "testcase",
        name=one_line(f"{case.case} #{sample.index + 1}", _LONGEST),
        classname=one_line(case.eval_set, _LONGEST),
        time="0.000",
    )
    kind = one_line(str(sample.fault_kind or "not graded"), _LONGEST)
    SubElement(element, "error", type=kind, message=f"unscored: {reason(sample)}")


def _properties(run: ShownRun, model: ModelReport) -> Iterator[tuple[str, str]]:
    report = run.report
    yield "run", run.label
    if model.model.variant is not None:
        yield from who(model).items()
    yield "forgetest", report.forgetest
    yield "rustc", report.toolchain.rustc.partition("\n")[0]
    yield "samples_per_case", str(report.samples_per_case)
    yield "n", str(model.overall.samples_scored)
    yield "c", str(model.overall.samples_passed)
    yield "unscored", str(model.overall.samples_unscored)
    yield from _rates(model.overall)
    for case in model.cases:
        yield f"{case.key} n", str(case.n)
        yield f"{case.key} c", str(case.c)
        if case.n < case.planned:
            yield f"{case.key} unscored", str(case.planned - case.n)
        for name, value in _rates(case):
            yield f"{case.key} {name}", value


def _rates(block: Block | CaseReport) -> Iterator[tuple[str, str]]:
    """Yield pass@k and pass^k; what has no value says why."""
    for sign, rates in (("@", block.pass_at_k), ("^", block.pass_hat_k)):
        for k, metric in rates.items():
            value = metric.reason or "" if metric.value is None else str(metric.value)
            yield f"pass{sign}{k}", value


def _case(suite: Element, case: CaseReport) -> None:
    element = SubElement(
        suite,
        "testcase",
        name=one_line(case.case, _LONGEST),
        classname=one_line(case.eval_set, _LONGEST),
        time=f"{work_secs(case):.3f}",
    )
    match _standing(case):
        case TestStatus.FAILED:
            _told(element, "failure", case)
        case TestStatus.UNSCORED:
            _told(element, "error", case)
        case TestStatus.NOT_PLANNED:
            SubElement(element, "skipped", message="no sample of it was planned")
        case TestStatus.PASSED:
            SubElement(element, "system-out").text = case_summary(case)


def _told(element: Element, kind: str, case: CaseReport) -> None:
    child = SubElement(element, kind, type=main_failure(case), message=case_summary(case))
    child.text = "\n".join(failure_list(case))
