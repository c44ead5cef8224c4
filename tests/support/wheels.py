"""A wheel of a pure package, made by hand: fast, and without what builds packages."""

import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def wheel_of(source: Path, folder: Path) -> Path:
    """Return the wheel of a package with a pyproject.toml, as far as an installer reads it."""
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = project["name"].replace("-", "_")
    stem = f"{name}-{project['version']}"
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted((source / name).glob("*.*")):
            archive.write(path, f"{name}/{path.name}")
        for file, text in _metadata(project):
            archive.writestr(f"{stem}.dist-info/{file}", text)
    return wheel


def _metadata(project: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield (
        "METADATA",
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n",
    )
    yield (
        "WHEEL",
        "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    )
    groups = (
        "\n".join((f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())))
        for group, entries in project["entry-points"].items()
    )
    yield "entry_points.txt", "\n\n".join(groups) + "\n"
    yield "RECORD", ""
