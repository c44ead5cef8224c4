"""A stream of answers: JSON lines in, a line of JSON for each as soon as its verdict is known."""

import itertools
import json
from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from forgetest.api.cases import Cases
from forgetest.api.flow import mapped
from forgetest.api.grader import WAITING, Grader
from forgetest.errors import EvalSetError, ForgetestError
from forgetest.evalset.select import CaseNames
from forgetest.evalset.types import Case
from forgetest.sampling.replay import names_of, read_row, row_object

LONGEST_LINE = 8 << 20  # bytes: more than any code that is graded


@dataclass(frozen=True, slots=True)
class GradedLine:
    """One line of output, and what it says of the line of input."""

    line: str
    wrong: bool = False  # the input cannot be used
    unscored: bool = False  # the machine failed


class LineGrader:
    """Grades answers that come as lines of JSON.

    A line names a case and has a `completion`, or `code`, as recordings do; its `id` comes back. A
    line that cannot be used gets an `error`.
    """

    def __init__(self, cases: Cases, grader: Grader) -> None:
        self._names = CaseNames(cases.values(), lambda case: itertools.chain(*names_of(case)))
        self._grader = grader
        self.under_way = 0  # answers that are graded, or wait to be
        self.answered = 0  # of those that could be used
        self.unscored = 0  # of these: the machine failed

    async def grade(self, answer: bytes, *, number: int | None = None) -> GradedLine:
        """Return the line with the verdict, and with the number of the line where it has one."""
        self.under_way += 1
        try:
            graded = await self._graded(answer, {} if number is None else {"line": number})
        finally:
            self.under_way -= 1
        self.answered += not graded.wrong
        self.unscored += graded.unscored
        return graded

    async def grade_lines(
        self, lines: AsyncIterable[bytes], *, ordered: bool
    ) -> AsyncGenerator[GradedLine, None]:
        """Yield a line for each line that is not blank, with its number, in order or as known."""

        async def graded(index: int, line: bytes) -> GradedLine | None:
            return await self.grade(line, number=index + 1) if line.strip() else None

        room = WAITING * self._grader.parallelism
        async with aclosing(mapped(lines, graded, room=room, ordered=ordered)) as answers:
            async for answer in answers:
                if answer is not None:
                    yield answer

    async def _graded(self, answer: bytes, place: Mapping[str, int]) -> GradedLine:
        try:
            given = _given(answer)
            case = _case(given, self._names)
            code = given.get("code")
            result = (
                await self._grader.grade(case, code=code)
                if isinstance(code, str)
                else await self._grader.grade(case, read_row(given).completion)
            )
        except (ValueError, EvalSetError) as error:
            return GradedLine(_json({**place, "error": str(error)}), wrong=True)
        echo = {"id": given["id"]} if "id" in given else {}
        graded = {**place, **echo, **result.to_dict()}
        del graded["index"]  # of a batch; here the line says which it is
        return GradedLine(_json(graded), unscored=not result.scored)


async def split_lines(chunks: AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield the lines of a stream of bytes, and a last one without its newline.

    Of a line that is too long, enough comes to tell that it is.
    """
    buffer = b""
    async for chunk in chunks:
        for number, part in enumerate(chunk.split(b"\n")):
            if number:
                yield buffer
                buffer = b""
            if len(buffer) <= LONGEST_LINE:
                buffer += part
    if buffer:
        yield buffer


def _given(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE:,} bytes")
    return row_object(line)


def _case(given: Mapping[str, Any], names: CaseNames) -> Case:
    """Return the case that a row means; ValueError where it means none, or several."""
    text = {"completion": ""} if "code" in given else {}
    row = read_row({**given, **text})
    try:
        return names.find(*row.names)
    except ForgetestError as error:
        raise ValueError(str(error)) from None


def _json(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)
