"""From a plan and its records to the report: the numbers of every model, and the warnings."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypedDict

from forgetest.evalset.types import Case
from forgetest.grading.verdict import CACHED, DUPLICATE, Level, Outcome, Verdict
from forgetest.metrics import macro, micro
from forgetest.report.aggregate import CaseCount, CaseFigures, block, sample_report
from forgetest.report.efficiency import efficiency
from forgetest.report.extensions import extensions, option_warnings
from forgetest.report.rounds import RoundCount
from forgetest.report.samples import LazySamples, SampleReport
from forgetest.report.types import (
    Block,
    CaseInfo,
    EvalSetInfo,
    ModelReport,
    Recalled,
    Report,
    VariantInfo,
)
from forgetest.report.usage import UsageCount
from forgetest.run.events import SampleRecord
from forgetest.run.manifest import LeftOut, Manifest, hash_case
from forgetest.run.seal import JournalMark
from forgetest.run.settings import ReportTable
from forgetest.sampling.plan import ModelSpec, Plan, Sample, is_anchor, is_reference
from forgetest.sampling.replay import REPLAY
from forgetest.sampling.variant import Feedback
from forgetest.value import count

Records = Mapping[str, SampleRecord]
NAMED = 5  # samples or cases that a warning names


@dataclass(slots=True)
class _ModelCount:
    """Counts the samples of one model, case by case; none is kept."""

    usage: UsageCount = field(default_factory=UsageCount)
    dropped: set[str] = field(default_factory=set)
    error_codes: Counter[str] = field(default_factory=Counter)
    lints: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    integrity: Counter[str] = field(default_factory=Counter)
    integrity_flags: Counter[str] = field(default_factory=Counter)
    passed_flagged: int = 0
    cheated: list[str] = field(default_factory=list)
    served: set[str | None] = field(default_factory=set)
    first_fault: str = ""

    def add(self, case: Case, sample: SampleReport) -> None:
        """Count one sample of a case."""
        self.flags.update(sample.flags)
        if sample.fault_kind:
            self.faults[str(sample.fault_kind)] += 1
        self.first_fault = self.first_fault or sample.fault or ""
        if sample.completion:
            self.served.add(sample.completion.served_model)
        for reply in sample.completions:
            self.usage.add(reply)
            self.dropped.update(reply.dropped_params)
        if sample.verdict is not None:
            self._judge(sample.verdict, f"{case.key} #{sample.index + 1}")

    def _judge(self, verdict: Verdict, name: str) -> None:
        """Count each code of rustc and each lint once per sample that has it."""
        if verdict.outcome is Outcome.COMPILE_FAILED:
            self.error_codes.update({error.code for error in verdict.errors if error.code})
        self.lints.update({lint.code for lint in verdict.lints if lint.code})
        level = verdict.integrity.level
        self.integrity[str(level)] += 1
        self.integrity_flags.update(verdict.integrity.flags)
        self.passed_flagged += verdict.passed and level is not Level.CLEAN
        if level is Level.CHEATED:
            self.cheated.append(name)


@dataclass(frozen=True, slots=True)
class _Counted:
    """A model's report, and what only warnings and its shown name need of its samples."""

    report: ModelReport
    truncated: int
    first_fault: str
    served: frozenset[str | None]


def build_report(
    manifest: Manifest, records: Records, *, journal: JournalMark | None = None
) -> Report:
    """Return the report of a run; samples without a verdict count as unscored.

    `journal` is what the records were read from. Each record is asked for once, and again when its
    sample is looked at: none is kept.
    """
    plan = manifest.plan
    options = manifest.report_options
    counted = tuple(_model(plan, model, records, options) for model in plan.models)
    reports = tuple(model.report for model in counted)
    models = _compared(_renamed(counted) if manifest.names_recordings else reports)
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
            *_warnings(plan, models, counted),
            *option_warnings(plan, options),
        ),
        eval_sets=_eval_sets(plan),
        models=models,
        report_options=options,
        journal=journal,
    )


def _compared(models: Sequence[ModelReport]) -> tuple[ModelReport, ...]:
    """Return the models with what they take of memory, where the reference is one of them."""
    reference = next((model for model in models if is_reference(str(model.model))), None)
    if reference is None:
        return tuple(models)
    return tuple(
        model
        if is_anchor(str(model.model))
        else model.model_copy(update={"efficiency": efficiency(model.cases, reference.cases)})
        for model in models
    )


def _renamed(models: Sequence[_Counted]) -> tuple[ModelReport, ...]:
    return tuple(
        model.report.model_copy(update={"model": name})
        for model, name in zip(models, _shown_names(models), strict=True)
    )


def _shown_names(models: Sequence[_Counted]) -> list[ModelSpec]:
    """Return the name of each model in a report: recordings by the model that they are of.

    A plan names them by their file, which lies elsewhere on another machine. Without a model of its
    own, a recording has the file's name. Names that would not be unique are `FILE#MODEL`, and as
    the plan has them if that is not enough.
    """
    planned = [model.report.model for model in models]
    own = [_own_name(model.report.model, model.served) for model in models]
    filed = [_file_name(*pair) for pair in zip(planned, own, strict=True)]
    return _unique(_unique(own, filed), planned)


def _unique(names: Sequence[ModelSpec], longer: Sequence[ModelSpec]) -> list[ModelSpec]:
    """Return the names, with the longer one for each that occurs twice."""
    counts = Counter(map(str, names))
    return [
        name if counts[str(name)] == 1 else long for name, long in zip(names, longer, strict=True)
    ]


def _own_name(planned: ModelSpec, served: Collection[str | None]) -> ModelSpec:
    """Return the model that a recording is of, where all its replies name the same one."""
    if planned.provider != REPLAY:
        return planned
    name = next(iter(served)) if len(served) == 1 else None
    return ModelSpec(provider=REPLAY, model=name or _last(planned.model))


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


def _model(plan: Plan, model: ModelSpec, records: Records, options: ReportTable | None) -> _Counted:
    count, rounds = _ModelCount(), RoundCount(plan.variant(model))
    cases = tuple(
        _case(plan, model, case, records, (count, rounds))
        for item in plan.eval_sets
        for case in item.cases
    )
    totals = count.usage.totals
    report = ModelReport(
        model=model,
        overall=block(cases, pass_k=plan.pass_k),
        overall_macro=_macro(cases),
        overall_micro=_number(micro([(case.n, case.c) for case in cases])),
        **_blocks(plan, cases),
        outcomes=_sorted(_outcomes(cases)),
        integrity=_sorted(count.integrity),
        integrity_flags=_sorted(count.integrity_flags),
        passed_flagged=count.passed_flagged,
        cheated=tuple(count.cheated),
        error_codes=_sorted(count.error_codes),
        lints=_sorted(count.lints),
        faults=_sorted(count.faults),
        recalled=Recalled(cached=count.flags[CACHED], duplicate=count.flags[DUPLICATE]),
        cost=totals.cost,
        tokens=totals.tokens,
        latency=totals.latency,
        dropped_params=tuple(sorted(count.dropped)),
        cases=tuple(case.report for case in cases),
        extensions=None if options is None else extensions(options, cases, totals.latencies),
        rounds=rounds.report,
    )
    return _Counted(report, count.flags["truncated"], count.first_fault, frozenset(count.served))


def _case(
    plan: Plan,
    model: ModelSpec,
    case: Case,
    records: Records,
    counts: tuple[_ModelCount, RoundCount],
) -> CaseFigures:
    """Return the figures of a case, whose samples are counted for the model on the way."""
    variant = plan.variant(model)
    key = Sample(model=model, eval_set=case.eval_set, case=case.id, index=0).key
    start = key.removesuffix("0")

    def sample(index: int) -> SampleReport:
        return sample_report(index, records.get(f"{start}{index}", SampleRecord()), variant)

    samples = LazySamples(plan.count(model, case.key), sample)
    counting = CaseCount()
    of_model, of_rounds = counts
    of_rounds.begin_case()
    for report in samples:
        counting.add(report)
        of_model.add(case, report)
        of_rounds.add(report)
    return counting.figures(case, samples, pass_k=plan.pass_k)


class _Blocks(TypedDict):
    suites: dict[str, Block]
    tags: dict[str, Block]
    difficulties: dict[str, Block]


def _blocks(plan: Plan, cases: Sequence[CaseFigures]) -> _Blocks:
    """Return the numbers of each eval set, of each tag and of each difficulty."""
    suites: dict[str, list[CaseFigures]] = {item.id: [] for item in plan.eval_sets}
    tags: dict[str, list[CaseFigures]] = {}
    difficulties: dict[str, list[CaseFigures]] = {}
    for case in cases:
        suites[case.report.eval_set].append(case)
        for tag in dict.fromkeys(case.report.tags):
            tags.setdefault(tag, []).append(case)
        if case.report.difficulty:
            difficulties.setdefault(str(case.report.difficulty), []).append(case)
    k = plan.pass_k
    return _Blocks(
        suites={name: block(own, pass_k=k) for name, own in suites.items()},
        tags={name: block(own, pass_k=k, minimum=5) for name, own in sorted(tags.items())},
        difficulties={
            name: block(own, pass_k=k, minimum=5) for name, own in sorted(difficulties.items())
        },
    )


def _outcomes(cases: Sequence[CaseFigures]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for case in cases:
        counts.update({str(outcome): number for outcome, number in case.outcomes.items()})
    return counts


def _macro(cases: Sequence[CaseFigures]) -> float | None:
    """Return the mean over eval sets of their pass@1: each set weighs the same."""
    rates: dict[str, list[Fraction]] = {}
    for case in cases:
        if case.n:
            rates.setdefault(case.report.eval_set, []).append(Fraction(case.c, case.n))
    return _number(macro([sum(values, Fraction(0)) / len(values) for values in rates.values()]))


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _warnings(
    plan: Plan, models: Sequence[ModelReport], counted: Sequence[_Counted]
) -> tuple[str, ...]:
    """Return every warning about models, the gravest first."""
    sentences: list[str] = []
    for model, count_ in zip(models, counted, strict=True):
        sentences.extend(f"{model.model}: {text}" for text in _model_warnings(model, count_))
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


def _model_warnings(model: ModelReport, counted: _Counted) -> Iterator[str]:
    block = model.overall
    if block.samples_unscored:
        unscored = f"{block.samples_unscored} of {block.samples} samples are unscored"
        fault = counted.first_fault
        yield unscored + (f" (first fault: {fault})" if fault else "")
    if model.cheated:
        yield f"{count(len(model.cheated), 'sample')} cheated: {_some(model.cheated)}"
    if model.rounds is not None and model.rounds.feedback is Feedback.TESTS:
        yield "asked again with names and messages of failing tests: hidden tests were spoken of"
    if counted.truncated:
        yield f"{count(counted.truncated, 'completion')} cut by the token limit; raise --max-tokens"
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
