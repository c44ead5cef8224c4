"""The base of every value that crosses a file or the wire: frozen, and strict about its keys."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen pydantic model that refuses unknown keys, NaN and infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
