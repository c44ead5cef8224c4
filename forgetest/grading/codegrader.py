"""The seam around the grader: whoever wants code judged sees no more of it than this."""

from typing import Protocol

from forgetest.evalset.types import Case
from forgetest.grading.verdict import Verdict


class CodeGrader(Protocol):
    """A case and code in, a verdict out."""

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict; raise `Fault` when the machinery fails."""
        ...


class Identified(CodeGrader, Protocol):
    """A grader that tells which grader it is."""

    @property
    def identity(self) -> str:
        """Everything outside case and code that a verdict depends on."""
        ...
