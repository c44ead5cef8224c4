"""From a plan and its records to the report: the numbers of every model, and the warnings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypedDict

from forgetest.evalset.types import Case
from forgetest.grading.verdict import CACHED, DUPLICATE, Level, Outcome, Verdict
from forgetest.metrics import macro, micro
from forgetest.report.aggregate import block, case_report
from forgetest.report.extensions import extensions, option_warnings
from forgetest.report.rounds import rounds_report
from forgetest.report.types import (
    Block,
    CaseInfo,
    CaseReport,
    EvalSetInfo,
    ModelReport,
    Recalled,
    Report,
    VariantInfo,
)
from forgetest.report.usage import UsageTotals
from forgetest.run.events import SampleRecord
from forgetest.run.manifest import LeftOut, Manifest, hash_case
from forgetest.run.seal import JournalMark
from forgetest.run.settings import ReportTable
from forgetest.sampling.plan import ModelSpec, Plan, Sample, is_anchor
from forgetest.sampling.replay import REPLAY
from forgetest.sampling.variant import Feedback
from forgetest.value import count

Records = Mapping[str, SampleRecord]
NAMED = 5  # samples or cases that a warning names


def build_report(
    manifest: Manifest, records: Records, *, journal: JournalMark | None = None
) -> Report:
    """Return the report of a run; samples without a verdict count as unscored.

    `journal` is what the records were read from.
    """
    plan = manifest.plan
    options = manifest.report_options
    reports = tuple(_model(plan, model, records, options) for model in plan.models)
    models = _renamed(reports) if manifest.names_recordings else reports
    return Report(
        forgetest=manifest.forgetest,
        created=manifest.created,
        command=manifest.command,
        plan_digest=manifest.plan_digest,
        scoring_profile=manifest.scoring_profile,
        lint_rule=manifest.lint_rule,
        extractor=manifest.extractor,
        prompt_version=manifest.prompt_version,
        toolchain=manifest.toolchain,
        limits=manifest.limits,
        sandbox=manifest.sandbox,
        endpoints=manifest.endpoints,
        samples_per_case=plan.samples_per_case,
        pass_k=plan.pass_k,
        sampling=plan.sampling,
        variants={
            name: VariantInfo(hash=variant.hash, variant=variant)
            for name, variant in plan.variants.items()
        },
        complete=all(model.overall.samples_unscored == 0 for model in models),
        warnings=(
            *journal_warnings(journal),
            *left_out_warnings(manifest.left_out),
            *warnings(plan, models),
            *option_warnings(plan, options),
        ),
        eval_sets=_eval_sets(plan),
        models=models,
        report_options=options,
        journal=journal,
    )


def _renamed(reports: Sequence[ModelReport]) -> tuple[ModelReport, ...]:
    return tuple(
        report.model_copy(update={"model": name})
        for report, name in zip(reports, shown_names(reports), strict=True)
    )


def shown_names(models: Sequence[ModelReport]) -> list[ModelSpec]:
    """Return the name of each model in a report: recordings by the model that they are of.

    A plan names them by their file, which lies elsewhere on another machine. Without a model of its
    own, a recording has the file's name. Names that would not be unique are `FILE#MODEL`, and as
    the plan has them if that is not enough.
    """
    planned = [model.model for model in models]
    own = [_own_name(model) for model in models]
    filed = [_file_name(*pair) for pair in zip(planned, own, strict=True)]
    return _unique(_unique(own, filed), planned)


def _unique(names: Sequence[ModelSpec], longer: Sequence[ModelSpec]) -> list[ModelSpec]:
    """Return the names, with the longer one for each that occurs twice."""
    counts = Counter(map(str, names))
    return [
        name if counts[str(name)] == 1 else long for name, long in zip(names, longer, strict=True)
    ]


def _own_name(model: ModelReport) -> ModelSpec:
    if model.model.provider != REPLAY:
        return model.model
    samples = (sample for case in model.cases for sample in case.samples)
    served = {sample.completion.served_model for sample in samples if sample.completion}
    name = served.pop() if len(served) == 1 else None
    return ModelSpec(provider=REPLAY, model=name or _last(model.model.model))


def _file_name(planned: ModelSpec, own: ModelSpec) -> ModelSpec:
    """Return `FILE#MODEL` without folders for a recording."""
    if planned.provider != REPLAY:
        return planned
    file = _last(planned.model.removesuffix(f"#{own.model}"))
    return ModelSpec(provider=REPLAY, model=f"{file}#{own.model}")


def _last(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]


def _eval_sets(plan: Plan) -> tuple[EvalSetInfo, ...]:
    return tuple(
        EvalSetInfo(
            id=item.id,
            name=item.name,
            version=item.version,
            file=item.file,
            cases=tuple(
                CaseInfo(id=case.id, name=case.name, line=case.line, hashes=hash_case(case))
                for case in item.cases
            ),
        )
        for item in plan.eval_sets
    )


def _model(
    plan: Plan, model: ModelSpec, records: Records, options: ReportTable | None
) -> ModelReport:
    cases = tuple(
        _case(plan, model, case, records) for item in plan.eval_sets for case in item.cases
    )
    suites = {item.id: _block(plan, cases, suite=item.id) for item in plan.eval_sets}
    overall = block(cases, pass_k=plan.pass_k)
    completions = [
        reply for case in cases for sample in case.samples for reply in sample.completions
    ]
    totals = UsageTotals.of(completions)
    return ModelReport(
        model=model,
        overall=overall,
        overall_macro=_macro(cases),
        overall_micro=_number(micro([(case.n, case.c) for case in cases])),
        suites=suites,
        tags={tag: _block(plan, cases, tag=tag) for tag in _tags(cases)},
        difficulties={word: _block(plan, cases, difficulty=word) for word in _difficulties(cases)},
        **integrity_counts(cases),
        outcomes=_sorted(Counter(str(s.outcome) for c in cases for s in c.samples if s.outcome)),
        error_codes=_error_codes(cases),
        lints=_lints(cases),
        faults=_sorted(
            Counter(str(s.fault_kind) for c in cases for s in c.samples if s.fault_kind)
        ),
        recalled=_recalled(cases),
        cost=totals.cost,
        tokens=totals.tokens,
        latency=totals.latency,
        dropped_params=tuple(
            sorted({name for item in completions for name in item.dropped_params})
        ),
        cases=cases,
        extensions=None if options is None else extensions(options, cases),
        rounds=rounds_report(plan.variant(model), cases),
    )


def _case(plan: Plan, model: ModelSpec, case: Case, records: Records) -> CaseReport:
    keys = (
        Sample(model=model, eval_set=case.eval_set, case=case.id, index=index).key
        for index in range(plan.count(model, case.key))
    )
    asked = [records.get(key, SampleRecord()) for key in keys]
    return case_report(case, asked, pass_k=plan.pass_k, variant=plan.variant(model))


def _block(
    plan: Plan,
    cases: tuple[CaseReport, ...],
    *,
    suite: str | None = None,
    tag: str | None = None,
    difficulty: str | None = None,
) -> Block:
    chosen = [
        case
        for case in cases
        if (suite is None or case.eval_set == suite)
        and (tag is None or tag in case.tags)
        and (difficulty is None or case.difficulty == difficulty)
    ]
    return block(chosen, pass_k=plan.pass_k, minimum=None if suite else 5)


def _macro(cases: tuple[CaseReport, ...]) -> float | None:
    """Return the mean over eval sets of their pass@1: each set weighs the same."""
    rates: dict[str, list[Fraction]] = {}
    for case in cases:
        if case.n:
            rates.setdefault(case.eval_set, []).append(Fraction(case.c, case.n))
    return _number(macro([sum(values, Fraction(0)) / len(values) for values in rates.values()]))


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _tags(cases: tuple[CaseReport, ...]) -> list[str]:
    return sorted({tag for case in cases for tag in case.tags})


def _difficulties(cases: tuple[CaseReport, ...]) -> list[str]:
    return sorted({str(case.difficulty) for case in cases if case.difficulty})


def _error_codes(cases: tuple[CaseReport, ...]) -> dict[str, int]:
    """Count each rustc code once per sample that did not compile."""
    counts: Counter[str] = Counter()
    for case in cases:
        for sample in case.samples:
            if sample.verdict and sample.outcome is Outcome.COMPILE_FAILED:
                counts.update({error.code for error in sample.verdict.errors if error.code})
    return _sorted(counts)


def _lints(cases: tuple[CaseReport, ...]) -> dict[str, int]:
    """Count each clippy lint once per sample that has it."""
    counts: Counter[str] = Counter()
    for case in cases:
        for sample in case.samples:
            if sample.verdict:
                counts.update({lint.code for lint in sample.verdict.lints if lint.code})
    return _sorted(counts)


def _recalled(cases: tuple[CaseReport, ...]) -> Recalled:
    flags = Counter(flag for case in cases for sample in case.samples for flag in sample.flags)
    return Recalled(cached=flags[CACHED], duplicate=flags[DUPLICATE])


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


class IntegrityCounts(TypedDict):
    """What a model's report says of the integrity of its samples."""

    integrity: dict[str, int]
    integrity_flags: dict[str, int]
    passed_flagged: int
    cheated: tuple[str, ...]


def integrity_counts(cases: Sequence[CaseReport]) -> IntegrityCounts:
    """Return the counts over all scored samples, and the names of those that cheated."""
    verdicts = dict(_verdicts(cases))
    samples = [verdict.integrity for verdict in verdicts.values()]
    return IntegrityCounts(
        integrity=_counts(str(integrity.level) for integrity in samples),
        integrity_flags=_counts(flag for integrity in samples for flag in integrity.flags),
        passed_flagged=sum(
            verdict.passed and verdict.integrity.level is not Level.CLEAN
            for verdict in verdicts.values()
        ),
        cheated=tuple(
            name for name, verdict in verdicts.items() if verdict.integrity.level is Level.CHEATED
        ),
    )


def _verdicts(cases: Iterable[CaseReport]) -> Iterator[tuple[str, Verdict]]:
    for case in cases:
        for sample in case.samples:
            if sample.verdict is not None:
                yield f"{case.key} #{sample.index + 1}", sample.verdict


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def warnings(plan: Plan, models: Sequence[ModelReport]) -> tuple[str, ...]:
    """Return every warning about models, the gravest first."""
    sentences: list[str] = []
    for model in models:
        sentences.extend(f"{model.model}: {text}" for text in _model_warnings(model))
    k = max(plan.pass_k)
    asked = any(not is_anchor(str(model)) for model in plan.models)
    if asked and plan.samples_per_case == k > 1:
        sentences.append(
            f"n = k = {k}: pass@{k} only says whether any of the {k} samples passed;"
            f" {2 * k} samples would give it an error bar"
        )
    return tuple(sentences)


def journal_warnings(journal: JournalMark | None) -> tuple[str, ...]:
    """Return a sentence where a journal has lines without a checksum, of an older forgetest."""
    if journal is None or not journal.unsealed:
        return ()
    bare = f"{journal.unsealed} of {count(journal.lines, 'line')} of the journal"
    return (f"{bare} have no checksum, of an older forgetest: damage to them would go unnoticed",)


def left_out_warnings(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Return a sentence for each broken case that was not asked, the first few with the reason."""
    sentences = [
        f"case {case.case} is broken and left out: {case.reason}" for case in left_out[:NAMED]
    ]
    if len(left_out) > NAMED:
        rest = len(left_out) - NAMED
        sentences.append(f"{rest} more broken cases are left out; see the manifest")
    return tuple(sentences)


def _model_warnings(model: ModelReport) -> Iterator[str]:
    block = model.overall
    if block.samples_unscored:
        unscored = f"{block.samples_unscored} of {block.samples} samples are unscored"
        yield unscored + _first_fault(model)
    if model.cheated:
        yield f"{count(len(model.cheated), 'sample')} cheated: {_some(model.cheated)}"
    if model.rounds is not None and model.rounds.feedback is Feedback.TESTS:
        yield "asked again with names and messages of failing tests: hidden tests were spoken of"
    truncated = _flagged(model, "truncated")
    if truncated:
        yield f"{count(truncated, 'completion')} cut by the token limit; raise --max-tokens"
    if model.dropped_params:
        yield f"asked without {', '.join(model.dropped_params)}, which the model does not take"
    same = [case.case for case in model.cases if case.n > 1 and case.distinct_completions == 1]
    if same and not _deterministic(model):
        yield (
            f"all completions of {len(same)} of {len(model.cases)} cases are identical:"
            " their pass@k rests on one sample"
        )
    if model.tokens.unreported and model.tokens.output:
        yield f"{model.tokens.unreported} completions came without token counts"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _deterministic(model: ModelReport) -> bool:
    """Tell whether a model repeats itself by design."""
    return is_anchor(str(model.model))


def _flagged(model: ModelReport, flag: str) -> int:
    return sum(flag in sample.flags for case in model.cases for sample in case.samples)


def _first_fault(model: ModelReport) -> str:
    for case in model.cases:
        for sample in case.samples:
            if sample.fault:
                return f" (first fault: {sample.fault})"
    return ""
