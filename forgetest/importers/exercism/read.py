"""Reads exercises from a folder or from JSON Lines of files."""

from pathlib import Path

from forgetest.errors import ConfigError, ForgetestError
from forgetest.evalset.types import Case, Protocol, Provenance
from forgetest.importers.assemble import imported
from forgetest.importers.exercism.exercises import Exercise, exercise
from forgetest.importers.exercism.trees import Folder, Tree, folders_of, inside, listings
from forgetest.importers.naming import set_id
from forgetest.importers.reading import Item, ItemError, each, read_source
from forgetest.importers.types import Imported, LeftOut, Options

_SOURCE = Provenance(
    name="Exercism Rust track", licence="MIT", url="https://github.com/exercism/rust"
)


def read(path: Path, options: Options) -> Imported:
    """Return the exercises of a track, of one folder, or of JSON Lines with a path each line.

    ForgetestError when there is none, ConfigError when another protocol than chat is asked for.
    """
    if options.protocol not in {None, Protocol.CHAT}:
        raise ConfigError(f"exercism knows only --protocol {Protocol.CHAT}")
    trees, left_out = _in_folder(path) if path.is_dir() else _in_file(path)
    if not trees:
        raise ForgetestError(
            f"{path}: holds no exercise: no folder with src/lib.rs or .meta/config.json"
        )
    name = set_id(path, options)
    items = [Item(place, None, {}) for place in trees]
    made, spoiled = each(items, lambda item: exercise(trees[item.file], name), _id)
    missing = [LeftOut(f"{one.case.id} {test}", why) for one in made for test, why in one.left_out]
    cases: list[Case] = [one.case for one in made]
    return imported(cases, path, options, source=_SOURCE, left_out=(*left_out, *spoiled, *missing))


def _id(one: Exercise) -> str:
    return one.case.id


def _in_folder(path: Path) -> tuple[dict[str, Tree], list[LeftOut]]:
    return {_place(one, path): Folder(one, path) for one in folders_of(path)}, []


def _place(folder: Path, path: Path) -> str:
    return folder.name if folder == path else folder.relative_to(path).as_posix()


def _in_file(path: Path) -> tuple[dict[str, Tree], list[LeftOut]]:
    reading = read_source(path)
    files, left_out = each(reading.items, _file, lambda file: file[0])
    found = listings(dict(files))
    trees: dict[str, Tree] = {place or one.name or path.stem: one for place, one in found.items()}
    return trees, [*reading.left_out, *left_out]


def _file(item: Item) -> tuple[str, str]:
    keys = [key for key in ("content", "text") if key in item.value]
    if not keys:
        raise ItemError('"content" is missing')
    return inside(item.text("path")), item.maybe(keys[0])
