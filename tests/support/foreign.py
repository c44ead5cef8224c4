"""Tiny sources in other tools' formats, written for these tests."""

import gzip
import json
from pathlib import Path
from typing import Any

PROMPT = "/// Return twice the number.\n/// >>> twice(2)\n/// 4\nfn twice(n: isize) -> isize {\n"
TESTS = (
    "}\n\nfn main() {\n    let candidate = twice;\n"
    "    assert_eq!(candidate(2), 4);\n    assert_eq!(candidate(-3), -6);\n}\n"
)
RIGHT, WRONG = "    n * 2", "    n * n"
WHOLE = f"{PROMPT}{RIGHT}\n}}\n"
MODULE = """\
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_1_twice_2_4() {
        assert_eq!(twice(2), 4);
    }

    #[test]
    fn case_2_twice_minus_3_minus_6() {
        assert_eq!(twice(-3), -6);
    }
}
"""


def problem(name: str = "Mini_0_twice", **more: Any) -> dict[str, Any]:
    return {"name": name, "language": "rs", "prompt": PROMPT, "tests": TESTS, **more}


def result(completion: str, status: str) -> dict[str, Any]:
    program = f"{PROMPT}{completion}\n{TESTS}"
    code = 0 if status == "OK" else 1
    return {"program": program, "stdout": "", "stderr": "", "exit_code": code, "status": status}


def row(**more: Any) -> dict[str, Any]:
    return {
        "uid": "mini:0",
        "source": "mini/mini (MIT)",
        "task_id": "Mini/0",
        "model": "tiny-1",
        "protocol": "full-function: program = completion + tests",
        "prompt": PROMPT,
        "completion": WHOLE,
        "tests": TESTS,
        "recorded_verdict": "pass",
        **more,
    }


def logged(name: str = "Mini_0_twice", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "prompt": PROMPT,
        "test": TESTS.removeprefix("}"),
        "entry_point": "twice",
        "solution": WHOLE,
        "is_solved": True,
        **more,
    }


def lines(path: Path, *values: Any) -> Path:
    """Write values as JSON Lines; a string stands for itself."""
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    data = ("\n".join(texts) + "\n").encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def whole(path: Path, value: Any) -> Path:
    """Write one value as a JSON file, over several lines."""
    data = json.dumps(value, indent=2).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
