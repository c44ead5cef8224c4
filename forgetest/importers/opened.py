"""Problems in the form of HumanEval: code that ends inside a function, its rest, and tests."""

from dataclasses import dataclass

from forgetest.evalset.types import Protocol
from forgetest.importers.problems import declaration, instruction
from forgetest.importers.reading import ItemError
from forgetest.rust.lexer import Ending, Lexed, lex
from forgetest.rust.parse import SOURCE_LIMIT
from forgetest.rust.tests import expected_tests, uncounted
from forgetest.words import count

_INDENT = "    "
_NEWLINES = "\r\n"


@dataclass(frozen=True, slots=True)
class Opened:
    """Code up to the inside of a function, and the code that ends it."""

    opening: str
    rest: str

    @property
    def whole(self) -> str:
        """Return both as one source; ItemError when they do not join."""
        demand_small(self.opening + self.rest, "its solution")
        if lex(self.opening).depth < 1:
            raise ItemError("the prompt does not end inside a function")
        rest = self.rest.strip(_NEWLINES)
        indent = _INDENT if rest[:1].strip() else ""
        joined = f"{self.opening.rstrip()}\n{indent}{rest}\n"
        if problem := unbalanced(joined):
            raise ItemError(f"prompt and canonical_solution do not join: {problem}")
        return joined

    def prompt(self, protocol: Protocol) -> str:
        """Return what the model is shown: the open code, or a request to write all of it.

        ItemError when such a request can not be made.
        """
        if protocol is Protocol.COMPLETION:
            return f"{self.opening.rstrip()}\n"
        declared = declaration(self.opening)
        if declared is None:
            raise ItemError("the prompt does not end in the declaration of a function")
        return instruction(self.opening, declared)


def checked_tests(text: str) -> str:
    """Return a test module flush left; ItemError when it is cut off or holds no test."""
    demand_small(text, "its test file")
    if problem := unbalanced(text):
        raise ItemError(f"its tests are cut off or damaged: {problem}")
    if not expected_tests(text):
        raise ItemError("its tests hold no #[test] function")
    if why := uncounted(text):
        raise ItemError(f"its tests cannot be counted: {why}")
    return text.strip(_NEWLINES) + "\n"


def demand_small(code: str, what: str) -> None:
    """Raise ItemError for code so long that it would not be compiled either."""
    if len(code) > SOURCE_LIMIT:
        raise ItemError(f"{what} is larger than {SOURCE_LIMIT >> 20} MiB")


def unbalanced(code: str) -> str:
    """Return what is wrong with the nesting of some code, nothing when its brackets match."""
    lexed = lex(code)
    if lexed.ending in {Ending.STRING, Ending.BLOCK_COMMENT}:
        return "it ends inside a string or a comment"
    if any(mark.depth < 0 or mark.inner < 0 for mark in lexed.marks):
        return "it closes a bracket that was not opened"
    left = _left_open(lexed)
    return f"{count(left, 'bracket')} never closed" if left else ""


def _left_open(lexed: Lexed) -> int:
    return lexed.marks[-1].depth + lexed.marks[-1].inner if lexed.marks else 0
