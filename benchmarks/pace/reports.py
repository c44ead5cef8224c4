"""Two reports of any size, made by forgetest's own types and written case by case."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from textwrap import indent

from forgetest.evalset.types import Case, Difficulty, EvalSet
from forgetest.report.aggregate import case_report, sample_report
from forgetest.report.build import build_report
from forgetest.report.files import dump_report
from forgetest.report.score import LINT_RULE, PROFILE
from forgetest.run.events import SampleRecord
from forgetest.run.manifest import Manifest, ToolchainInfo
from forgetest.run.seal import document_end, file_digest, unsealed
from forgetest.sampling.plan import ModelSpec, Plan, Sample, Sampling
from pace.samples import AT, Model, codes, record

SIDES = ("baseline", "current")
MODEL = ModelSpec(provider="made", model="up")
PASS_K = (1, 5)
_SUMMED_UP = 20  # the first cases, whose figures stand for all: a comparison counts for itself
_SETS, _TAGS = 4, 12
_MOVED = 25  # one of so many cases is worse in the current run
_NO_CASES = '"cases": []'
_DEPTH = 4  # of a case in the report


def write(folder: Path, side: str, *, cases: int, samples: int) -> Path:
    """Write the report of one of `SIDES`; return its path. The same arguments give the same bytes.

    One case is in memory at a time.
    """
    planned, known = _cases(cases), codes()
    start, _, end = _frame(planned, side, samples, known).rpartition(_NO_CASES)
    path = folder / f"{side}.json"
    with path.open("w", encoding="utf-8") as file:
        file.write(start + _NO_CASES[:-1])
        for i, case in enumerate(planned):
            found = list(_records(case, side, samples, known).values())
            samples_ = [sample_report(place, record) for place, record in enumerate(found)]
            text = case_report(case, samples_, pass_k=PASS_K).model_dump_json(indent=1)
            file.write(",\n" if i else "\n")
            file.write(indent(text, " " * _DEPTH))
        file.write("\n   ]" + end)
    digest = file_digest(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(document_end(digest, indent=1))
    return path


def run_of(*, cases: int, samples: int) -> tuple[Manifest, dict[str, SampleRecord]]:
    """Return a small run, whole: its manifest and the records of its samples."""
    manifest, records = run_records(cases=cases, samples=samples)
    return manifest, dict(records)


def run_records(*, cases: int, samples: int) -> tuple[Manifest, Iterator[tuple[str, SampleRecord]]]:
    """Return a run of any size: its manifest, and its samples' records as they are made."""
    planned, known = _cases(cases), codes()
    records = (
        pair for case in planned for pair in _records(case, SIDES[0], samples, known).items()
    )
    return _manifest(planned, samples, summed_up=planned), records


def planned(*, cases: int, samples: int) -> Manifest:
    """Return the manifest of a run of any size, without its samples."""
    made = _cases(cases)
    return _manifest(made, samples, summed_up=made)


def _frame(cases: Sequence[Case], side: str, samples: int, known: Sequence[str]) -> str:
    """Return the report without its cases and its digest."""
    first = cases[:_SUMMED_UP]
    records: dict[str, SampleRecord] = {}
    for case in first:
        records.update(_records(case, side, samples, known))
    report = build_report(_manifest(cases, samples, summed_up=first), records)
    (model,) = report.models
    bare = report.model_copy(update={"models": (model.model_copy(update={"cases": ()}),)})
    return unsealed(dump_report(bare))


def _records(case: Case, side: str, samples: int, known: Sequence[str]) -> dict[str, SampleRecord]:
    rng = Random(f"{side} {case.id}")  # noqa: S311 - a report must be repeatable, not secret
    model = Model(pass_rate=_pass_rate(case, side), codes=known)
    keys = (_key(case, index) for index in range(samples))
    return {key: record(model, key, rng) for key in keys}


def _key(case: Case, index: int) -> str:
    return Sample(model=MODEL, eval_set=case.eval_set, case=case.id, index=index).key


def _pass_rate(case: Case, side: str) -> float:
    """Return the chance that a sample of a case passes: mostly the same in both runs."""
    rate = Random(case.id).betavariate(0.7, 0.3)  # noqa: S311 - as above
    moved = side == SIDES[1] and int(case.id.removeprefix("c")) % _MOVED == 0
    return rate / 2 if moved else rate


def _cases(count: int) -> list[Case]:
    difficulties = tuple(Difficulty)
    return [
        Case(
            id=f"c{i:04}",
            eval_set=f"set-{i * _SETS // count}",
            name=f"Case {i}",
            prompt=f"Write number {i}.",
            line=i,
            tags=(f"tag-{i % _TAGS}", f"tag-{i // _TAGS % _TAGS}"),
            difficulty=difficulties[i % len(difficulties)],
        )
        for i in range(count)
    ]


def _manifest(cases: Sequence[Case], samples: int, *, summed_up: Sequence[Case]) -> Manifest:
    names = dict.fromkeys(case.eval_set for case in cases)
    plan = Plan(
        models=(MODEL,),
        samples_per_case=samples,
        pass_k=tuple(k for k in PASS_K if k <= samples),
        sampling=Sampling(temperature=0.8),
        eval_sets=tuple(
            EvalSet(id=name, name=name, cases=tuple(c for c in cases if c.eval_set == name))
            for name in names
        ),
        recorded={f"{MODEL}|{case.key}": 0 for case in cases[len(summed_up) :]},
    )
    return Manifest(
        forgetest="0.1.0",
        created=AT,
        command=("forgetest", "run"),
        plan=plan,
        plan_digest=plan.digest,
        prompt_version=1,
        extractor="defining",
        scoring_profile=PROFILE,
        lint_rule=LINT_RULE,
        toolchain=ToolchainInfo(rustc="rustc 1.95.0", cargo="cargo 1.95.0", clippy="clippy 0.1.95"),
        limits={"test_secs": 5},
    )
