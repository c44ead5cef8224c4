"""Without a tool, its part of the package says what to install, and the rest never looks for it."""

import subprocess
import sys

SCRIPT = """
import sys
for name in ("inspect_ai", "verifiers", "verifiers.v1", "datasets"):
    sys.modules[name] = None  # as if it were not installed
import forgetest
from forgetest import Grader
assert not [name for name in sys.modules if name.startswith("forgetest.integrations")]
for use in (
    lambda: forgetest.inspect,
    lambda: forgetest.trl.dataset("starter"),
    lambda: forgetest.verifiers,
    lambda: forgetest.lm_eval.documents("starter"),
):
    try:
        use()
    except forgetest.ForgetestError as error:
        print(error)
"""


def test_a_tool_that_is_not_installed_is_named_in_one_line() -> None:
    argv = [sys.executable, "-c", SCRIPT]

    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "Inspect AI is not installed: pip install 'forgetest[inspect]'",
        "datasets is not installed: pip install 'forgetest[trl]'",
        "verifiers is not installed: pip install 'forgetest[verifiers]'",
        "lm_eval is not installed: pip install 'forgetest[lm-eval]'",
    ]
