"""How strong the tests of the shipped eval sets are, as `make cases` last recorded it."""

from functools import cache

from forgetest.evalset.shipped import strength_file
from forgetest.evalset.types import EvalSet
from forgetest.value import Value


class RecordedStrength(Value):
    """What `validate --deep` found when it last checked the tests of one version of a set."""

    version: str
    content: str  # the digest of the cases that were checked
    tests: int
    mutants: int  # of the reference solutions
    not_compiled: int
    equivalent: int
    killed: int
    lowest: float  # share killed of the weakest case
    slowest_test_ms: int

    @property
    def counted(self) -> int:
        """The mutants that a test can notice."""
        return self.mutants - self.not_compiled - self.equivalent

    @property
    def share(self) -> float:
        """The share of these that the tests notice."""
        return self.killed / self.counted


class StrengthRecord(Value):
    """The recorded strength of all shipped sets, in the order in which they are listed."""

    rustc: str
    sets: dict[str, RecordedStrength]


@cache
def strength_record() -> StrengthRecord:
    """Return what is recorded of the tests of the shipped eval sets."""
    return StrengthRecord.model_validate_json(strength_file().read_bytes())


def recorded_strength(eval_set: EvalSet) -> RecordedStrength | None:
    """Return what is recorded of a shipped set; None unless it is of this very version."""
    recorded = strength_record().sets.get(eval_set.id)
    return recorded if recorded and recorded.version == eval_set.version else None
