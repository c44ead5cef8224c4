"""Which code of a reply is not its answer: code that was given, or that the reply calls wrong.

Code with the same tokens as code of the prompt or the context is a quote. The prose right before a
block may also say that the block is the old code, the final code, or optional.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.extract.blocks import Language, layout, runs
from forgetest.rust.lexer import spelled

_LABEL_CHARS = 120  # a longer line is not a label
_LEAD_CHARS = 2000  # of the prose before a block; earlier prose is about something else
_GAP = "\0"
_OLD = re.compile(
    r"^\W*(?:(?:here(?:['’]s| is| was)|this (?:is|was)|the|your|our|my|given|not like this)\b\s*)*"  # noqa: RUF001
    r"(?:\W*(?:before|original|originally|old|broken|buggy|faulty|wrong|incorrect|erroneous"
    r"|problematic|current|existing|given|provided|bad|not like this|instead of)\b)",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"\b(?:fix(?:ed|es)?|correct(?:ed|ion|s)?|after|solution|repair(?:ed|s)?|becomes?|replace"
    r"|instead(?! of)|answer|final|new|revised)\b",
    re.IGNORECASE,
)
_OTHER_WAY = re.compile(
    r"\b(?:alternative(?:ly)?|another (?:way|version|approach|option)|optional(?:ly)?"
    r"|if you (?:prefer|want|like|need|would)|you (?:can|could|may|might) also|could also|or,"
    r"|bonus|extensions?|for (?:example|instance)|example|usage)\b",
    re.IGNORECASE,
)
_WHOLE = (
    r"(?:answer|version|code|solution|implementation|file|program|function|result|crate|module)"
)
_FINAL = re.compile(
    rf"\b(?:final(?:ly)?|corrected|fixed|repaired|revised|amended|updated)\b[\w ,`./-]{{0,30}}"
    rf"(?:\b{_WHOLE}|`?\w+\.rs`?|:|\*\*|$)"
    rf"|\b(?:the )?(?:correct|right|complete|full|whole|entire)\b[\w ,`./-]{{0,20}}\b{_WHOLE}\b"
    r"|\bcorrection\b|\bcorrected\b|\bfinal answer\b"
    r"|\bputting (?:it|this|everything|that) (?:all )?together\b"
    r"|^\W*(?:after|new|now|fixed|better)\b\W*$|^\W*after\b[^.]{0,40}:\W*$",
    re.IGNORECASE,
)
_IS_FINAL = re.compile(r"\bfinal\b", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"(?:^|[.!?:\n]\s{0,4}|[—–-]\s{0,4})\W{0,4}(?:oops|wait|hmm|hold on|no, )\b"
    r"|\b(?:that|this|it|the (?:above|code|first|previous|draft)(?: \w{1,20})?)(?:['’]s| is| was) "  # noqa: RUF001
    r"(?:\w{1,20} ){0,2}(?:wrong|incorrect|not (?:right|correct)|buggy|mistaken)\b"
    r"|\b(?:does not|doesn['’]t|won['’]t|will not|fails to|would not|did not) compile\b"  # noqa: RUF001
    r"|\bI (?:made|see|noticed?|spot(?:ted)?) (?:a|an|the|my) (?:\w{1,20} )?"
    r"(?:mistake|error|bug)\b"
    r"|\blet me (?:fix|correct|redo|rewrite|revise|repair|try again)\b|\bscratch that\b"
    r"|\b(?:above|there) (?:has|is) an? (?:\w{1,20} )?(?:bug|mistake|error)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Given:
    """Code that the model was given, as tokens."""

    sources: tuple[str, ...]

    def holds(self, code: str) -> bool:
        """Tell whether code is the given code or an unbroken part of it, without comments."""
        if not self.sources:
            return False
        quoted = _joined(code)
        return len(quoted) > len(_GAP) and any(quoted in source for source in self.sources)


def given_sources(case: Case, deadline: float) -> tuple[str, ...]:
    """Return the code in a case's prompt and in its context files."""
    return tuple(_sources(case, deadline))


def given(sources: tuple[str, ...]) -> Given:
    """Return the given code in a form to compare with the code of a reply."""
    return Given(tuple(map(_joined, sources)))


def says_old(lead: str) -> bool:
    """Tell whether prose calls the code behind it old or wrong."""
    label = _last_line(lead)
    return len(label) <= _LABEL_CHARS and _OLD.match(label) is not None and not _NEW.search(label)


def says_final(lead: str, earlier: str = "") -> bool:
    """Tell whether prose takes back the code before it, or calls the code behind it the answer.

    `earlier` is the prose before that other code. If that was called final too, nothing is
    corrected.
    """
    if says_old(lead) or says_optional(lead):
        return False
    if _TAKEN_BACK.search(lead[-_LEAD_CHARS:]):
        return True
    was_final = _IS_FINAL.search(_last_line(earlier)) is not None
    return not was_final and _FINAL.search(_last_line(lead)) is not None


def says_optional(lead: str) -> bool:
    """Tell whether prose offers the code behind it as optional."""
    return _OTHER_WAY.search(_last_line(lead)) is not None


def _sources(case: Case, deadline: float) -> Iterator[str]:
    page = layout(case.prompt.encode("utf-8", "replace").decode())
    yield from (block.code for block in page.blocks if block.language is not Language.OTHER)
    yield from runs(page.outside, deadline)
    yield from (file.content for file in case.context)


def _joined(code: str) -> str:
    return _GAP + "".join(f"{token}{_GAP}" for token in spelled(code))


def _last_line(lead: str) -> str:
    """Return the last line that is not blank."""
    lines = reversed(lead[-_LEAD_CHARS:].split("\n"))
    return next((line.strip() for line in lines if line.strip()), "")
