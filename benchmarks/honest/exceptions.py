"""Disagreements with plain cargo that are meant; docs/security.md and docs/eval-sets.md say so."""

from honest.differ import Exemption

EXCEPTIONS: tuple[Exemption, ...] = ()
