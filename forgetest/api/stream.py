"""A stream of answers: JSON lines in, a line of JSON for each as soon as its verdict is known."""

import itertools
import json
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from forgetest.api.cases import Cases
from forgetest.api.flow import mapped
from forgetest.api.grader import WAITING, Grader
from forgetest.evalset.forms import quoted, suggestion
from forgetest.evalset.types import Case
from forgetest.sampling.replay import names_of, read_row, row_object

LONGEST_LINE = 8 << 20  # bytes: more than any code that is graded


@dataclass(frozen=True, slots=True)
class GradedLine:
    """One line of output, and what it says of the line of input."""

    line: str
    wrong: bool = False  # the input cannot be used
    unscored: bool = False  # the machine failed


async def graded_lines(
    lines: AsyncIterable[bytes], cases: Cases, grader: Grader, *, ordered: bool
) -> AsyncGenerator[GradedLine, None]:
    """Yield a line for each line of input that is not blank, in order or as it is known.

    A line names a case and has a `completion`, or `code`, as recordings do; its `id` comes back,
    and so does its number. A line that cannot be used gets an `error`, and the rest goes on.
    """
    named = _by_name(cases)

    async def graded(index: int, line: bytes) -> GradedLine | None:
        return await _graded(index + 1, line, named, grader) if line.strip() else None

    room = WAITING * grader.parallelism
    async with aclosing(mapped(lines, graded, room=room, ordered=ordered)) as answers:
        async for answer in answers:
            if answer is not None:
                yield answer


def _by_name(cases: Cases) -> dict[str, list[Case]]:
    """Return the cases by all names that rows may have for them."""
    named: dict[str, list[Case]] = {}
    for case in cases.values():
        for name in itertools.chain(*names_of(case)):
            named.setdefault(name, []).append(case)
    return named


async def _graded(
    number: int, line: bytes, named: Mapping[str, Sequence[Case]], grader: Grader
) -> GradedLine:
    try:
        given = _given(line)
        case = _case(given, named)
        code = given.get("code")
        result = (
            await grader.grade(case, code=code)
            if isinstance(code, str)
            else await grader.grade(case, read_row(given).completion)
        )
    except ValueError as error:
        return GradedLine(_json({"line": number, "error": str(error)}), wrong=True)
    echo = {"id": given["id"]} if "id" in given else {}
    answer = {"line": number, **echo, **result.to_dict()}
    del answer["index"]  # of a batch; here the line says which it is
    return GradedLine(_json(answer), unscored=not result.scored)


def _given(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE:,} bytes")
    return row_object(line)


def _case(given: Mapping[str, Any], named: Mapping[str, Sequence[Case]]) -> Case:
    """Return the case that a row means; ValueError where it means none, or several."""
    text = {"completion": ""} if "code" in given else {}
    names = read_row({**given, **text}).names
    meant = next((named[name] for name in names if name in named), ())
    if len(meant) == 1:
        return meant[0]
    if meant:
        keys = ", ".join(case.key for case in meant)
        raise ValueError(f"case {quoted(names[0])} is in several eval sets: {keys}")
    raise ValueError(f"there is no case {quoted(names[0])}{_near(names[0], named)}")


def _near(name: str, named: Mapping[str, Sequence[Case]]) -> str:
    hint = suggestion(name, named)
    return f"; {hint}" if hint else ""


def _json(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)
