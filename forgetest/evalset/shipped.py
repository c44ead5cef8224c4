"""The eval sets that ship with forgetest: found by name, with the recorded strength of their tests.

They stand in `eval-sets/` at the top of the repository; a wheel holds that folder in the package.
"""

from functools import cache
from pathlib import Path

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted, suggestion
from forgetest.evalset.types import EvalSet
from forgetest.value import Value

FOLDER = "eval-sets"
_RECORD = "strength.json"  # `make cases` writes it
_PACKAGE = Path(__file__).parent.parent


class RecordedStrength(Value):
    """What `validate --deep` found when it last checked the tests of one version of a set."""

    version: str
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


def shipped_folder() -> Path:
    """Return the folder of the shipped eval sets: in the package, or beside it in a checkout."""
    packed = _PACKAGE / FOLDER
    return packed if packed.is_dir() else _PACKAGE.parent / FOLDER


def shipped_files() -> dict[str, Path]:
    """Return the file of every shipped eval set by its name, easy ones first."""
    files = {path.stem: path for path in sorted(shipped_folder().glob("*.toml"))}
    return {name: files[name] for name in sorted(files, key=_place)}


def _place(name: str) -> tuple[int, str]:
    listed = list(strength_record().sets)
    return (listed.index(name) if name in listed else len(listed), name)


@cache
def strength_record() -> StrengthRecord:
    """Return what is recorded of the tests of the shipped eval sets."""
    return StrengthRecord.model_validate_json((shipped_folder() / _RECORD).read_bytes())


def recorded_strength(eval_set: EvalSet) -> RecordedStrength | None:
    """Return what is recorded of a shipped set; None unless it is of this very version."""
    recorded = strength_record().sets.get(eval_set.id)
    return recorded if recorded and recorded.version == eval_set.version else None


def shipped_file(path: Path) -> Path | None:
    """Return the file of a shipped set: by its name, or as `eval-sets/NAME.toml`; else None."""
    name = path.stem if path == Path(FOLDER, f"{path.stem}.toml") else str(path)
    return shipped_files().get(name)


def shipped_file_named(name: str) -> Path:
    """Return the file of a shipped set; ConfigError suggests what was meant."""
    files = shipped_files()
    if name not in files:
        hint = suggestion(name, files, most=1) or "forgetest sets lists them"
        raise ConfigError(f"no shipped eval set is named {quoted(name)}; {hint}")
    return files[name]
