"""What a single string of an eval set must look like, and the error message that says so.

A check returns the text unchanged, or raises ValueError with the rest of a message that begins
with the key. Keys are declared with the types below the checks, such as `Title` and `RustName`.
Rules across several keys are in `load`.
"""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    Strict,
    ValidationInfo,
    WithJsonSchema,
)

from forgetest.rust.joined import LIBRARY

MAX_SHOWN = 100  # characters of a wrong value that a message repeats
MAX_ID = 100  # ids become file names, with others next to them
MAX_PATH = 200
_MOST = 20  # names that a message lists
MAX_REQUIREMENTS = 32  # cargo refuses more in one version
EDITIONS = ("2015", "2018", "2021", "2024")

ID_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9._-]*$"
CRATE_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]*$"
FEATURE_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_+.-]*$"
ERROR_CODE_PATTERN = r"^E[0-9]{4}$"
LINT_PATTERN = r"^clippy::[a-z][a-z0-9_]*$"
TEST_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
ANSWER_PATTERN = r"^src/[A-Za-z0-9_/-]+\.rs$"

_RUST_PATH = re.compile(r"(r#)?[^\W\d]\w*(::(r#)?[^\W\d]\w*)*")
_NUMBER = r"(?:0|[1-9][0-9]{0,18})"
_PRE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD = r"[0-9A-Za-z-]+"
_PATCH = rf"{_NUMBER}(?:-{_PRE}(?:\.{_PRE})*)?(?:\+{_BUILD}(?:\.{_BUILD})*)?"
_PARTIAL = rf"{_NUMBER}(?:\.[*xX](?:\.[*xX])?|\.{_NUMBER}(?:\.(?:[*xX]|{_PATCH}))?)?"
_REQUIREMENT = re.compile(rf" *(?:=|>=?|<=?|~|\^)? *{_PARTIAL} *")
_LINT_GROUPS = (
    *("all", "cargo", "complexity", "correctness", "nursery", "pedantic", "perf", "restriction"),
    *("style", "suspicious"),
)
_OWN_FILES = ("cargo.toml", "cargo.lock", "build.rs", "clippy.toml", "src/lib.rs", "src/main.rs")
_OWN_FOLDERS = ("target", "tests", "benches", "examples", "src/bin")


def quoted(text: str) -> str:
    """Return the text in quotes on one line, cut when long, nothing in it invisible."""
    head = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
    shown = "".join(char if char.isprintable() else _escape(char) for char in head)
    return f'"{shown}"'


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def listed(words: Iterable[str]) -> str:
    """Return the words in quotes, with commas between them."""
    return ", ".join(map(quoted, words))


def some(names: Iterable[str]) -> str:
    """Return the first names in quotes, sorted, and how many more there are."""
    every = sorted(set(names))
    more = len(every) - _MOST
    return (listed(every[:_MOST]) or "none") + (f" and {more} more" if more > 0 else "")


def suggestion(name: str, known: Iterable[str], *, most: int = 3) -> str:
    """Return `did you mean "x"?` with the names that are close; empty when none is."""
    close = get_close_matches(name, sorted(set(known)), n=most, cutoff=0.6)
    return f"did you mean {' or '.join(map(quoted, close))}?" if close else ""


def choices(name: str, known: Iterable[str]) -> str:
    """Return `did you mean "x"?` for a name that is close to one, else `choose a, b`."""
    names = list(known)
    return suggestion(name, names, most=1) or f"choose {', '.join(names)}"


def filled(text: str) -> str:
    """Refuse an empty text and one of white space alone."""
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def single_line(text: str) -> str:
    """Refuse what does not fit into one cell of a table."""
    if not filled(text).isprintable():
        raise ValueError("must be one line without control or invisible characters")
    return text


def identifier(text: str) -> str:
    """Refuse an id that is not a safe file name, or that breaks `set/case` and journal keys."""
    filled(text)
    if not re.fullmatch(ID_PATTERN, text):
        raise ValueError(
            "may hold only the letters a to z and A to Z, digits, `-`, `_` and `.`, "
            "and must begin with a letter, a digit or `_`"
        )
    if len(text) > MAX_ID:
        raise ValueError(f"must not be longer than {MAX_ID} characters")
    return text


def tag(text: str) -> str:
    """Refuse a tag that `--filter` cannot select."""
    single_line(text)
    if text != text.strip() or "," in text or text.startswith("!"):
        raise ValueError(
            f"is {quoted(text)}, which --filter cannot select; "
            "remove commas, a leading `!` and spaces at either end"
        )
    return text


def supported_language(text: str) -> str:
    """Refuse every language but Rust."""
    if text != "rust":
        raise ValueError(f'must be "rust", got {quoted(text)}; only rust can be graded')
    return text


def edition(text: str) -> str:
    """Refuse what is not an edition of Rust."""
    if text not in EDITIONS:
        raise ValueError(f"must be one of {listed(EDITIONS)}, got {quoted(text)}")
    return text


def crate_name(text: str) -> str:
    """Refuse a name that no crate of the registry can have."""
    if not re.fullmatch(CRATE_PATTERN, text):
        raise ValueError(
            f"must be a crate name, got {quoted(text)}; "
            "use letters, digits, `-` and `_`, starting with a letter"
        )
    return text


def crate_key(name: str) -> str:
    """Return what two spellings of one crate's name share: cargo takes `-` and `_` for the same."""
    return name.replace("-", "_").lower()


def version_requirement(text: str) -> str:
    """Refuse what cargo refuses as a version requirement."""
    if text.strip(" ") in ("*", "x", "X"):
        return text
    parts = text.split(",")
    if len(parts) > MAX_REQUIREMENTS or not all(map(_REQUIREMENT.fullmatch, parts)):
        raise ValueError(
            f'must be a cargo version requirement such as "1" or ">=1.2, <2", got {quoted(text)}'
        )
    return text


def feature(text: str) -> str:
    """Refuse a feature that cargo would refuse for a dependency."""
    if not re.fullmatch(FEATURE_PATTERN, text):
        raise ValueError(f'must be a feature name such as "full", got {quoted(text)}')
    return text


def rust_name(text: str) -> str:
    """Refuse what is not the bare name of an item."""
    if not _RUST_PATH.fullmatch(text):
        raise ValueError(
            f'must be a bare name such as "parse" or "Stack::push", got {quoted(text)}'
        )
    return text


def error_code(text: str) -> str:
    """Refuse what is not the code of a rustc error."""
    if not re.fullmatch(ERROR_CODE_PATTERN, text):
        raise ValueError(f'must be a rustc error code such as "E0382", got {quoted(text)}')
    return text


def listed_codes(value: Any) -> Any:
    """Return one code as a list of it, anything but an empty list as it is."""
    if value == []:
        raise ValueError("must name at least one rustc error code")
    return [value] if isinstance(value, str) else value


def test_name(text: str) -> str:
    """Refuse a name that no test function could have."""
    if len(text) > MAX_ID or not re.fullmatch(TEST_PATTERN, text):
        raise ValueError(
            f"must be a name like a test function's, such as two_handles_at_once, "
            f"got {quoted(text)}"
        )
    return text


def lint_name(text: str) -> str:
    """Refuse what is not the name of one clippy lint."""
    if not re.fullmatch(LINT_PATTERN, text):
        raise ValueError(
            f'must be a clippy lint such as "clippy::too_many_arguments", got {quoted(text)}'
        )
    if text.removeprefix("clippy::") in _LINT_GROUPS:
        raise ValueError(f"is {quoted(text)}, a group of lints; name each lint that is allowed")
    return text


def context_path(text: str) -> str:
    """Refuse a path that leaves the crate, hides something, or changes how the crate is built."""
    _inside(text, "the crate")
    if is_own(text):
        raise ValueError(
            f"must not be {quoted(text)}: forgetest or cargo puts its own files there; "
            'use another, such as "src/types.rs" or "data/input.txt"'
        )
    return text


def given_path(text: str) -> str:
    """Refuse what `context_path` refuses, but for the root of the crate that an answer changes."""
    return text if text == LIBRARY else context_path(text)


def answer_path(text: str) -> str:
    """Refuse what is not a Rust file of the library."""
    if text != LIBRARY and (not re.fullmatch(ANSWER_PATTERN, text) or is_own(text)):
        raise ValueError(
            f'must be a Rust file of the library such as "src/parser.rs", got {quoted(text)}'
        )
    return _inside(text, "the crate")


def folder_path(text: str) -> str:
    """Refuse the path of a folder that leaves the eval set's."""
    return _inside(text, "the folder of the eval set")


def _inside(text: str, where: str) -> str:
    """Refuse a path that leaves its place, or means another on some systems."""
    filled(text)
    if not text.isprintable():
        raise ValueError("must not hold control or invisible characters")
    parts = text.split("/")
    if "\\" in text or ":" in text or any(part in ("", ".", "..") for part in parts):
        raise ValueError(
            f"must be a relative path inside {where}, written with `/` and without `..`, "
            f"got {quoted(text)}"
        )
    if len(text.encode()) > MAX_PATH or any(part != part.strip(" .") for part in parts):
        raise ValueError(
            f"must be at most {MAX_PATH} bytes long, and no name in it may begin or end "
            f"with a dot or a space, got {quoted(text)}"
        )
    return text


def clashes(path: str, other: str) -> bool:
    """Tell whether two files cannot both be written: on some system, one is the other's folder."""
    first, second = path.casefold(), other.casefold()
    return first == second or first.startswith(f"{second}/") or second.startswith(f"{first}/")


def is_own(path: str) -> bool:
    """Tell whether cargo or forgetest itself writes the path, on any file system."""
    folded = path.casefold()
    taken = (*_OWN_FILES, *_OWN_FOLDERS)
    return folded in taken or folded.startswith((*(f"{name}/" for name in taken), "rust-toolchain"))


DAY_SECS = 86_400
FROM_TOML: Final = "forms are checked"  # the validation context of a reader of TOML

_NOT_BLANK = {"pattern": r"\S"}

# TOML arrays arrive as lists and words as strings; tuples and enums must take them in strict mode.
LAX = Strict(strict=False)


def _form(check: Callable[[str], str]) -> AfterValidator:
    """Run a check on what people write, but not on a run folder.

    A folder of an older version may hold what the rules of today refuse; it stays readable.
    """

    def check_toml(text: str, info: ValidationInfo) -> str:
        return check(text) if info.context == FROM_TOML else text

    return AfterValidator(check_toml)


Text = Annotated[str, _form(filled), Field(json_schema_extra=_NOT_BLANK)]
Title = Annotated[str, _form(single_line), Field(json_schema_extra=_NOT_BLANK)]
Identifier = Annotated[
    str, _form(identifier), Field(json_schema_extra={"pattern": ID_PATTERN, "maxLength": MAX_ID})
]
Tag = Annotated[str, _form(tag), Field(json_schema_extra=_NOT_BLANK)]
Language = Annotated[str, _form(supported_language), Field(json_schema_extra={"enum": ["rust"]})]
Edition = Annotated[str, _form(edition), Field(json_schema_extra={"enum": list(EDITIONS)})]
CrateName = Annotated[str, _form(crate_name), Field(json_schema_extra={"pattern": CRATE_PATTERN})]
VersionRequirement = Annotated[str, _form(version_requirement), Field(json_schema_extra=_NOT_BLANK)]
Feature = Annotated[str, _form(feature), Field(json_schema_extra={"pattern": FEATURE_PATTERN})]
RustName = Annotated[str, _form(rust_name), Field(json_schema_extra=_NOT_BLANK)]
ErrorCode = Annotated[
    str, _form(error_code), Field(json_schema_extra={"pattern": ERROR_CODE_PATTERN})
]
ErrorCodes = Annotated[
    tuple[ErrorCode, ...],
    Strict(strict=False),
    BeforeValidator(listed_codes),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": ERROR_CODE_PATTERN},
                {
                    "type": "array",
                    "items": {"type": "string", "pattern": ERROR_CODE_PATTERN},
                    "minItems": 1,
                },
            ]
        }
    ),
]
TestName = Annotated[
    str, _form(test_name), Field(json_schema_extra={"pattern": TEST_PATTERN, "maxLength": MAX_ID})
]
LintName = Annotated[str, _form(lint_name), Field(json_schema_extra={"pattern": LINT_PATTERN})]
ContextPath = Annotated[
    str, _form(given_path), Field(json_schema_extra={**_NOT_BLANK, "maxLength": MAX_PATH})
]
AnswerPath = Annotated[
    str,
    _form(answer_path),
    Field(json_schema_extra={"pattern": ANSWER_PATTERN, "maxLength": MAX_PATH}),
]
FolderPath = Annotated[
    str, _form(folder_path), Field(json_schema_extra={**_NOT_BLANK, "maxLength": MAX_PATH})
]
Seconds = Annotated[float, Field(gt=0, le=DAY_SECS)]
SchemaAddress = Annotated[
    str | None,
    Field(
        alias="$schema",
        description=(
            "The address of this schema, for editors. A first line `#:schema ADDRESS` says the "
            "same."
        ),
        examples=["./schema.json"],
    ),
]
