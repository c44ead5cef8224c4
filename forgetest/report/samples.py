"""What report.json says of one sample, and the samples of a case, of which none is held."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, overload

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    SerializerFunctionWrapHandler,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, core_schema

from forgetest.errors import FaultKind
from forgetest.grading.verdict import Level, Outcome, Status, Verdict
from forgetest.sampling.completion import Completion
from forgetest.sampling.variant import unless
from forgetest.value import Value


class RoundReport(Value):
    """One round of a sample that is asked again: what was said, and what came of it."""

    feedback: str | None = Field(
        None, description="What was said of the answer before; null in the first round."
    )
    completion: Completion | None = Field(None, description="The reply.")
    code: str | None = Field(None, description="The code that was taken from it.")
    extraction_rule: str | None = Field(None, description="The rule by which it was taken.")
    outcome: Outcome | None = Field(None, description="The result in one word; null if ungraded.")
    verdict: Verdict | None = Field(None, description="Everything that grading found.")


class SampleReport(Value):
    """Everything about one sample."""

    index: int = Field(description="Number of the sample, from 0.")
    scored: bool = Field(description="Whether it has a verdict.")
    passed: bool | None = Field(None, description="Whether it passes; null for an unscored sample.")
    score: float | None = Field(
        None,
        description="0.4 for compiling, 0.5 for tests, 0.1 for clippy; null if unscored.",
    )
    outcome: Outcome | None = Field(None, description="The result in one word.")
    status: Status | None = Field(None, description="The class that decides how it is scored.")
    fault: str | None = Field(None, description="Why it is unscored, in one line.")
    fault_kind: FaultKind | None = Field(
        None, description="Who failed: the provider, the toolchain, the machine."
    )
    flags: tuple[str, ...] = Field(
        (),
        description="Such as `truncated`, `cached`, `duplicate`, `unsteady`; they change no score.",
    )
    integrity: Level | None = Field(
        None, description="Level of integrity; more in `verdict.integrity`."
    )
    code: str | None = Field(None, description="The code that was taken from the completion.")
    extraction_rule: str | None = Field(None, description="The rule by which it was taken.")
    verdict: Verdict | None = Field(
        None, description="Everything that grading found; null for an unscored sample."
    )
    completion: Completion | None = Field(None, description="The reply; null where none came.")
    rounds: tuple[RoundReport, ...] = unless(
        (), "Every round, in order; left out where the variant has only one."
    )
    scored_round: int | None = unless(
        None, "The round that is scored, from 1; left out where the variant has only one."
    )

    @property
    def completions(self) -> tuple[Completion, ...]:
        """Every reply, of all rounds."""
        replies = [answered.completion for answered in self.rounds] or [self.completion]
        return tuple(reply for reply in replies if reply is not None)


class LazySamples(Sequence[SampleReport]):
    """Samples of a case, each made when it is looked at and not kept, whatever their number."""

    def __init__(
        self,
        count: int,
        make: Callable[[int], SampleReport],
        document: Callable[[int], bytes] | None = None,
    ) -> None:
        """Take what makes a sample by its place, and its JSON where that is there already."""
        self._count, self._make, self._document = count, make, document

    def documents(self) -> Iterator[bytes]:
        """Yield the JSON of each sample."""
        if self._document is not None:
            return map(self._document, range(self._count))
        return (sample.model_dump_json().encode() for sample in self)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> SampleReport: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[SampleReport, ...]: ...

    def __getitem__(self, place: int | slice) -> SampleReport | tuple[SampleReport, ...]:
        numbers = range(self._count)[place]
        return self._make(numbers) if isinstance(numbers, int) else tuple(map(self._make, numbers))

    def __iter__(self) -> Iterator[SampleReport]:
        return map(self._make, range(self._count))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type, tuple[tuple[SampleReport, ...]]]:
        """Travel to other processes whole: the file may not be there."""
        return tuple, (tuple(self),)


class _LazyOrWhole:
    """Lets lazy samples through validation as they are; everything else is a tuple of samples."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        whole = handler.generate_schema(tuple[SampleReport, ...])
        return core_schema.json_or_python_schema(
            json_schema=whole,
            python_schema=core_schema.no_info_wrap_validator_function(cls._validate, whole),
            serialization=core_schema.wrap_serializer_function_ser_schema(
                cls._serialize, schema=whole
            ),
        )

    @staticmethod
    def _validate(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        return value if isinstance(value, LazySamples) else handler(value)

    @staticmethod
    def _serialize(value: Sequence[SampleReport], handler: SerializerFunctionWrapHandler) -> Any:
        return handler(tuple(value))


Samples = Annotated[Sequence[SampleReport], _LazyOrWhole]
