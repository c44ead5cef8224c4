"""What a sandbox promises about the code that runs in it, as reports state it."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from forgetest.sandbox.backends import REQUESTS
from forgetest.value import Value


def _requestable(name: str) -> str:
    if name not in REQUESTS:
        known = f"{', '.join(REQUESTS[:-1])} or {REQUESTS[-1]}"
        message = f"must be {known}, not {name}"
        raise PydanticCustomError("sandbox_name", "{message}", {"message": message})
    return name


Requested = Annotated[  # what a user may ask for
    str, AfterValidator(_requestable), Field(json_schema_extra={"enum": list(REQUESTS)})
]


class Held(StrEnum):
    """How far a guarantee holds against code that tries to break it."""

    ENFORCED = "enforced"
    BEST_EFFORT = "best effort"
    ABSENT = "absent"


class Guarantees(Value):
    """What a running test is kept from; `notes` say why one is not enforced, and what else holds.

    They are about the box that tests run in. Compilers run in one, too; there `memory`,
    `processes` and `disk` are limited for each process and file, not for all together.
    """

    read: Held = Field(
        description="Reading other files, and memory or environment of other processes."
    )
    write: Held = Field(description="Writing outside its scratch folder.")
    network: Held = Field(description="Opening network connections.")
    environment: Held = Field(description="Seeing environment variables that it was not given.")
    process_tree: Held = Field(description="Signalling other processes, or leaving any behind.")
    memory: Held = Field(description="Using more memory than its limit.")
    processes: Held = Field(description="Starting processes, or more threads than its limit.")
    disk: Held = Field(description="Writing more bytes than its limit.")
    output: Held = Field(description="Printing more bytes than its limit.")
    time: Held = Field(description="Running longer than its limits of clock and CPU time.")
    notes: tuple[str, ...] = Field(
        (), description="Why a guarantee is not enforced, and what else holds."
    )

    @classmethod
    def enforced(cls, *notes: str, **weaker: Held) -> Self:
        """Return guarantees that all are enforced, but those that are named."""
        names = cls.model_fields.keys() - {"notes"}
        return cls.model_validate({**dict.fromkeys(names, Held.ENFORCED), **weaker, "notes": notes})
