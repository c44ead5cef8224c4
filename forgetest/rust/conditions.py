"""Whether the compiler would keep what a `cfg` guards, on this machine and in a build of tests.

Tests that it would drop are none of the expected ones. A condition that cannot be decided by
reading it has no answer here, and what it guards must not be counted either way.
"""

import platform
import sys
from collections.abc import Iterator, Sequence
from functools import cache

from tree_sitter import Node

_OPERATORS = frozenset({"all", "any", "not"})
_ON = frozenset({"test", "debug_assertions"})
# What rustc sets in ways that no table here knows. Whatever else is asked for, nobody sets.
_OPEN = frozenset({"target_abi", "target_env", "target_feature", "target_has_atomic"})
_OPEN_NAMES = frozenset({"overflow_checks", "ub_checks", "target_thread_local"})
_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}
_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64", "i686": "x86"}
_VENDORS = {"linux": "unknown", "darwin": "apple", "win32": "pc"}


@cache
def host() -> dict[str, str]:
    """Return the keys of this machine's `cfg` that have one value each."""
    machine = platform.machine()
    return {
        "target_os": _SYSTEMS.get(sys.platform, sys.platform),
        "target_family": "windows" if sys.platform == "win32" else "unix",
        "target_arch": _MACHINES.get(machine, machine),
        "target_endian": sys.byteorder,
        "target_pointer_width": "64" if sys.maxsize > 1 << 32 else "32",
        "target_vendor": _VENDORS.get(sys.platform, "unknown"),
        "panic": "unwind",
    }


def holds(condition: Sequence[Node]) -> bool | None:
    """Tell whether the condition that some tokens say holds; None when that cannot be told."""
    words = [(node.text or b"").decode() for node in condition]
    match words:
        case [operator, _] if operator in _OPERATORS:
            return _combined(operator, [holds(part) for part in parts(condition[1])])
        case [key, "=", value]:
            return _equals(key, value.strip('"'))
        case ["unix" | "windows" as family]:
            return host()["target_family"] == family
        case ["true" | "false" as word]:
            return word == "true"
        case [name]:
            return None if name in _OPEN | _OPEN_NAMES else name in _ON
    return None


def parts(tree: Node | None) -> Iterator[list[Node]]:
    """Yield what commas separate in a token tree, without its brackets."""
    part: list[Node] = []
    for node in tree.children[1:-1] if tree else ():
        if node.type == ",":
            yield part
            part = []
        elif not node.type.endswith("_comment"):
            part.append(node)
    if part:
        yield part


def _equals(key: str, value: str) -> bool | None:
    return None if key in _OPEN else host().get(key) == value


def _combined(operator: str, values: list[bool | None]) -> bool | None:
    if operator == "not":
        return None if values[:1] in ([None], []) else not values[0]
    settling = operator == "any"  # one such value decides for all
    if settling in values:
        return settling
    return None if None in values else not settling
