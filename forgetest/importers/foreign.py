"""Imports of crates from elsewhere in code of others: those it needs, and the crates they name."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.evalset.types import Dependency
from forgetest.importers.reading import ItemError
from forgetest.rust.items import imports_of, text_of
from forgetest.rust.lexer import lex, tokenize
from forgetest.rust.parse import cpu_deadline, parse_within
from forgetest.rust.stdlib import STD_CRATES

_PARSE_SECS = 5.0
_OWN = STD_CRATES | {"crate", "self", "super"}
_DECLARATIONS = frozenset({"use_declaration", "extern_crate_declaration"})


@dataclass(frozen=True, slots=True)
class _Foreign:
    """A declaration that imports from other crates."""

    node: Node
    crates: frozenset[str]
    names: frozenset[str]  # that it brings into scope, the crates' own included


def needed_imports(
    opening: str, code: str, versions: Mapping[str, str]
) -> tuple[str, tuple[Dependency, ...]]:
    """Return the opening of a file without the foreign imports that nothing uses, and its crates.

    `code` is what follows, tests included. ItemError when a crate is used whose version is not
    among `versions`.
    """
    data = opening.encode("utf-8", "replace")
    used = _words(opening) | _words(code)
    crates: list[str] = []
    for declaration in reversed(list(_foreign(opening, data))):
        if declaration.names & used:
            crates += sorted(declaration.crates)
        else:
            rest = re.sub(rb"\A[ \t]*\r?\n", b"", data[declaration.node.end_byte :])
            data = data[: declaration.node.start_byte] + rest
    found = (_dependency(name, versions) for name in dict.fromkeys(reversed(crates)))
    return data.decode(errors="replace"), tuple(found)


def _dependency(crate: str, versions: Mapping[str, str]) -> Dependency:
    if crate not in versions:
        raise ItemError(f"it needs the crate {crate[:40]}, whose version is unknown")
    return Dependency(name=crate, version=versions[crate])


def _foreign(opening: str, data: bytes) -> Iterator[_Foreign]:
    """Yield the declarations at the root that import from crates other than the standard ones."""
    closed = data + b"\n" + b"}" * max(lex(opening).depth, 0)
    tree = parse_within(closed, cpu_deadline(_PARSE_SECS))
    if tree is None:
        raise ItemError("its imports take too long to parse")
    for node in tree.root_node.named_children:
        if node.type not in _DECLARATIONS:
            continue
        crates, names = _named(node, closed)
        foreign = crates - _OWN
        if foreign:
            yield _Foreign(node, foreign, names | foreign)


def _named(node: Node, data: bytes) -> tuple[frozenset[str], frozenset[str]]:
    """Return the crates that a declaration names, and the names that it brings."""
    if node.type == "extern_crate_declaration":
        name = text_of(node.child_by_field_name("name"), data)
        return frozenset({name}), frozenset()
    found = tuple(imports_of(node, data, public=False))
    return frozenset(import_.path[0] for import_ in found if import_.path), frozenset(
        import_.name for import_ in found
    )


def _words(code: str) -> frozenset[str]:
    """Return the words of some code outside of comments, texts and imports."""
    found: set[str] = set()
    inside = False
    for word in tokenize(code).texts:
        inside = word in {"use", "extern"} or (inside and word != ";")
        if not inside:
            found.add(word)
    return frozenset(found)
