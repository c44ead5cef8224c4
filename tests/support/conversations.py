"""Runs made of values whose samples are asked in rounds."""

from collections.abc import Mapping, Sequence

from records import AT, case, completion, manifest, verdict

from forgetest.errors import FaultKind
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.verdict import Diagnostic, Verdict
from forgetest.report.build import build_report
from forgetest.report.types import Report
from forgetest.run.events import Faulted, Round, SampleRecord
from forgetest.sampling.variant import Variant

THREE = Variant(rounds=3)
# By case, a word for each sample; a letter for each of its rounds. Y does not compile, by E0425.
RUN = {"a": ["P", "BP", "BBP"], "b": ["YYY", "BYY", "P"], "c": ["YBY", "BP", "F"]}


def graded(letter: str, number: int) -> Round:
    return Round(
        completion=completion(f"{letter}{number}"),
        feedback=None if number == 1 else "words",
        extraction=Extraction(code=f"fn f{number}() {{}}", rule=ExtractionRule.WHOLE, blocks=0),
        verdict=broken(_CODES[letter]) if letter in _CODES else verdict(letter),
    )


_CODES = {"Y": "E0425", "S": None}  # S: an error of syntax


def broken(code: str | None) -> Verdict:
    error = Diagnostic(level="error", code=code, message="m")
    return verdict("B").model_copy(update={"errors": (error,)})


def record(letters: str) -> SampleRecord:
    """Return a conversation; one that ends in `!` met a fault in its next round."""
    *earlier, last = [graded(letter, i) for i, letter in enumerate(letters.rstrip("!"), 1)]
    fault = Faulted(
        sample="", at=AT, round=2, stage="asking", kind=FaultKind.STOPPED, message="too dear"
    )
    found = SampleRecord(**dict(last), earlier=tuple(earlier))
    return found.model_copy(update={"fault": fault}) if letters.endswith("!") else found


def report(run: Mapping[str, Sequence[str]], variant: Variant = THREE) -> Report:
    made = manifest([case(name) for name in run], n=3)
    model = made.plan.models[0].model_copy(update={"variant": "fix"})
    plan = made.plan.model_copy(update={"models": (model,), "variants": {"fix": variant}})
    records = {
        f"p/m@fix|set/{name}|{index}": record(letters)
        for name, samples in run.items()
        for index, letters in enumerate(samples)
    }
    return build_report(made.model_copy(update={"plan": plan}), records)
