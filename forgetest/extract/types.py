"""What is known of the code in a completion: where it was found, or why there is none."""

from enum import StrEnum

from pydantic import Field

from forgetest.value import Value


class Extractor(StrEnum):
    """How the code is picked from the blocks of a reply."""

    DEFINING = "defining"  # by what the blocks define
    FIRST = "first"
    LAST = "last"
    ALL = "all"  # all of them, one after the other


class ExtractionRule(StrEnum):
    """Which rule chose the code."""

    DEFINING = "defining"  # the first block that defines everything wanted
    CORRECTED = "corrected"  # a later block that defines as much, and that the reply calls right
    MERGED = "merged"  # several blocks, each of which defines what the others lack
    MOST = "most"  # the first block that defines the most of what is wanted
    POSSIBLE = "possible"  # a block that may define it: by a macro, or by a file it includes
    FIRST_RUST = "first_rust"  # the first block of Rust; none defines what is wanted
    WHOLE = "whole"  # the whole text is Rust
    TRIMMED = "trimmed"  # the Rust in a text without fences
    UNWRAPPED = "unwrapped"  # the code inside a wrapper: JSON, a tool call, HTML
    FILES = "files"  # several files, each under its path or changed by edits
    PATCHED = "patched"  # the given code with the changes that the reply makes to it
    JOINED = "joined"  # the prompt's own code and its continuation
    FIRST = "first"  # by the extractor's setting, like the next two
    LAST = "last"
    ALL = "all"
    NONE = "none"  # there is no code


class NoCodeReason(StrEnum):
    """Why there is no code."""

    EMPTY = "empty"
    REFUSED = "refused"
    TRUNCATED = "truncated"  # the token limit was reached before the code
    NO_CODE = "no_code"


class Extraction(Value):
    """The code of a completion, how it was found, or why there is none."""

    code: str | None
    rule: ExtractionRule
    blocks: int  # fenced blocks in the reply that are not empty
    reason: NoCodeReason | None = None
    limited: bool = False  # because of a limit, some of the reply was not parsed
    detail: str = Field(default="", exclude_if=lambda text: not text)  # what is wrong with files
