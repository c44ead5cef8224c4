"""Small eval sets for the tests of `validate --deep`, and what it says of them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from program import Done, Program

HEAD = '[eval_set]\nid = "s"\nname = "S"\n'
DOUBLE = "pub fn double(n: u32) -> u32 { n * 2 }"
DOUBLE_TESTS = """
#[test]
fn two() { assert_eq!(double(2), 4); }
#[test]
fn five() { assert_eq!(double(5), 10); }
"""


def a_case(
    name: str,
    *,
    reference: str | None = DOUBLE,
    tests: str = DOUBLE_TESTS,
    prompt: str = "Write `pub fn double(n: u32) -> u32` that returns twice its argument.",
    more: str = "",
) -> str:
    """Return a case as TOML; `more` are further keys of the case."""
    solution = "" if reference is None else f"reference_solution = '''{reference}'''"
    return f"""
[[cases]]
id = "{name}"
prompt = '''{prompt}'''
{more}
{solution}
[cases.expectations]
test_file = '''{tests}'''
"""


@dataclass(frozen=True)
class Checked:
    """What a deep check printed as JSON, by case."""

    done: Done
    data: dict[str, Any]
    text: str  # the eval set

    def case(self, name: str) -> dict[str, Any]:
        """Return everything about one case."""
        cases = [case for item in self.data["sets"] for case in item["cases"]]
        return next(case for case in cases if case["case"] == f"s/{name}")

    def findings(self, name: str) -> dict[str, str]:
        """Return the messages of a case's findings by `severity kind`."""
        return {
            f"{one['severity']} {one['kind']}": one["message"]
            for one in self.case(name)["findings"]
        }

    def shown(self, name: str, kind: str) -> list[str]:
        """Return the lines of the eval set that a finding shows, read from the file anew."""
        lines = self.text.split("\n")
        finding = next(item for item in self.case(name)["findings"] if item["kind"] == kind)
        rows = finding["excerpt"]["rows"]
        return [lines[row["number"] - 1] for row in rows if row["number"]]


def write(program: Program, *cases: str, head: str = HEAD) -> Path:
    """Write an eval set into the program's folder and return its path."""
    path = program.folder / "s.toml"
    path.write_text(head + "".join(cases), encoding="utf-8")
    return path


def deep(program: Program, *cases: str, head: str = HEAD, args: tuple[str, ...] = ()) -> Checked:
    """Check cases deeply and return what was found."""
    path = write(program, *cases, head=head)
    done = program("validate", "--deep", path, "--format", "json", *args)
    return Checked(done, json.loads(done.out), path.read_text(encoding="utf-8"))
