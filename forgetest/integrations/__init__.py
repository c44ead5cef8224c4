"""Inside the tools people have: cases go in as their data, verdicts come out as their scores.

One file a tool, named after it, and none of them is loaded before it is asked for: `inspect`,
`trl`, `verifiers`, `lm_eval`. All grade through `background`, whose grader has a thread of its own,
because each of these tools calls from a loop, a thread or a process of its own making.

    import forgetest

    forgetest.trl.reward("rust-basics")
"""

from forgetest.errors import ForgetestError


class NotInstalledError(ForgetestError, ImportError):
    """The tool is not installed; says what to install."""

    def __init__(self, tool: str, extra: str) -> None:
        super().__init__(f"{tool} is not installed: pip install 'forgetest[{extra}]'")
