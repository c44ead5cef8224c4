"""Disagreements with plain cargo that are meant; docs/security.md and docs/eval-sets.md say so."""

from honest.differ import Exemption

EXCEPTIONS: tuple[Exemption, ...] = (
    Exemption(
        "tests that nobody can count",
        "a case whose tests only the compiler can name is refused, and no code is graded by it",
        words=("makes tests whose names only the compiler knows",),
    ),
    Exemption(
        "only under test",
        "a sample is a library: what it has under `cfg(test)` alone is not there",
        rewrites=("derived-under-test",),
        words=("E0277", "E0369", "E0382", "E0507", "E0599", "compile_failed"),
    ),
)
