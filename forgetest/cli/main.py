"""The entry point. It listens for signals before anything large is loaded."""

import gc
import os
import sys
from functools import partial

from forgetest.cli.interrupts import INTERRUPTS

# Loading makes hundreds of thousands of objects and no garbage: at Python's 700, looking for some
# is a fifth of the start.
_ALLOCATIONS = 20_000
_INTERRUPTED = 130  # as in errors.ExitCode, which is not loaded yet


def main() -> None:
    """Run the program and leave with its exit code."""
    try:
        INTERRUPTS.listen()
        gc.set_threshold(_ALLOCATIONS)
        from forgetest.cli.boundary import run_to_exit_code
        from forgetest.cli.streams import guard_streams

        guard_streams()
        code = run_to_exit_code(_commands)
    except BaseException:
        if not INTERRUPTS.heard:
            raise
        code = _INTERRUPTED  # loading a module may have turned the interrupt into another error
    sys.exit(code)


def _commands() -> object:
    from forgetest.cli.commands import app
    from forgetest.cli.completion import SHELL, complete

    program = partial(app, prog_name="forgetest", standalone_mode=False)
    return complete(program, os.environ) if SHELL in os.environ else program()
