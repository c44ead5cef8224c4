"""One exercise as a case: what the model is told, what it is tested with, and the solution.

What an exercise's Cargo.toml says: its crate's name, edition, dependencies and features.

Reads exercises from a folder or from JSON Lines of files.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from forgetest.errors import ConfigError, ForgetestError
from forgetest.evalset.forms import (
    context_path,
    crate_key,
    crate_name,
    edition,
    feature,
    single_line,
    version_requirement,
)
from forgetest.evalset.types import (
    Case,
    ContextFile,
    Dependency,
    Expectations,
    Protocol,
    Provenance,
)
from forgetest.importers.exercism.testing import Tests, tests_of, with_features
from forgetest.importers.exercism.trees import Folder, Tree, folders_of, inside, listings
from forgetest.importers.problems import formed, holdable, imported
from forgetest.importers.reading import ItemError, SourceItem, make_each, read_source
from forgetest.importers.types import Imported, ImportOptions, SkippedItem, case_id, set_id
from forgetest.rust.items import ItemKind, Items, defined_items
from forgetest.rust.mentions import mentions_of
from forgetest.rust.parse import cpu_deadline
from forgetest.sampling.prompt import fenced

_OLDEST = "2015"  # what cargo takes where a manifest says none
_ELSEWHERE = ("path", "git", "registry", "workspace", "package")
_Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CargoManifest:
    """One Cargo.toml."""

    crate: str  # as Rust code spells it
    edition: str
    dependencies: tuple[Dependency, ...]  # for development, too
    features: frozenset[str]  # those that are on without being asked for


def manifest(text: str, file: str) -> CargoManifest:
    """Return what a Cargo.toml says; ItemError when it is none or asks for what cannot be had."""
    table = _parsed(text, file)
    package = _table(table, "package", file)
    name = package.get("name")
    if not isinstance(name, str):
        raise ItemError(f"{file} names no package")
    library = _table(table, "lib", file).get("name", name)
    stated = package.get("edition", _OLDEST)
    enabled = frozenset(_enabled(_table(table, "features", file)))
    return CargoManifest(
        crate=formed(crate_name, str(library), "name").replace("-", "_"),
        edition=formed(edition, str(stated), "edition"),
        dependencies=tuple(_dependencies(table, file, enabled)),
        features=enabled,
    )


def merged(dependencies: Iterable[Dependency]) -> tuple[Dependency, ...]:
    """Return each crate once, a later one in the place of an earlier."""
    return tuple({crate_key(crate.name): crate for crate in dependencies}.values())


def _parsed(text: str, file: str) -> _Table:
    try:
        return tomli.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "it nests too deeply"
        raise ItemError(f"{file} is not valid TOML: {reason}") from None


def _table(table: _Table, key: str, file: str) -> _Table:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise ItemError(f"{key} of {file} must be a table")
    return value


def _enabled(features: _Table) -> Iterator[str]:
    """Yield the features that `default` switches on, themselves and through others."""
    todo, seen = ["default"], set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            more = features.get(name, ())
            todo += (
                [item for item in more if isinstance(item, str)] if isinstance(more, list) else []
            )
            yield name


def _dependencies(table: _Table, file: str, enabled: frozenset[str]) -> Iterator[Dependency]:
    for key in ("dependencies", "dev-dependencies"):
        for name, value in _table(table, key, file).items():
            asked = value if isinstance(value, dict) else {"version": value}
            if not asked.get("optional") or {name, f"dep:{name}"} & enabled:
                yield _dependency(name, asked, file)


def _dependency(name: str, asked: _Table, file: str) -> Dependency:
    if elsewhere := [key for key in _ELSEWHERE if key in asked]:
        raise ItemError(f"{file} asks for {name[:40]} by {elsewhere[0]}, not by version")
    features = asked.get("features", [])
    if not isinstance(features, list):
        raise ItemError(f"the features of {name[:40]} in {file} must be an array")
    return Dependency(
        name=formed(crate_name, name, "dependencies"),
        version=formed(version_requirement, str(asked.get("version", "*")), name[:40]),
        features=tuple(formed(feature, str(wanted), "features") for wanted in features),
    )


_LIBRARY = "src/lib.rs"
_TOLD = (".docs/introduction.md", ".docs/instructions.md", ".docs/instructions.append.md")
_SOLVED = ("example", "exemplar")  # in practice, of a concept
_RELEASE_SECS = 60.0  # where the exercise wants a release build, and gets none
_PARSE_SECS = 5.0
_TYPES = frozenset({ItemKind.STRUCT, ItemKind.ENUM, ItemKind.UNION, ItemKind.TRAIT})


@dataclass(frozen=True, slots=True)
class Exercise:
    """A case, and those of its tests that could not be taken over, with the reason."""

    case: Case
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Config:
    """The files that an exercise's .meta/config.json names, by what they are."""

    table: Mapping[str, Any]

    def files(self, kind: str) -> tuple[str, ...]:
        """Return the paths of one kind; ItemError for one that leaves the folder."""
        files = self.table.get("files", {})
        found = files.get(kind, []) if isinstance(files, dict) else []
        if not isinstance(found, list) or not all(isinstance(path, str) for path in found):
            raise ItemError(f'"files.{kind}" of .meta/config.json must be an array of paths')
        return tuple(inside(path) for path in found)

    @property
    def in_release(self) -> bool:
        """Whether the tests are meant for a release build."""
        custom = self.table.get("custom", {})
        return isinstance(custom, dict) and custom.get("test-in-release-mode") is True

    @property
    def blurb(self) -> str:
        """What the exercise is, in a sentence."""
        found = self.table.get("blurb", "")
        return found if isinstance(found, str) else ""


def exercise(tree: Tree, eval_set: str) -> Exercise:
    """Return an exercise as a case; ItemError when it is not whole or names files outside."""
    config = _config(tree)
    cargo = manifest(_demanded(tree, "Cargo.toml"), "Cargo.toml")
    stub = _stub(tree, config, cargo)
    solution, more = _solution(tree, config, cargo)
    if solution is not None and _bare(solution) == _bare(stub):
        raise ItemError(f"{_LIBRARY} holds the example solution, which a model must not see")
    tests = tests_of(tree, _test_files(tree, config), cargo.crate, cargo.features)
    case = Case(
        id=case_id(tree.name),
        eval_set=eval_set,
        name=formed(single_line, tree.name, "name"),
        description=config.blurb,
        prompt=_prompt(tree, stub),
        edition=cargo.edition,
        timeout_secs=_RELEASE_SECS if config.in_release else None,
        dependencies=merged((*cargo.dependencies, *(more.dependencies if more else ()))),
        context=tuple(_context(tree, config)),
        reference_solution=solution,
        expectations=_expectations(tests, stub, solution or ""),
    )
    return Exercise(holdable(case), tests.left_out)


def _config(tree: Tree) -> _Config:
    text = tree.text(".meta/config.json")
    if text is None:
        return _Config({})
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ItemError(".meta/config.json is not JSON") from None
    if not isinstance(found, dict):
        raise ItemError(".meta/config.json is not a JSON object")
    return _Config(found)


def _demanded(tree: Tree, path: str) -> str:
    text = tree.text(path)
    if text is None:
        raise ItemError(f"{path} is missing")
    return text


def _stub(tree: Tree, config: _Config, cargo: CargoManifest) -> str:
    """Return src/lib.rs; ItemError when the solution is another file, or several."""
    sources = [path for path in config.files("solution") if path.endswith(".rs")]
    if sources not in ([], [_LIBRARY]):
        raise ItemError(f"its solution is {', '.join(sources)}; only {_LIBRARY} can be graded")
    return with_features(tree.text(_LIBRARY) or "", cargo.features, _LIBRARY)


def _solution(
    tree: Tree, config: _Config, cargo: CargoManifest
) -> tuple[str | None, CargoManifest | None]:
    """Return the example solution and the manifest that it needs, as far as there are such."""
    named = [path for kind in _SOLVED for path in config.files(kind)]
    known = named or [f".meta/{kind}.rs" for kind in _SOLVED]
    sources = [path for path in known if path.endswith(".rs")]
    texts = [text for path in sources if (text := tree.text(path)) is not None]
    if len(texts) > 1:
        raise ItemError("its example solution is several files; only one can be graded")
    path = next((path for path in named if path.endswith(".toml")), ".meta/Cargo-example.toml")
    more = tree.text(path)
    code = with_features(texts[0], cargo.features, "the example solution") if texts else None
    return code, manifest(more, path) if more is not None else None


def _test_files(tree: Tree, config: _Config) -> tuple[str, ...]:
    named = [path for path in config.files("test") if path.endswith(".rs")]
    tests = [path for path in named if path.count("/") == 1] or tree.tests()
    if not tests:
        raise ItemError("it has no tests/*.rs")
    return tuple(dict.fromkeys(tests))


def _prompt(tree: Tree, stub: str) -> str:
    texts = [text.strip() for path in _TOLD if (text := tree.text(path)) and text.strip()]
    if not texts:
        raise ItemError("it has no .docs/instructions.md")
    if stub.strip():
        texts.append(f"`{_LIBRARY}` begins as this stub:\n\n{fenced(stub, 'rust')}")
    return "\n\n".join(texts) + "\n"


def _context(tree: Tree, config: _Config) -> Iterator[ContextFile]:
    """Yield the files that a learner is given with the stub, none from a hidden folder."""
    for path in config.files("editor"):
        if path.startswith(".") or "/." in path:
            raise ItemError(f"it shows {path}, which lies in a hidden folder")
        if path != "Cargo.toml":
            content = _demanded(tree, path)
            yield ContextFile(path=formed(context_path, path, "files.editor"), content=content)


def _expectations(tests: Tests, stub: str, solution: str) -> Expectations:
    """Return the tests, and the stub's items that they use and that the solution kept."""
    deadline = cpu_deadline(_PARSE_SECS)
    declared, solved = (defined_items(code, deadline) for code in (stub, solution))
    used = mentions_of(tests.text).names
    return Expectations(
        test_file=tests.text,
        expected_functions=_common(declared, solved, frozenset({ItemKind.FUNCTION}), used),
        expected_types=_common(declared, solved, _TYPES, used),
    )


def _common(
    declared: Items, solved: Items, kinds: frozenset[ItemKind], used: frozenset[str]
) -> tuple[str, ...]:
    known = {item.name for item in solved.top if item.kind in kinds and item.public}
    found = [item.name for item in declared.top if item.kind in kinds and item.public]
    return tuple(dict.fromkeys(name for name in found if name in known & used))


def _bare(code: str) -> str:
    return "".join(code.split())


_SOURCE = Provenance(
    name="Exercism Rust track", licence="MIT", url="https://github.com/exercism/rust"
)


def read_exercism(path: Path, options: ImportOptions) -> Imported:
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
    items = [SourceItem(place, None, {}) for place in trees]
    made, spoiled = make_each(items, lambda item: exercise(trees[item.file], name), _id)
    missing = [
        SkippedItem(f"{exercise.case.id} {test}", why)
        for exercise in made
        for test, why in exercise.left_out
    ]
    cases: list[Case] = [exercise.case for exercise in made]
    return imported(cases, path, options, source=_SOURCE, left_out=(*left_out, *spoiled, *missing))


def _id(exercise: Exercise) -> str:
    return exercise.case.id


def _in_folder(path: Path) -> tuple[dict[str, Tree], list[SkippedItem]]:
    return {_place(folder, path): Folder(folder, path) for folder in folders_of(path)}, []


def _place(folder: Path, path: Path) -> str:
    return folder.name if folder == path else folder.relative_to(path).as_posix()


def _in_file(path: Path) -> tuple[dict[str, Tree], list[SkippedItem]]:
    reading = read_source(path)
    files, left_out = make_each(reading.items, _file, lambda file: file[0])
    found = listings(dict(files))
    trees: dict[str, Tree] = {
        place or files.name or path.stem: files for place, files in found.items()
    }
    return trees, [*reading.left_out, *left_out]


def _file(item: SourceItem) -> tuple[str, str]:
    keys = [key for key in ("content", "text") if key in item.value]
    if not keys:
        raise ItemError('"content" is missing')
    return inside(item.text("path")), item.maybe(keys[0])
