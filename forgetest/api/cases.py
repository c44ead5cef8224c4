"""Cases for Python: loaded from a shipped set, a file, a folder or a text, and found by name."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from forgetest.errors import ForgetestError
from forgetest.evalset.load import load as load_files
from forgetest.evalset.load import parse
from forgetest.evalset.select import CaseNames
from forgetest.evalset.types import Case, EvalSet

_TEXT = "<text>"  # the file that errors name


class Cases(Mapping[str, Case]):
    """The cases of some eval sets, in their order, by `set/case`.

    A case is also found by its id alone where no other case has it.
    """

    def __init__(self, eval_sets: tuple[EvalSet, ...]) -> None:
        self.eval_sets = eval_sets
        self._by_key = {case.key: case for eval_set in eval_sets for case in eval_set.cases}
        self._names = CaseNames(self._by_key.values())

    def __getitem__(self, name: str) -> Case:
        """Return a case by id or `set/case`; KeyError says what was meant."""
        try:
            return self._names.find(name)
        except ForgetestError as error:
            raise KeyError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all cases as `set/case`."""
        return iter(self._by_key)

    def __len__(self) -> int:
        return len(self._by_key)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __repr__(self) -> str:
        sets = ", ".join(f"{chosen.id} ({len(chosen.cases)})" for chosen in self.eval_sets)
        return f"<Cases of {sets}>"


def load(*sources: str | Path) -> Cases:
    """Return the cases of shipped sets by name, of files and folders, or of TOML texts.

    What has a line break is a text. Raises `EvalSetError`, which carries every problem with its
    place.
    """
    texts = [source for source in sources if isinstance(source, str) and "\n" in source]
    paths = [Path(source) for source in sources if source not in texts]
    parsed = tuple(parse(text, file=_TEXT) for text in texts)
    return Cases((*(load_files(paths) if paths else ()), *parsed))
