"""What a model is told of its last answer before it answers again: pure text, from its verdict.

The compiler's words are rendered as rustc renders them, without any path of this machine, the first
error of each code first, and bounded in number and length. Of tests there are names, and what a
failing one says; never their source, which is why a failed `assert!` is told without its condition.
Where there is nothing to tell, because all that remains is hidden, there is no further round.
"""

import re
from collections.abc import Iterator, Sequence

from forgetest.grading.verdict import (
    Diagnostic,
    Outcome,
    TestOutcome,
    TestResult,
    Verdict,
)
from forgetest.sampling.prompt import fenced
from forgetest.sampling.providers.contract import code_tokens
from forgetest.sampling.variant import FEEDBACK_TOKENS, Feedback
from forgetest.value import count

MOST_DIAGNOSTICS = 8
MOST_TESTS = 8

_AGAIN = (
    "Correct it, and answer again with one ```rust code block that holds the complete code, and"
    " nothing else."
)
_FILES_AGAIN = "Correct it, and hand in every file that you wrote or changed, in the same form."
_WITHOUT_CODE = {
    Outcome.EMPTY: "The answer is empty.",
    Outcome.REFUSED: "The answer holds no code.",
    Outcome.TRUNCATED: "The token limit cut the answer before any code. Answer in fewer words.",
    Outcome.NO_CODE: "The answer holds no Rust code.",
}
_ENDS = {
    TestOutcome.TIMEOUT: "it did not end in time",
    TestOutcome.CRASHED: "it crashed",
    TestOutcome.EXITED_EARLY: "it left the process before it was done",
    TestOutcome.MEMORY_LIMIT: "it ran out of memory",
    TestOutcome.OUTPUT_LIMIT: "it printed without end",
    TestOutcome.TAMPERED: "its result cannot be trusted",
}

# A row of source, which is the model's own text and stays as it is.
_SOURCE = re.compile(r"^\s*\d+\s*[|+~-]")
_PATH = re.compile(r"(?<![\w.])/(?:[^\s/:'\"`]+/)+([^\s/:'\"`]+)")
_KNOWN_ROOT = re.compile(r".*/(?:rustlib/src/rust|registry/src/[^/]+|rustc/[0-9a-f]+)/")
_PANICKED = re.compile(r"^thread .* panicked at .*$")
_CONDITION = re.compile(r"^assertion failed: .*", re.DOTALL | re.MULTILINE)


def feedback_text(
    verdict: Verdict, kind: Feedback, *, wrong_files: str | None = None
) -> str | None:
    """Return the user's next turn; None where nothing of what is wrong may be told.

    `wrong_files` is None for an answer of one file, and else says why its files are none.
    """
    said = wrong_files or "\n\n".join(_said(verdict, kind))
    again = _AGAIN if wrong_files is None else _FILES_AGAIN
    return f"{said}\n\n{again}" if said else None


def _said(verdict: Verdict, kind: Feedback) -> Iterator[str]:
    if verdict.outcome in _WITHOUT_CODE:
        yield _WITHOUT_CODE[verdict.outcome]
    elif verdict.outcome is Outcome.POLICY:
        yield "\n".join(("The code is refused before it is compiled:", *verdict.reasons))
    elif verdict.outcome is Outcome.COMPILE_TIMEOUT:
        yield "The code takes rustc too long to compile."
    elif verdict.compiled:
        yield from _of_compiled(verdict, kind)
    else:
        words = _compiler_words(verdict.errors, "error")
        yield f"rustc rejects the code:\n\n{words}" if words else _unexplained(verdict)


def _of_compiled(verdict: Verdict, kind: Feedback) -> Iterator[str]:
    if kind is Feedback.COMPILER_LINTS and verdict.lints:
        yield f"The code compiles. clippy says:\n\n{_compiler_words(verdict.lints, 'lint')}"
    if kind is Feedback.TESTS:
        yield from _test_words(verdict)


def _unexplained(verdict: Verdict) -> str:
    return _without_paths("\n".join(("The code does not compile.", *verdict.reasons)))


def _compiler_words(diagnostics: Sequence[Diagnostic], noun: str) -> str:
    """Return diagnostics in a block, as many as may be told; nothing without any."""
    ordered = first_of_each_code(diagnostics)
    blocks = [_without_paths(item.rendered or item.message).strip() for item in ordered]
    return _block(blocks[:MOST_DIAGNOSTICS], len(blocks), noun) if blocks else ""


def first_of_each_code(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the first diagnostic of each code, then the others, each in the compiler's order."""
    firsts: dict[str, Diagnostic] = {}
    for diagnostic in diagnostics:
        firsts.setdefault(diagnostic.code or diagnostic.message, diagnostic)
    chosen = list(firsts.values())
    return [*chosen, *(item for item in diagnostics if not any(item is one for one in chosen))]


def _block(texts: Sequence[str], total: int, noun: str) -> str:
    """Return the first texts in a fenced block, within the limit, and how many are not there."""
    shown: list[str] = []
    left = FEEDBACK_TOKENS
    for text in texts:
        left -= code_tokens(text)
        if left < 0 and shown:
            break
        shown.append(text if left >= 0 else _cut(text))
    more = total - len(shown)
    rest = (f"... and {count(more, f'more {noun}')}",) if more else ()
    return fenced("\n\n".join((*shown, *rest)), "text")


def _cut(text: str) -> str:
    """Return the beginning of a text that is alone longer than the limit."""
    return f"{text[: 3 * FEEDBACK_TOKENS].rsplit(chr(10), 1)[0]}\n..."


def _without_paths(text: str) -> str:
    """Return text without the folders of this machine; rows of source stay as they are."""
    return "\n".join(
        line if _SOURCE.match(line) else _PATH.sub(_short, line) for line in text.split("\n")
    )


def _short(path: re.Match[str]) -> str:
    """Return `library/core/src/option.rs` of the standard library, and else a file's own name."""
    known = _KNOWN_ROOT.match(path[0])
    return path[0][known.end() :] if known else path[1]


def _test_words(verdict: Verdict) -> Iterator[str]:
    if verdict.outcome is Outcome.TEST_BUILD_FAILED:
        yield "\n".join(
            ("The code compiles, but its tests do not build with it.", *_unfit(verdict))
        )
    elif verdict.outcome is Outcome.REQUIREMENT_FAILED:
        yield "\n".join(("The tests pass, but:", *map(_without_paths, verdict.reasons)))
    elif failed := [test for test in verdict.tests if _failed(test)]:
        run = sum(test.outcome is not TestOutcome.IGNORED for test in verdict.tests)
        words = [f"{test.name}: {_why(test)}" for test in failed[:MOST_TESTS]]
        block = _block(words, len(failed), "failing test")
        fail = "fails" if len(failed) == 1 else "fail"
        yield f"The code compiles, but {len(failed)} of {count(run, 'test')} {fail}:\n\n{block}"


def _failed(test: TestResult) -> bool:
    return test.outcome not in (TestOutcome.PASSED, TestOutcome.IGNORED)


def _unfit(verdict: Verdict) -> Iterator[str]:
    """Yield why the tests do not build, in rustc's words without the source that they point to."""
    absent = verdict.reach.absent if verdict.reach else ()
    yield from (f"missing: `{name}`" for name in absent)
    for error in first_of_each_code(verdict.test_errors)[:MOST_DIAGNOSTICS]:
        code = f"[{error.code}]" if error.code else ""
        yield f"error{code}: {_without_paths(error.message)}"


def _why(test: TestResult) -> str:
    """Return what a failing test says, without where in its source it says so."""
    if test.outcome is not TestOutcome.FAILED:
        return _ENDS.get(test.outcome, str(test.outcome))
    lines = (line for line in test.message.split("\n") if not _PANICKED.match(line))
    return _CONDITION.sub("assertion failed", _without_paths("\n".join(lines))) or "it failed"
