"""The contract of everything that gives completions: a model server, a recording, a reference."""

from typing import Protocol

from forgetest.completion import Completion
from forgetest.evalset.types import Case
from forgetest.plan import Sample, Sampling
from forgetest.value import Value


class Prompt(Value):
    """What the model is told about one case."""

    system: str
    user: str


class Draw(Value):
    """One request for one completion, before any wire protocol."""

    sample: Sample
    case: Case
    prompt: Prompt
    sampling: Sampling  # already resolved for this sample: its own seed, its own token limit


class Source(Protocol):
    """Gives completions for one model."""

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once."""
        ...

    async def complete(self, draw: Draw) -> Completion:
        """Return the completion; raise `Fault` when the machinery fails.

        After a final fault every later call raises it again, and nobody is asked.
        """
        ...
