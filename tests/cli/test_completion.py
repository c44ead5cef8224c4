"""What Tab offers: the shell asks the program as it asks any that typer makes."""

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from program import Program
from tiny import SET

CONFIG = """
[run]
eval_sets = ["tiny.toml"]
models = ["mine/m"]
[providers.mine]
preset = "vllm"
[variants.terse]
system = "Terse."
"""


def offered(program: Program, line: str) -> list[str]:
    """Return what is offered for the last word of a command line, in order."""
    completion = {
        "_FORGETEST_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = program(**completion)
    assert done.code == 0, done.err
    return done.out.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("forgetest run --sandbox lan", ["landlock"]),
        ("forgetest run --models min", ["mine/m", "mine/"]),
        (
            "forgetest run --model mine/m,ref",
            ["mine/m,reference/solution", "mine/m,reference/stub"],
        ),
        ("forgetest run --case ", ["is-even", "triple"]),
        ("forgetest validate tiny.toml --filter !beg", ["!beginner"]),
        ("forgetest report -f html,cs", ["html,csv"]),
        ("forgetest list-models -p mi", ["mine", "mistral"]),
        ("forgetest show ", ["runs/b", "runs/a"]),
        ("forgetest run --extractor l", ["last"]),
        ("forgetest run --models mine/m@t", ["mine/m@terse"]),
        ("forgetest run --variant ", ["default", "terse"]),
        ("forgetest prompt tri", ["triple"]),
        ("forgetest prompt starter/is-e", ["starter/is-even"]),
    ],
)
def test_the_shell_completes_values(forgetest: Program, line: str, expected: list[str]) -> None:
    tagged = SET.replace('id = "triple"', 'id = "triple"\ntags = ["beginner"]')
    (forgetest.folder / "tiny.toml").write_text(tagged, encoding="utf-8")
    (forgetest.folder / "forgetest.toml").write_text(CONFIG, encoding="utf-8")
    for name in ("a", "b"):
        (forgetest.folder / "runs" / name).mkdir(parents=True)
        (forgetest.folder / "runs" / name / "manifest.json").touch()

    assert offered(forgetest, line) == expected


COMPLETED_BY_BASH = {
    "forgetest run -m mine/m@t": "erse",
    "forgetest run -m mine/m@d": "efault",
    "forgetest run --models=reference/so": "lution",
    "forgetest run -m mine/m,mine/x:8b@t": "erse",
}


def test_bash_completes_what_it_parts_at_signs(forgetest: Program) -> None:
    (forgetest.folder / "forgetest.toml").write_text(
        CONFIG.replace('"mine/m"]', '"mine/m", "mine/x:8b"]'), encoding="utf-8"
    )
    with bash(forgetest) as terminal:
        for line, rest in COMPLETED_BY_BASH.items():
            os.write(terminal, f"{line}\t".encode())
            assert line + rest in until(terminal, line + rest)
            os.write(terminal, CLEAR_LINE)


CLEAR_LINE = b"\x15"


@contextlib.contextmanager
def bash(program: Program) -> Iterator[int]:
    """Yield the terminal of a bash of nobody's own, in which the program completes."""
    ours, theirs = pty.openpty()
    env = program.env(
        TERM="dumb", PS1="$ ", PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    )
    shell = ["bash", "--noprofile", "--norc", "-i"]
    with subprocess.Popen(
        shell,
        cwd=program.folder,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            os.write(ours, b"source <(forgetest --show-completion bash); echo rea''dy\n")
            assert "ready" in until(ours, "ready")
            yield ours
        finally:
            process.kill()
    os.close(ours)


def until(terminal: int, text: str) -> str:
    """Return what comes on the terminal until a text is there, or for too long."""
    seen, deadline = "", time.monotonic() + 20
    while text not in seen and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096).decode(errors="replace").replace("\a", "")
        while "\b" in seen:  # readline writes the end of a word anew
            seen = re.sub(r"[^\x08]?\x08", "", seen, count=1)
    return seen


def test_a_configuration_that_cannot_be_read_offers_less_and_prints_nothing(
    forgetest: Program,
) -> None:
    (forgetest.folder / "forgetest.toml").write_text("[run", encoding="utf-8")

    assert offered(forgetest, "forgetest run --models ref") == [
        "reference/solution",
        "reference/stub",
    ]
