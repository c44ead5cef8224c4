"""A ranking as it is written: every number with its uncertainty, every gap with its reason.

Rates and scores lie in 0 to 1. Every figure is of the cases that all models have in common.
"""

from enum import StrEnum

from forgetest.compare.types import Bounds, Estimate, RunInfo
from forgetest.evalset.types import added
from forgetest.sampling.completion import Usd
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.variant import DEFAULT_NAME
from forgetest.value import Value

SCHEMA_VERSION = 1


class RankBy(StrEnum):
    """What is ranked."""

    MODEL = "model"
    VARIANT = "variant"


class RankOptions(Value):
    """What the ranking was asked to do."""

    alpha: float = 0.05  # of the whole family of tests; intervals are at 1 - alpha
    k: tuple[int, ...] = ()  # of pass@k; those of the runs if empty
    seed: int = 1  # of tests that are drawn and not exact
    by: RankBy = added(
        RankBy.MODEL,
        description="What is ranked; left out where it is models.",
        examples=["variant"],
    )


class RankedRun(Value):
    """A run whose models are ranked; `label` tells it from models of equal names."""

    label: str
    run: RunInfo


class Differing(Value):
    """Something declared that is not the same in all runs."""

    what: str
    values: tuple[str, ...]


class UnrankedReason(StrEnum):
    """Why a case has no part in the ranking."""

    CHANGED = "changed"  # prompt, tests, context, dependencies or reference differ between runs
    MISSING = "missing"  # some run does not have it
    UNSCORED = "unscored"  # some model has no scored sample of it


class UnrankedCase(Value):
    """A case that is not ranked by."""

    case: str  # set/case
    gap: UnrankedReason
    parts: tuple[str, ...] = ()  # what of it changed
    of: tuple[str, ...] = ()  # the runs that miss it, or the models without a scored sample


class Shrunk(Value):
    """Bayes@N: a shrunk estimate of the pass rate, and its deviation; it is not a pass rate."""

    mean: float
    sigma: float  # of the posterior; mean +- z sigma is not a confidence interval


class Ranked(Value):
    """One model."""

    name: str  # unique in the ranking
    model: str  # of a variant, all models that were asked in it
    run: str  # its label
    spec: ModelSpec | None = added(
        None,
        description="The model and its variant; left out for the default one.",
        examples=[{"provider": "openai", "model": "a", "variant": "terse"}],
    )
    rank: int  # by the pass rate, ties share: 1 2 2 4
    group: str  # letters; models that share one are not told apart
    n: int  # scored samples
    unscored: int = 0  # samples of the same cases that are not scored
    c: int  # passed
    pass_rate: Estimate  # mean over cases of c / n
    pass_at_k: dict[str, Estimate]
    mean_score: Estimate
    bayes: Shrunk
    usd: Usd | None  # of all completions; null as long as any has no known price
    cost_per_solved: Usd | None  # US dollars of all samples for each that passed

    @property
    def title(self) -> str:
        """The name without the variant, which has a column of its own."""
        return self.name if self.spec is None else self.spec.titled(self.name)

    @property
    def plain(self) -> str:
        """The model of its run without the variant."""
        return self.model if self.spec is None else self.spec.plain

    @property
    def variant_shown(self) -> str:
        """How the model was asked; the default one has a name here."""
        return DEFAULT_NAME if self.spec is None else self.spec.variant_shown


class PairTest(Value):
    """Two models, the higher pass rate first, and whether they differ beyond noise."""

    higher: str
    lower: str
    neighbours: bool  # no model is between them
    delta: float  # of pass rates, 0 or more
    interval: Bounds | None  # paired, of this pair alone
    p: float  # exact stratified test on passes, two-sided
    p_holm: float  # over all pairs
    draws: int | None  # None: exact
    differ: bool  # p_holm is at most alpha


class Ranking(Value):
    """Everything that `forgetest rank` says."""

    schema_version: int = SCHEMA_VERSION
    forgetest: str
    options: RankOptions
    runs: tuple[RankedRun, ...]
    differences: tuple[Differing, ...]
    cases: int  # that all models have in common
    asked: tuple[str, ...] = added(
        (),
        description="The models over which variants are ranked: those that were asked in all.",
        examples=[["openai/a", "openai/b"]],
    )
    left_out: tuple[UnrankedCase, ...]
    notes: tuple[str, ...]
    models: tuple[Ranked, ...]  # best first
    pairs: tuple[PairTest, ...]  # all of them, in the order of `models`


def letters_by_model(ranking: Ranking) -> dict[str, str]:
    """Return each model's letters by its name; models that share a letter are not told apart."""
    return {model.name: model.group for model in ranking.models}
