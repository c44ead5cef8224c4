"""What the model is told about a case: pure text, the same for every provider.

The texts are short because small models read them too. Tests, reference solution and expectations
are never part of them. A change of wording changes what is measured: it needs a new `VERSION`.
"""

import re

from forgetest.evalset.types import Case, ContextFile, Dependency, Protocol
from forgetest.sampling.completion import Prompt

VERSION = 1

_CHAT = (
    "You are an expert Rust engineer and write src/lib.rs of a library crate. "
    "Answer with one ```rust code block that holds the complete code, and nothing else."
)
_COMPLETION = (
    "You are an expert Rust engineer. Complete the Rust code that you are given. "
    "Answer with one ```rust code block that holds the complete code, and nothing else."
)
_LANGUAGES = {"rs": "rust", "toml": "toml", "json": "json", "md": "markdown"}


def render(case: Case) -> Prompt:
    """Return the system and the user text for one case.

    In chat, the case's prompt comes first, word for word, and what its crate offers after it. For
    completion the user text is the prompt alone, as code to continue, and the rest is in the system
    text.
    """
    crate = _crate(case)
    if case.protocol is Protocol.COMPLETION:
        return Prompt(system="\n\n".join((_COMPLETION, *crate)), user=case.prompt)
    gap = "\n" if case.prompt.endswith("\n") else "\n\n"
    return Prompt(system=_CHAT, user=case.prompt + gap + "\n\n".join(crate))


def fenced(text: str, language: str = "") -> str:
    """Return the text in a Markdown code block whose fence is longer than any inside."""
    longest = max(map(len, re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}"


def _crate(case: Case) -> list[str]:
    return [*map(_file, case.context), _terms(case)]


def _file(file: ContextFile) -> str:
    _, _, suffix = file.path.rpartition(".")
    content = fenced(file.content, _LANGUAGES.get(suffix, ""))
    return f"The crate already has the file `{file.path}`:\n\n{content}"


def _terms(case: Case) -> str:
    if not case.dependencies:
        return f"Rust edition {case.edition}, standard library only."
    crates = ", ".join(map(_dependency, case.dependencies))
    return f"Rust edition {case.edition}. Beside the standard library you may use: {crates}."


def _dependency(dependency: Dependency) -> str:
    features = ", ".join(dependency.features)
    name = f"{dependency.name} {dependency.version}"
    return f"{name} (features: {features})" if features else name
