"""Inspect AI: a task for any eval set, and a scorer that grades in forgetest's boxes.

    inspect eval forgetest/rust-basics --model openai/gpt-4o-mini
    inspect eval forgetest/eval-set -T eval_set=mine.toml --model mockllm/model

Inspect finds this file by the entry point `forgetest` of the group `inspect_ai`. Its scores have
the form of `forgetest report --format inspect`.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import cast

from anyio import CapacityLimiter, to_thread

from forgetest.api.result import Result
from forgetest.evalset.shipped import shipped_files
from forgetest.evalset.types import Case
from forgetest.integrations import NotInstalledError
from forgetest.integrations.background import case_of, cases_of, messages, shared_grader
from forgetest.render.formats.inspect import (
    SCORER,
    STOP_REASONS,
    inspect_metadata,
    inspect_score,
)
from forgetest.sampling.completion import Completion, Finish

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        ModelOutput,
    )
    from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
    from inspect_ai.solver import TaskState, generate
except ModuleNotFoundError:
    raise NotInstalledError("Inspect AI", "inspect") from None

_MESSAGES = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_FINISHES = {
    **{reason: finish for finish, reason in STOP_REASONS.items()},
    "model_length": Finish.LENGTH,
}


@task(name="eval-set")
def eval_set(
    eval_set: str = "rust-basics", sandbox: str | None = None, parallelism: int | None = None
) -> Task:
    """Return the task of an eval set: a shipped one, a file or a folder.

    `sandbox` and `parallelism` are those of `forgetest.Grader`. Raises `ForgetestError`.
    """
    cases = cases_of(eval_set)
    (first, *others) = cases.eval_sets
    return Task(
        dataset=MemoryDataset(
            [_sample(case, case.key if others else case.id) for case in cases.values()],
            name=first.id,
        ),
        solver=generate(),
        scorer=rust_scorer(eval_set, sandbox, parallelism),
        version=first.version or 0,
    )


def _sample(case: Case, name: str) -> Sample:
    return Sample(
        id=name,
        input=[_message(**message) for message in messages(case)],
        target=case.reference_solution or "",
        metadata={"case": case.key, **inspect_metadata(case)},
    )


def _message(role: str, content: str) -> ChatMessage:
    return _MESSAGES[role](content=content)


@scorer(name=SCORER, metrics=[accuracy(), stderr()])
def rust_scorer(
    eval_set: str = "rust-basics", sandbox: str | None = None, parallelism: int | None = None
) -> Scorer:
    """Return a scorer of answers to the cases of an eval set: `C` passed, `I` did not.

    The case is the one that the sample's metadata names as `set/case`. What the machine spoils is
    unscored, with the reason.
    """
    cases = cases_of(eval_set)
    grader = shared_grader(sandbox=sandbox, parallelism=parallelism)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect hands it over
        case = case_of(cases, state.metadata.get("case"))
        result = await _awaited(grader.submit(case, _completion(state.output)))
        parts = inspect_score(result.report)
        if result.scored:
            return Score(**parts)
        return Score.unscored(reason="scoring_failed", explanation=parts["explanation"])

    return score


async def _awaited(result: Future[Result]) -> Result:
    """Wait in a thread: Inspect's loop may be trio's."""
    try:
        return await to_thread.run_sync(
            result.result, abandon_on_cancel=True, limiter=CapacityLimiter(1)
        )
    except BaseException:
        result.cancel()
        raise


def _completion(output: ModelOutput) -> Completion:
    return Completion(text=output.completion, finish=_FINISHES.get(output.stop_reason, Finish.STOP))


def _shipped(name: str) -> Callable[..., Task]:
    """Return the task of a shipped eval set, under its name."""

    def shipped(sandbox: str | None = None, parallelism: int | None = None) -> Task:
        return eval_set(name, sandbox, parallelism)

    shipped.__doc__ = f"Return the task of the shipped eval set {name}."
    return cast("Callable[..., Task]", task(name=name)(shipped))


TASKS = {name: _shipped(name) for name in shipped_files()}
