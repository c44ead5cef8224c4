"""The formats that can be imported, by the name that the command line takes."""

from difflib import get_close_matches

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.importers.types import Importer

IMPORTERS: tuple[Importer, ...] = ()


def importer(name: str) -> Importer:
    """Return the importer of that name; ConfigError names the closest one, or all."""
    for one in IMPORTERS:
        if one.name == name:
            return one
    names = [one.name for one in IMPORTERS]
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {quoted(close[0])}?" if close else f"choose {', '.join(names)}"
    raise ConfigError(f"there is no format {quoted(name)}; {hint}")
