"""What an exercise's Cargo.toml says: its crate's name, edition, dependencies and features."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tomli

from forgetest.evalset.schema import crate_key, crate_name, edition, feature, version_requirement
from forgetest.evalset.types import Dependency
from forgetest.importers.assemble import formed
from forgetest.importers.reading import ItemError

_OLDEST = "2015"  # what cargo takes where a manifest says none
_ELSEWHERE = ("path", "git", "registry", "workspace", "package")
_Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One Cargo.toml."""

    crate: str  # as Rust code spells it
    edition: str
    dependencies: tuple[Dependency, ...]  # for development, too
    features: frozenset[str]  # those that are on without being asked for


def manifest(text: str, file: str) -> Manifest:
    """Return what a Cargo.toml says; ItemError when it is none or asks for what can not be had."""
    table = _parsed(text, file)
    package = _table(table, "package", file)
    name = package.get("name")
    if not isinstance(name, str):
        raise ItemError(f"{file} names no package")
    library = _table(table, "lib", file).get("name", name)
    stated = package.get("edition", _OLDEST)
    enabled = frozenset(_enabled(_table(table, "features", file)))
    return Manifest(
        crate=formed(crate_name, str(library), "name").replace("-", "_"),
        edition=formed(edition, str(stated), "edition"),
        dependencies=tuple(_dependencies(table, file, enabled)),
        features=enabled,
    )


def merged(dependencies: Iterable[Dependency]) -> tuple[Dependency, ...]:
    """Return each crate once, a later one in the place of an earlier."""
    return tuple({crate_key(one.name): one for one in dependencies}.values())


def _parsed(text: str, file: str) -> _Table:
    try:
        return tomli.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "it nests too deeply"
        raise ItemError(f"{file} is not TOML: {reason}") from None


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
            todo += [one for one in more if isinstance(one, str)] if isinstance(more, list) else []
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
        features=tuple(formed(feature, str(one), "features") for one in features),
    )
