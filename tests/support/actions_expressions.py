"""The part of GitHub's expression language that the workflow of examples/ci uses, and no more.

What it does not know is an error, so that a test cannot pass over what it did not understand.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Value = str | bool
_TOKENS = re.compile(r"\s*(?:(==|!=|&&|\|\||[!(),])|'((?:[^']|'')*)'|([A-Za-z_][\w.-]*))")
STATUS = ("always", "cancelled", "success", "failure")


@dataclass(frozen=True)
class Scope:
    """What names and functions mean; `outputs` are missing where a known step set none."""

    names: Mapping[str, Value]
    functions: Mapping[str, Callable[..., Value]]
    steps: frozenset[str] = frozenset()

    def value(self, name: str) -> Value:
        """Return what a name stands for; KeyError when nobody said."""
        if name in self.names:
            return self.names[name]
        step = re.fullmatch(r"steps\.([\w-]+)\.(outputs\.[\w-]+|outcome)", name)
        if step and step[1] in self.steps:
            return ""
        raise KeyError(name)


@dataclass
class _Parser:
    scope: Scope
    tokens: list[tuple[str, str]] = field(default_factory=list)

    def any_of(self) -> Value:
        left = self.all_of()
        while self.takes("||"):
            right = self.all_of()
            left = left or right
        return left

    def all_of(self) -> Value:
        left = self.equal()
        while self.takes("&&"):
            right = self.equal()
            left = left and right
        return left

    def equal(self) -> Value:
        left = self.single()
        for sign in ("==", "!="):
            if self.takes(sign):
                right = self.single()
                assert type(left) is type(right), f"{left!r} {sign} {right!r} would be coerced"
                return (left == right) is (sign == "==")
        return left

    def single(self) -> Value:
        if self.takes("!"):
            return not self.single()
        if self.takes("("):
            value = self.any_of()
            self.wants(")")
            return value
        kind, text = self.tokens.pop(0)
        if kind == "text":
            return text
        if kind == "name" and self.takes("("):
            return self.scope.functions[text](*self.arguments())
        assert kind == "name", text
        return self.scope.value(text)

    def arguments(self) -> list[Value]:
        found = []
        while not self.takes(")"):
            found.append(self.any_of())
            self.takes(",")
        return found

    def takes(self, sign: str) -> bool:
        if self.tokens and self.tokens[0] == ("sign", sign):
            self.tokens.pop(0)
            return True
        return False

    def wants(self, sign: str) -> None:
        assert self.takes(sign), (sign, self.tokens)


def evaluate(expression: str, scope: Scope) -> Value:
    """Return the value of `expression`; AssertionError or KeyError when it is not understood."""
    parser = _Parser(scope, list(_tokens(expression)))
    value = parser.any_of()
    assert not parser.tokens, f"{expression}: {parser.tokens}"
    return value


def _tokens(expression: str) -> list[tuple[str, str]]:
    found, place = [], 0
    text = expression.rstrip()
    while place < len(text):
        match = _TOKENS.match(text, place)
        assert match, f"{expression}: not understood from {text[place:]!r}"
        kind = ("sign", "text", "name")[(match.lastindex or 0) - 1]
        found.append((kind, match[match.lastindex or 0].replace("''", "'")))
        place = match.end()
    return found


def fill(text: object, scope: Scope) -> str:
    """Return `text` with each `${{ }}` replaced by its value, as GitHub writes it."""
    return re.sub(
        r"\$\{\{(.*?)\}\}", lambda match: written(evaluate(match[1], scope)), written(text)
    )


def written(value: object) -> str:
    """Return a value as YAML's or an expression's scalar is written into a string."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def holds(condition: str | None, scope: Scope) -> bool:
    """Say whether a step runs; without a status function it needs success so far."""
    text = (condition or "success()").removeprefix("${{").removesuffix("}}")
    if not re.search(rf"\b({'|'.join(STATUS)})\(", text):
        text = f"success() && ({text})"
    return bool(evaluate(text, scope))
