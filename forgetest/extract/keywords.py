"""How lines of Rust items begin: a first guess at code among prose, to be confirmed by parsing."""

import re
from collections.abc import Iterator

_ABI = r"extern(?:[ \t]*\"[^\"\n]*\")?"
_QUALIFIERS = rf"(?:pub(?:\([^()\n]*\))?[ \t]+)?(?:(?:default|const|async|unsafe|{_ABI})[ \t]+)*"
_FUNCTION = rf"{_QUALIFIERS}fn[ \t]+(?:r\#)?\w+\s*[<(]"
_ITEM = (
    rf"{_QUALIFIERS}(?:(?:fn|struct|enum|union|trait|mod|type|static|use)[ \t]+[\w:{{]|impl[ \t<])"
    rf"|(?:pub(?:\([^()\n]*\))?[ \t]+)?const[ \t]+\w+[ \t]*:"
    rf"|extern[ \t]+(?:crate[ \t]|\"|\{{)"
    r"|macro_rules![ \t]*\w|\#!?\["
)
# Macros that stand where an expression does; a call of any other may make items.
_EXPRESSIONS = (
    "(?:debug_)?assert(?:_eq|_ne)?|e?print(?:ln)?|dbg|panic|todo|unimplemented|unreachable|vec|format"
    "|format_args|write(?:ln)?|matches|concat|stringify|env|option_env|line|column|file|module_path"
)
_CALL = rf"(?!(?:{_EXPRESSIONS})!)[a-z_]\w*(?:::\w+)*!(?:[ \t]*(?:(?!for\b)\w+[ \t]*)?\{{|[(\[])"
_STARTS_ITEM = re.compile(rf"\s*(?:{_ITEM})")
_STARTS_CODE = re.compile(rf"\s*(?:{_ITEM}|{_CALL}|//|/\*)")
_IS_EXPRESSION = re.compile(_EXPRESSIONS)
_ITEM_LINE = re.compile(rf"^[ \t]*(?:{_ITEM}|{_CALL}|//|/\*)", re.MULTILINE)
_BEFORE = r"(?:\s*+(?://[^\n]*+\n|\#!?\[[^\n]*+\n))*+\s*+"
_BRACED = rf"{_QUALIFIERS}(?:(?:struct|enum|trait|mod)[ \t]+\w|impl[ \t<])[^;{{}}]*{{"
_HEADER = re.compile(rf"{_BEFORE}(?:{_FUNCTION}|{_BRACED})")


def starts_item(text: str) -> bool:
    """Tell whether `text` begins the way an item or an attribute does."""
    return _STARTS_ITEM.match(text) is not None


def starts_code(text: str) -> bool:
    """Tell whether `text` begins the way a file does: by an item, a macro call or a comment."""
    return _STARTS_CODE.match(text) is not None


def is_expression_macro(name: str) -> bool:
    """Tell whether a macro of the standard library gives a value, and never an item."""
    return _IS_EXPRESSION.fullmatch(name) is not None


def has_item_header(text: str, at: int = 0) -> bool:
    """Tell whether a function or a braced item begins at `at`, behind comments and attributes."""
    return _HEADER.match(text, at) is not None


def item_lines(text: str) -> Iterator[int]:
    """Yield the offsets of the lines that begin the way an item, attribute or comment does."""
    return (match.start() for match in _ITEM_LINE.finditer(text))
