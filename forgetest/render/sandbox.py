"""What held the generated code, in one line: which guarantees were in force, and how firmly."""

from forgetest.manifest import SandboxInfo
from forgetest.sandbox.types import Held

NOT_RECORDED = "not recorded"


def sandbox_line(sandbox: SandboxInfo | None) -> str:
    """Return backend and guarantees, such as `bwrap 0.8.0: read, write enforced; disk absent`."""
    if sandbox is None:
        return NOT_RECORDED
    held = {name: value for name, value in sandbox.guarantees if isinstance(value, Held)}
    groups = [(how, [_word(name) for name in held if held[name] is how]) for how in Held]
    if all(value is Held.ENFORCED for value in held.values()):
        said = "all guarantees enforced"
    else:
        said = "; ".join(f"{', '.join(names)} {how}" for how, names in groups if names)
    return f"{sandbox.backend} {sandbox.version}".strip() + f": {said}"


def _word(name: str) -> str:
    return name.replace("_", " ")
