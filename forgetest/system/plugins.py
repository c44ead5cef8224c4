"""Plugins: what installed packages add to forgetest by entry point.

A package names its parts under three groups; each part is a `Plugin` that says for which version of
the contract it was written. Nothing is looked for at start: only when a name is not built in, or
when a list is asked for. A part that cannot be used is named with the reason, and left out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar

from forgetest.errors import ForgetestError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

API_VERSION = 1  # of what plugins supply and what they are given

T = TypeVar("T")


class PluginGroup(StrEnum):
    """What a plugin can add: the groups of entry points."""

    PROVIDERS = "forgetest.providers"  # a wire protocol, or a source of completions
    IMPORTERS = "forgetest.importers"
    FORMATS = "forgetest.formats"

    @property
    def kind(self) -> str:
        """What one part of the group is."""
        return self.removeprefix("forgetest.").removesuffix("s")


@dataclass(frozen=True, slots=True)
class Plugin(Generic[T]):
    """One part of a plugin: what an entry point names."""

    api: int  # the `API_VERSION` that it was written for, as a number
    provides: T


@dataclass(frozen=True, slots=True)
class InstalledPlugin:
    """One entry point of an installed package."""

    group: PluginGroup
    name: str
    package: str  # with its version
    entry: "EntryPoint"
    taken_by: str = ""  # who has the name already

    def __str__(self) -> str:
        return f"{self.name} ({self.package})"


class BrokenPluginError(ForgetestError):
    """A plugin cannot be used; the message names it, and `why` is its reason with its package."""

    def __init__(self, message: str, *, why: str = "") -> None:
        self.why = why or message
        super().__init__(message)


def installed_plugins(
    group: PluginGroup, built_in: frozenset[str] = frozenset()
) -> tuple[InstalledPlugin, ...]:
    """Return what packages add to a group, by name; names of `built_in` are taken."""
    owners = dict.fromkeys(built_in, "forgetest")
    found: list[InstalledPlugin] = []
    for name, package, entry in sorted(_entries(group), key=lambda item: item[:2]):
        found.append(InstalledPlugin(group, name, package, entry, owners.get(name, "")))
        owners.setdefault(name, package)
    return tuple(found)


@cache
def _entries(group: PluginGroup) -> tuple[tuple[str, str, "EntryPoint"], ...]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - few commands look for plugins

    return tuple((entry.name, _package(entry), entry) for entry in entry_points(group=group))


def _package(entry: "EntryPoint") -> str:
    return "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def load_plugin(plugin: InstalledPlugin, check: Callable[[object], T]) -> T:
    """Return what a plugin provides; BrokenPluginError when it cannot be used.

    `check` returns the value with its type, or raises TypeError, which says what is wrong.
    """
    if plugin.taken_by:
        raise _broken(plugin, f"the name is taken by {plugin.taken_by}")
    try:
        part = plugin.entry.load()
    except Exception as error:  # noqa: BLE001 - whatever the package does when it is imported
        raise _broken(plugin, f"{type(error).__name__}: {error}") from None
    if not isinstance(part, Plugin):
        kind = type(part).__name__
        raise _broken(plugin, f"its entry point is of type {kind}, not forgetest.plugins.Plugin")
    if part.api != API_VERSION:
        raise _broken(
            plugin, f"it is for plugin API {part.api}, and this forgetest has {API_VERSION}"
        )
    try:
        return check(part.provides)
    except TypeError as error:
        raise _broken(plugin, str(error)) from None


def find_plugin(group: PluginGroup, name: str, check: Callable[[object], T]) -> T | None:
    """Return what the plugin of a name provides, None where there is no such plugin.

    Raises BrokenPluginError for one that cannot be used. Ask only for names that are not built in.
    """
    for plugin in installed_plugins(group):
        if plugin.name == name:
            return load_plugin(plugin, check)
    return None


def usable_plugins(
    group: PluginGroup, built_in: frozenset[str], check: Callable[[object], T]
) -> Iterator[tuple[InstalledPlugin, T | BrokenPluginError]]:
    """Yield each plugin of a group with what it provides, or with why it is left out."""
    for plugin in installed_plugins(group, built_in):
        try:
            yield plugin, load_plugin(plugin, check)
        except BrokenPluginError as error:
            yield plugin, error


def failed(plugin: str, error: Exception) -> ForgetestError:
    """Return the error for a plugin that fails at its work; its own ForgetestErrors stay."""
    if isinstance(error, ForgetestError):
        return error
    return BrokenPluginError(f"plugin {plugin} failed: {type(error).__name__}: {error}")


def _broken(plugin: InstalledPlugin, why: str) -> BrokenPluginError:
    text = " ".join(why.split())
    return BrokenPluginError(
        f"plugin {plugin} cannot be used: {text}", why=f"of {plugin.package}: {text}"
    )
