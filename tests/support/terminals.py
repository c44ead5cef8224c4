"""The program on a terminal: what it writes where somebody looks."""

import os
import pty
import subprocess

from program import Program


def on_a_terminal(program: Program, *arguments: str, **environ: str) -> bytes:
    """Return what the program writes to a terminal that knows colours."""
    ours, theirs = pty.openpty()
    env = {**program.env(**environ), "TERM": "xterm-256color"}
    if "NO_COLOR" not in environ:
        del env["NO_COLOR"]
    with subprocess.Popen(
        program.argv(*arguments), cwd=program.folder, env=env, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        parts = []
        while part := _read(ours):
            parts.append(part)
    os.close(ours)
    return b"".join(parts)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""
