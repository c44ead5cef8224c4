"""lm-evaluation-harness: eval sets as tasks, graded in forgetest's boxes.

    tasks=$(python -m forgetest.integrations.lm_eval)
    lm_eval --include_path "$tasks" --tasks forgetest --metadata '{"eval_set": "rust-basics"}'

The harness finds tasks as YAML files; `lm_eval_tasks/forgetest.yaml` names the functions of this
file. Nothing of lm_eval is imported here.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forgetest.integrations import NotInstalledError
from forgetest.integrations.background import case_of, cases_of, messages, shared_grader

if TYPE_CHECKING:
    from datasets import DatasetDict

Doc = Mapping[str, Any]
Graded = Mapping[str, Any]

TASKS = Path(__file__).with_name("lm_eval_tasks")


def documents(eval_set: str = "rust-basics", **_: Any) -> "DatasetDict":
    """Return the cases of an eval set as the split `test`; raises `ForgetestError`."""
    try:
        from datasets import Dataset, DatasetDict  # noqa: PLC0415 - grading does without
    except ModuleNotFoundError:
        raise NotInstalledError("lm_eval", "lm-eval") from None
    docs = [
        {
            "eval_set": eval_set,
            "case": case.key,
            "question": "\n\n".join(message["content"] for message in messages(case)),
            "reference_solution": case.reference_solution or "",
        }
        for case in cases_of(eval_set).values()
    ]
    return DatasetDict(test=Dataset.from_list(docs))


def graded(replies: Iterable[Sequence[str]], docs: Iterable[Doc]) -> list[list[Graded]]:
    """Return what grading every reply to every document gives, as the JSON of a result.

    It is a filter, because a filter sees all replies at once: they are graded together.
    """
    asked = [(doc, list(texts)) for doc, texts in zip(docs, replies, strict=True)]
    results = iter(
        shared_grader().grade_many(
            [
                (case_of(cases_of(doc["eval_set"]), doc["case"]), text)
                for doc, texts in asked
                for text in texts
            ]
        )
    )
    return [[result.to_dict() for result in islice(results, len(texts))] for _, texts in asked]


def metrics(_: Doc, results: Sequence[Sequence[Graded]]) -> dict[str, float]:
    """Return the metrics of one document; what the machine failed on counts in `unscored` alone."""
    (samples,) = results
    scored = [sample for sample in samples if sample["score"] is not None]
    unscored = {"unscored": 1 - len(scored) / len(samples)}
    if not scored:
        return unscored
    passed = sum(sample["outcome"] == "passed" for sample in scored)
    return {
        **unscored,
        "pass_at_1": passed / len(scored),
        "score": sum(sample["score"] for sample in scored) / len(scored),
    }


if __name__ == "__main__":
    print(TASKS)  # noqa: T201 - for --include_path
