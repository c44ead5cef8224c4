"""The code of docs/integrations.md, and how it is run in the environment of a tool.

`make integrations` installs each tool into an environment of its own and runs its tests there.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from program import ROOT
from tiny import RIGHT, SET

PAGE = (ROOT / "docs/integrations.md").read_text("utf-8")
TRIPLE = f"```rust\n{RIGHT['triple']}\n```"


def page_code(heading: str, language: str) -> str:
    """Return the one block of a section in a language."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    return str(block)


def run_tool(folder: Path, *argv: str, **environ: str) -> str:
    """Return what a program of this environment prints on both streams; it must end well."""
    (folder / "mine.toml").write_text(SET, encoding="utf-8")
    own = Path(sys.executable).parent
    done = subprocess.run(
        argv,
        cwd=folder,
        env={**os.environ, "PATH": f"{own}:{os.environ['PATH']}", "COLUMNS": "100", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


# The machine fails on it.
LOST = """
[[cases]]
id = "lost"
name = "Lost"
prompt = "Write nothing."
dependencies = [{ name = "no-such-crate-of-anybody", version = "1" }]
[cases.expectations]
expected_functions = ["triple"]
test_file = "#[test]\\nfn two() { assert_eq!(triple(2), 6); }"
"""
