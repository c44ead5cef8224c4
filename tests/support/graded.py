"""The corpus of graded samples, and what each file expects of its verdict."""

import re

from program import ROOT

CORPUS = sorted((ROOT / "tests" / "corpus" / "grade").glob("*.rs"))


EXPECTATION = re.compile(r"^//@ (\w+): (.*?)\r?$", re.MULTILINE)


def expected(code: str) -> dict[str, str]:
    return dict(EXPECTATION.findall(code))
