"""One exercise as a case: what the model is told, what it is tested with, and the solution."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from forgetest.evalset.schema import context_path, title
from forgetest.evalset.types import Case, ContextFile, Expectations
from forgetest.importers.assemble import formed
from forgetest.importers.exercism.features import with_features
from forgetest.importers.exercism.manifest import Manifest, manifest, merged
from forgetest.importers.exercism.testing import Tests, tests_of
from forgetest.importers.exercism.trees import Tree, inside
from forgetest.importers.naming import case_id
from forgetest.importers.problems import holdable
from forgetest.importers.reading import ItemError
from forgetest.prompt import fenced
from forgetest.rust.items import Items, Kind, defined_items
from forgetest.rust.mentions import mentions_of
from forgetest.rust.parse import cpu_deadline

_LIBRARY = "src/lib.rs"
_TOLD = (".docs/introduction.md", ".docs/instructions.md", ".docs/instructions.append.md")
_SOLVED = ("example", "exemplar")  # in practice, of a concept
_RELEASE_SECS = 60.0  # where the exercise wants a release build, and gets none
_PARSE_SECS = 5.0
_TYPES = frozenset({Kind.STRUCT, Kind.ENUM, Kind.UNION, Kind.TRAIT})


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
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise ItemError(f'"files.{kind}" of .meta/config.json must be an array of paths')
        return tuple(inside(one) for one in found)

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
        name=formed(title, tree.name, "name"),
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
        raise ItemError(".meta/config.json is no JSON object")
    return _Config(found)


def _demanded(tree: Tree, path: str) -> str:
    text = tree.text(path)
    if text is None:
        raise ItemError(f"{path} is missing")
    return text


def _stub(tree: Tree, config: _Config, cargo: Manifest) -> str:
    """Return src/lib.rs; ItemError when the solution is another file, or several."""
    sources = [path for path in config.files("solution") if path.endswith(".rs")]
    if sources not in ([], [_LIBRARY]):
        raise ItemError(f"its solution is {', '.join(sources)}; only {_LIBRARY} can be graded")
    return with_features(tree.text(_LIBRARY) or "", cargo.features, _LIBRARY)


def _solution(tree: Tree, config: _Config, cargo: Manifest) -> tuple[str | None, Manifest | None]:
    """Return the example solution and the manifest that it needs, as far as there are such."""
    named = [path for kind in _SOLVED for path in config.files(kind)]
    known = named or [f".meta/{kind}.rs" for kind in _SOLVED]
    sources = [path for path in known if path.endswith(".rs")]
    texts = [text for path in sources if (text := tree.text(path)) is not None]
    if len(texts) > 1:
        raise ItemError("its example solution is several files; only one can be graded")
    path = next((one for one in named if one.endswith(".toml")), ".meta/Cargo-example.toml")
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
    """Yield the files that a learner is given beside the stub, none from a hidden folder."""
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
        expected_functions=_common(declared, solved, frozenset({Kind.FUNCTION}), used),
        expected_types=_common(declared, solved, _TYPES, used),
    )


def _common(
    declared: Items, solved: Items, kinds: frozenset[Kind], used: frozenset[str]
) -> tuple[str, ...]:
    known = {item.name for item in solved.top if item.kind in kinds and item.public}
    found = [item.name for item in declared.top if item.kind in kinds and item.public]
    return tuple(dict.fromkeys(name for name in found if name in known & used))


def _bare(code: str) -> str:
    return "".join(code.split())
