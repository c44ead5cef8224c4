"""TRL: the prompts of an eval set as a data set, and their rewards as GRPOTrainer asks for them.

    trainer = GRPOTrainer(
        model="Qwen/Qwen2.5-Coder-0.5B-Instruct",
        reward_funcs=forgetest.trl.reward("rust-basics"),
        train_dataset=forgetest.trl.dataset("rust-basics"),
    )

Every trainer that calls `reward(prompts=..., completions=..., **columns)` can use it; TRL itself is
not imported.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forgetest.api.grader import Pair
from forgetest.api.result import Result, Weights
from forgetest.errors import ConfigError
from forgetest.integrations import NotInstalledError
from forgetest.integrations.background import case_of, cases_of, messages, shared_grader

if TYPE_CHECKING:
    from datasets import Dataset

Message = Mapping[str, Any]


class RustReward:
    """The rewards of completions, 0 to 1, and None where the machine failed.

    The column `case` of the data set says which case each completion is an answer to. TRL leaves a
    completion without a reward out of its group's baseline, and learns nothing from it. It can be
    pickled, and called by any thread and process.
    """

    __name__ = "rust"  # of the reward in TRL's logs

    def __init__(
        self,
        *eval_sets: str,
        weights: tuple[float, float, float] = Weights(),
        cheated: float = 0.0,
        **options: Any,
    ) -> None:
        self._eval_sets = eval_sets
        self._weights = weights
        self._cheated = cheated
        self._options = options
        cases_of(*eval_sets)  # mistakes are found before anything is trained

    def __call__(
        self, completions: Sequence[str | Sequence[Message]], **columns: Any
    ) -> list[float | None]:
        """Return the reward of each completion: a text, or the messages of a chat."""
        pairs = self._pairs(completions, columns)
        return self._rewards(shared_grader(**self._options).grade_many(pairs), columns)

    def _pairs(
        self, completions: Sequence[str | Sequence[Message]], columns: Mapping[str, Any]
    ) -> list[Pair]:
        if "case" not in columns:
            raise ConfigError(
                "the data set has no column `case`: take forgetest.trl.dataset, or name the case "
                "of each row as set/case"
            )
        cases = cases_of(*self._eval_sets)
        return [
            (case_of(cases, key), reply_of(completion))
            for key, completion in zip(columns["case"], completions, strict=True)
        ]

    def _rewards(self, results: Sequence[Result], columns: Mapping[str, Any]) -> list[float | None]:
        _log(results, columns)
        return [result.reward(weights=self._weights, cheated=self._cheated) for result in results]


class AsyncRustReward(RustReward):
    """The same for trainers that await their rewards together."""

    async def __call__(  # type: ignore[override] # that is the point
        self, completions: Sequence[str | Sequence[Message]], **columns: Any
    ) -> list[float | None]:
        """Return the reward of each completion: a text, or the messages of a chat."""
        pairs = self._pairs(completions, columns)
        return self._rewards(await shared_grader(**self._options).grade_all(pairs), columns)


def _log(results: Sequence[Result], columns: Mapping[str, Any]) -> None:
    """Tell the trainer what became of the completions, where it listens."""
    if "log_extra" in columns:
        columns["log_extra"]("outcome", [str(result.outcome or "unscored") for result in results])
    if "log_metric" in columns and results:
        scored = [result for result in results if result.scored]
        columns["log_metric"]("rust/unscored", 1 - len(scored) / len(results))
        for outcome, count in Counter(str(result.outcome) for result in scored).items():
            columns["log_metric"](f"rust/{outcome}", count / len(scored))


def reply_of(completion: str | Sequence[Message]) -> str:
    """Return the reply of a completion: the text, or what the assistant says last."""
    if isinstance(completion, str):
        return completion
    said = [message for message in completion if message.get("role", "assistant") == "assistant"]
    content = said[-1].get("content") if said else None
    if isinstance(content, str) or content is None:
        return content or ""
    return "".join(part.get("text", "") for part in content)


def reward(*eval_sets: str, **options: Any) -> RustReward:
    """Return the reward function of eval sets, shipped ones by name, or files and folders.

    `weights` and `cheated` are those of `Result.reward`; other `options` are those of `Grader`.
    Raises `ForgetestError`.
    """
    return RustReward(*eval_sets, **options)


def async_reward(*eval_sets: str, **options: Any) -> AsyncRustReward:
    """Return the same as a coroutine function."""
    return AsyncRustReward(*eval_sets, **options)


def rows(*eval_sets: str) -> list[dict[str, Any]]:
    """Return a row for each case: `prompt`, a chat, and `case`, its name as `set/case`."""
    return [{"prompt": messages(case), "case": case.key} for case in cases_of(*eval_sets).values()]


def dataset(*eval_sets: str) -> "Dataset":
    """Return the rows as a Hugging Face data set, for training and for evaluation."""
    try:
        from datasets import Dataset  # noqa: PLC0415 - the reward does without
    except ModuleNotFoundError:
        raise NotInstalledError("datasets", "trl") from None
    return Dataset.from_list(rows(*eval_sets))
