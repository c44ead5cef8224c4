"""The samples that are graded, and the verdicts that isolated cargo gives them."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.load import load as load_eval_sets
from forgetest.evalset.types import Case
from speed.judged import Expected

HOME = Path(__file__).resolve().parents[1] / "corpus"
VARIANTS = ("clean", "lints", "wrong", "broken", "odd")
BLOCK = 12  # samples
_ORDER = 20_240_501  # any number: it makes the order of the samples the same everywhere


@dataclass(frozen=True, slots=True)
class Sample:
    """One piece of code and the case that it is an answer to."""

    key: str  # case/variant
    case: Case
    code: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """All samples and what is expected of each."""

    samples: tuple[Sample, ...]  # twelve cases, five variants, mixed
    tokio: tuple[Sample, ...]  # those that depend on tokio
    expected: Mapping[str, Expected]  # by the sample's key

    def blocks(self, most: int | None = None) -> list[tuple[Sample, ...]]:
        """Return the samples in blocks of twelve, at `most` so many of them."""
        starts = range(0, len(self.samples), BLOCK)
        return [self.samples[start : start + BLOCK] for start in starts][:most]


def load(home: Path = HOME) -> Corpus:
    """Return the corpus in a folder; `FileNotFoundError` names what is not there."""
    return Corpus(
        samples=_mixed(_samples(home, "cases.toml")),
        tokio=tuple(_samples(home, "tokio.toml")),
        expected=_expected(home / "expected.json"),
    )


def save_expected(expected: Mapping[str, Expected], home: Path = HOME) -> None:
    """Write what is expected, one sample a line."""
    lines = [f"{json.dumps(key)}: {expected[key].model_dump_json()}" for key in sorted(expected)]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (home / "expected.json").write_text(text, encoding="utf-8")


def _samples(home: Path, eval_set: str) -> list[Sample]:
    (loaded,) = load_eval_sets([home / eval_set])
    return [sample for case in loaded.cases for sample in _of_case(case, home)]


def _of_case(case: Case, home: Path) -> Iterator[Sample]:
    """Yield the samples of a case, whose reference solution is the clean one."""
    codes = {
        file.stem: file.read_text(encoding="utf-8")
        for file in sorted((home / "samples" / case.id).glob("*.rs"))
    }
    solved = case.model_copy(update={"reference_solution": codes["clean"]})
    for variant, code in codes.items():
        yield Sample(f"{case.id}/{variant}", solved, code)


def _mixed(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Return blocks that are alike: each has some of every variant, in no order of cost."""
    by_variant = sorted(samples, key=lambda sample: sample.key.partition("/")[2])
    blocks = -(-len(samples) // BLOCK)
    dealt = [by_variant[first::blocks] for first in range(blocks)]
    shuffle = random.Random(_ORDER).sample  # noqa: S311 - no secret
    return tuple(sample for block in dealt for sample in shuffle(block, len(block)))


def _expected(file: Path) -> dict[str, Expected]:
    if not file.exists():
        return {}
    read = json.loads(file.read_text(encoding="utf-8"))
    return {key: Expected.model_validate(value) for key, value in read.items()}
