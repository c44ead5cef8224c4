"""The eval sets that ship with forgetest, found by name.

They are in `eval-sets/` at the top of the repository; a wheel holds that folder in the package.
Nothing large is loaded here, since the shell completes the names.
"""

import json
from pathlib import Path

FOLDER = "eval-sets"
PACKED = "<forgetest>/"  # what reports call the folder, which is another on each machine
_PACKAGE = Path(__file__).parent.parent


def shipped_folder() -> Path:
    """Return the folder of the shipped eval sets: in the package, or next to it in a checkout."""
    packed = _PACKAGE / FOLDER
    return packed if packed.is_dir() else _PACKAGE.parent / FOLDER


def strength_file() -> Path:
    """Return the file that records how strong the tests of the sets are."""
    return shipped_folder() / "strength.json"


def shipped_files() -> dict[str, Path]:
    """Return the file of every shipped eval set by its name, as recorded: easy ones first."""
    recorded = list(json.loads(strength_file().read_bytes())["sets"])
    files = {path.stem: path for path in sorted(shipped_folder().glob("*.toml"))}
    order = [name for name in recorded if name in files]
    return {name: files[name] for name in (*order, *sorted(files.keys() - order))}


def shipped_name(file: Path) -> str:
    """Return what reports call the file of a shipped set, the same on every machine."""
    return f"{PACKED}{file.name}"


def local_path(file: str) -> str:
    """Return where the file of a case is on this machine: that of a shipped set in the package."""
    return str(shipped_folder() / file.removeprefix(PACKED)) if file.startswith(PACKED) else file


def case_place(file: str, line: int | None, key: str) -> str:
    """Return where to read a case on any machine: `mine.toml:8`, or how to print a shipped one."""
    if file.startswith(PACKED):
        return f"forgetest sets show {key}"
    return file if line is None else f"{file}:{line}"


def shipped_file(path: Path) -> Path | None:
    """Return the file of a shipped set: by its name, or as `eval-sets/NAME.toml`; else None."""
    name = path.stem if path == Path(FOLDER, f"{path.stem}.toml") else str(path)
    return shipped_files().get(name)
