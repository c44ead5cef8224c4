"""What the model is told about a case: pure text, the same for every provider.

The default texts are short because small models read them too. Tests, reference solution and
expectations are never part of them. A change of wording changes what is measured: it needs a new
`VERSION`. A variant's texts are templates, and its examples come before the question.
"""

import re
from collections.abc import Iterator, Sequence

from forgetest.evalset.types import Case, ContextFile, Dependency, Protocol
from forgetest.rust.joined import split
from forgetest.sampling.completion import Draw, Prompt, Turn
from forgetest.sampling.plan import Plan, Sample
from forgetest.sampling.template import fill
from forgetest.sampling.variant import DEFAULT, Variant

VERSION = 1

_CHAT = (
    "You are an expert Rust engineer and write src/lib.rs of a library crate. "
    "Answer with one ```rust code block that holds the complete code, and nothing else."
)
_COMPLETION = (
    "You are an expert Rust engineer. Complete the Rust code that you are given. "
    "Answer with one ```rust code block that holds the complete code, and nothing else."
)
_FILES = (
    "You are an expert Rust engineer and write files of a library crate. "
    "Answer with the files that are asked for, and nothing else."
)
_HAND_IN = (
    "Hand in {files}: one ```rust code block for each file, with the file's path on the line of "
    "the fence, such as\n\n```rust src/lib.rs\n// the complete file\n```"
)
_EDITS = (
    "A file that the crate already has stays as it is if you leave it out. Instead of repeating "
    "it, you may change it with edits. The lines to replace must be in the file exactly once, with "
    "the same white space:\n\n{path}\n<<<<<<< SEARCH\nthe lines to replace\n=======\n"
    "the new lines\n>>>>>>> REPLACE"
)
_LANGUAGES = {"rs": "rust", "toml": "toml", "json": "json", "md": "markdown"}


def draw_of(plan: Plan, sample: Sample, case: Case, later: tuple[Turn, ...] = ()) -> Draw:
    """Return the request of a planned sample: its prompt and sampling, as its variant asks.

    `later` is the conversation after the question, in a later round.
    """
    variant = plan.variant(sample.model)
    return Draw(
        sample=sample,
        case=case,
        prompt=render(case, variant).model_copy(update={"later": later}),
        sampling=plan.sampling.of(variant, case, sample.index),
        variant=variant,
    )


def render(case: Case, variant: Variant = DEFAULT) -> Prompt:
    """Return the system text, the examples and the user text for one case.

    In chat, the case's prompt comes first, word for word, and what its crate offers after it. For
    completion the user text is the prompt alone, as code to continue, and the rest is in the system
    text. An example that is the case itself is left out. ValueError names what a template gets
    wrong.
    """
    question = _question(case, variant)
    shown = (example for example in variant.examples if example.case != case.key)
    return Prompt(
        system=question.system,
        user=question.user,
        examples=tuple(
            turn
            for example in shown
            if example.prompt != question.user
            for turn in (
                Turn(role="user", text=example.prompt),
                Turn(role="assistant", text=example.answer),
            )
        ),
    )


def _question(case: Case, variant: Variant) -> Prompt:
    """Return the texts of a case without examples."""
    crate = _crate(case)
    names = _names(case, f"{variant.system}{variant.template}")
    system = None if variant.system is None else fill(variant.system, names)
    if variant.template is not None:
        filled = "\n\n".join((fill(variant.template, names), *_handing_in(case)))
        return Prompt(system=_system(case) if system is None else system, user=filled)
    if case.protocol is Protocol.COMPLETION:
        texts = (_system(case) if system is None else system, *crate)
        return Prompt(system="\n\n".join(filter(None, texts)), user=case.prompt)
    gap = "\n" if case.prompt.endswith("\n") else "\n\n"
    return Prompt(
        system=_system(case) if system is None else system,
        user=case.prompt + gap + "\n\n".join((*crate, *_handing_in(case))),
    )


def _system(case: Case) -> str:
    if case.protocol is Protocol.COMPLETION:
        return _COMPLETION
    return _FILES if case.answer_files else _CHAT


def _handing_in(case: Case) -> Iterator[str]:
    """Yield which files are to be handed in, and in which form; nothing where it is one block."""
    if case.answer_files:
        named = " and ".join(f"`{path}`" for path in case.answer_files)
        yield _HAND_IN.format(files=named)
    given = [file.path for file in case.context if file.path in case.answer_files]
    if given:
        yield _EDITS.format(path=given[0])


def answer_text(code: str, paths: Sequence[str]) -> str:
    """Return code as a reply would hold it: a block, or one for each of several files."""
    if len(paths) <= 1:
        return fenced(code, "rust")
    return "\n\n".join(fenced(text, f"rust {path}") for path, text in split(code, paths).items())


def _names(case: Case, templates: str) -> dict[str, str]:
    """Return what templates may use, by name."""
    return {
        "prompt": case.prompt,
        "context": "\n\n".join(map(_file, case.context)),
        "edition": case.edition,
        "dependencies": ", ".join(map(_dependency, case.dependencies)),
        "signatures": _signatures(case) if "signatures" in templates else "",
    }


def _signatures(case: Case) -> str:
    from forgetest.rust.signatures import signatures_of

    return "\n".join(signatures_of(case.reference_solution or ""))


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
