"""The crate that a command works in, and what it left there.

The crate has what the model may know: Cargo.toml, a lock file, the case's own files, src/lib.rs
with a stub, and PROMPT.md. It has no tests. Afterwards src/lib.rs is the completion, whatever
became of the rest; what else is new or changed is told in notes.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from forgetest.evalset.types import Case, Protocol
from forgetest.rust.joined import split
from forgetest.rust.signatures import outline
from forgetest.sampling.completion import Draw
from forgetest.sampling.exec.command import CommandSpec, plain_prompt, standard_input
from forgetest.sampling.prompt import fenced
from forgetest.system.files import read_regular

ANSWER = "src/lib.rs"
PROMPT_FILE = "PROMPT.md"
MANIFEST = "Cargo.toml"
ANSWER_BYTES = 2 << 20  # more than is graded
NAMED = 5  # files named in a note
LOOKED_AT = 10_000  # files, however many a command makes

_BLOCK = re.compile(r"(?P<fence>`{3,})rust\n(?P<code>.*)(?P=fence)\s*", re.DOTALL)
_FILE_BLOCK = re.compile(
    r"^(?P<fence>`{3,})rust (?P<path>\S+)\n(?P<code>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)
_OWN = ("Cargo.lock", PROMPT_FILE)  # that a command may do with as it likes
_PASSED_BY = frozenset({"target", ".git"})
_TASK = """\
# Your task

This folder is a Rust library crate. Write your answer into `src/lib.rs`, which holds a stub now.
What you print is not read. Only `src/lib.rs` is taken: put everything into it, and leave
`Cargo.toml` as it is. Hidden tests decide. `cargo build` works here without a network. Where the
text below asks for a code block, `src/lib.rs` is meant.

"""
_FILES_TASK = """\
# Your task

This folder is a Rust library crate. Write your answer into {files}. What you print is not read.
Only these files are taken: leave `Cargo.toml` as it is. Hidden tests decide. `cargo build` works
here without a network. Where the text below asks for code blocks or edits, these files are meant.

"""
_WITHOUT_STUB = "// Write your answer here.\n"


def _task(case: Case) -> str:
    if not case.answer_files:
        return _TASK
    return _FILES_TASK.format(files=" and ".join(f"`{path}`" for path in case.answer_files))


def stub_of(case: Case) -> str:
    """Return what src/lib.rs holds at first: a completion case's opening, or the public items."""
    if case.protocol is Protocol.COMPLETION:
        return case.prompt
    return outline(case.reference_solution or "") or _WITHOUT_STUB


def answers_of(case: Case) -> tuple[str, ...]:
    """Return the paths of the files that are the answer."""
    return case.answer_files or (ANSWER,)


def _starts(draw: Draw) -> dict[str, str]:
    """Return what the files of the answer hold at first, without those that context gives."""
    case = draw.case
    if not case.answer_files:
        return {ANSWER: start_of(draw)}
    files = split(case.reference_solution or "", case.answer_files)
    given = {file.path for file in case.context}
    stubs = {path: outline(files.get(path, "")) for path in case.answer_files if path not in given}
    answers = [turn.text for turn in draw.prompt.later if turn.role == "assistant"]
    before = _FILE_BLOCK.finditer(answers[-1]) if answers else ()
    return {
        **{path: stub or _WITHOUT_STUB for path, stub in stubs.items()},
        **{block["path"]: block["code"] for block in before if block["path"] in case.answer_files},
    }


def start_of(draw: Draw) -> str:
    """Return what src/lib.rs holds at first: the answer of the round before, or the stub."""
    answers = [turn.text for turn in draw.prompt.later if turn.role == "assistant"]
    before = _BLOCK.fullmatch(answers[-1]) if answers else None
    return before["code"] if before else stub_of(draw.case)


def crate_files(draw: Draw, base: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of the crate by path; `base` are its manifest and lock file."""
    return {
        **{file.path: file.content.encode() for file in draw.case.context},
        **base,
        **{path: text.encode("utf-8", "replace") for path, text in _starts(draw).items()},
        PROMPT_FILE: (_task(draw.case) + plain_prompt(draw.prompt)).encode("utf-8", "replace"),
    }


def given_text(spec: CommandSpec, draw: Draw) -> str:
    """Return what a command reads: its standard input, or PROMPT.md of its crate."""
    if spec.in_workspace:
        return crate_files(draw, {})[PROMPT_FILE].decode()
    return standard_input(spec, draw).decode()


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files below a folder; raises `OSError`."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def answer_in(folder: Path, asked: tuple[str, ...] = (ANSWER,)) -> str:
    """Return the files of the answer as a reply, a block of Rust for each that is there."""
    read = {path: read_regular(folder / path, ANSWER_BYTES) for path in asked}
    texts = {path: data.decode(errors="replace") for path, data in read.items() if data}
    blocks = [
        fenced(text, "rust" if asked == (ANSWER,) else f"rust {path}") + "\n"
        for path, text in texts.items()
        if text.strip()
    ]
    return "\n".join(blocks)


def notes_on(
    folder: Path, files: Mapping[str, bytes], asked: tuple[str, ...] = (ANSWER,)
) -> tuple[str, ...]:
    """Return in words what else a command did to the crate; `files` are those that it was given."""
    found = set(_files_below(folder))
    new = sorted(found - files.keys() - {*_OWN, *asked})
    given = [name for name in files if name not in (*_OWN, *asked)]
    changed = [name for name in given if name in found and not _holds(folder / name, files[name])]
    removed = [name for name in (*given, *asked) if name not in found]
    kinds = (("new", new), ("changed", changed), ("removed", removed))
    return tuple(f"{what}, not graded: {_named(names)}" for what, names in kinds if names)


def _files_below(folder: Path) -> Iterator[str]:
    """Yield the files of a crate, without what cargo and git make; links are not followed."""
    left = LOOKED_AT
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _PASSED_BY)
        for name in names[:left]:
            yield str(Path(root, name).relative_to(folder))
        left -= len(names)
        if left <= 0:
            return


def _holds(path: Path, content: bytes) -> bool:
    return read_regular(path, len(content) + 1) == content


def _named(names: list[str]) -> str:
    shown = ", ".join(name.encode("utf-8", "replace").decode() for name in names[:NAMED])
    more = len(names) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown
