"""A terminal for the program: somebody who reads, and answers what is asked."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Sequence

from program import Done, Program

ANSWER_WITHIN_SECS = 20


def typed(program: Program, arguments: Sequence[str], answers: Sequence[tuple[str, str]]) -> Done:
    """Run a command whose input and errors are a terminal; answer each question once it is there.

    `answers` are pairs: a text that appears, and what is typed then.
    """
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        program.argv(*arguments),
        cwd=program.folder,
        env=program.env(),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    ) as process:
        os.close(theirs)
        seen = ""
        for question, answer in answers:
            seen = _read_until(ours, question, seen)
            os.write(ours, f"{answer}\n".encode())
        seen = _read_until(ours, None, seen)
        try:
            out, _ = process.communicate(timeout=ANSWER_WITHIN_SECS)
        except subprocess.TimeoutExpired:
            process.kill()  # it waits for an answer that nobody gives
            raise
    os.close(ours)
    return Done(process.returncode, out, seen.replace("\r\n", "\n"))


def _read_until(terminal: int, text: str | None, seen: str) -> str:
    """Return what is on the terminal once the text has appeared anew, or nothing more comes."""
    start, deadline = len(seen), time.monotonic() + ANSWER_WITHIN_SECS
    while time.monotonic() < deadline and (text is None or text not in seen[start:]):
        try:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            part = os.read(terminal, 4096)
        except OSError:  # the program has left its terminal
            break
        if not part:
            break
        seen += part.decode()
    return seen
