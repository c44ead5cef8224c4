"""Verifiers: a taskset of any eval set, whose reward is graded in forgetest's boxes.

    vf-eval forgetest-verifiers --env.taskset.eval-set rust-basics --model gpt-4o-mini

Verifiers finds a taskset as a module of its own: `forgetest_verifiers` is this one's. Without a
harness named, the model is asked once, and has no tools.
"""

from collections.abc import Iterable
from typing import cast

from forgetest.api.result import Result
from forgetest.integrations import NotInstalledError
from forgetest.integrations.background import case_of, cases_of, messages, shared_grader
from forgetest.sampling.completion import Completion, Finish

try:
    import verifiers.v1 as vf
except ModuleNotFoundError:
    raise NotInstalledError("verifiers", "verifiers") from None


class RustTaskConfig(vf.TaskConfig):
    """How answers are graded; the options of `forgetest.Grader`."""

    sandbox: str | None = None
    parallelism: int | None = None


class RustTasksetConfig(vf.TasksetConfig):
    """Which cases are asked."""

    eval_set: str = "rust-basics"
    """A shipped eval set by name, a file or a folder."""
    task: RustTaskConfig = RustTaskConfig()


class RustTaskData(vf.TaskData):
    """A case, by the eval set that it was read from and its name there."""

    eval_set: str
    case: str


class RustTask(vf.Task[RustTaskData, vf.State, RustTaskConfig]):
    """One case."""

    @property
    def key(self) -> str:
        """Return the name of the case as `set/case`."""
        return str(self.data.case)

    @vf.reward
    async def rust(self, trace: vf.Trace) -> float:
        """Return the score of the last reply, 0 to 1; raises `Fault` where the machine failed."""
        result = await self._graded(trace)
        return cast("float", result.reward())

    @vf.metric
    async def passed(self, trace: vf.Trace) -> float:
        """Return 1 for a reply that passes, else 0."""
        return float(bool((await self._graded(trace)).passed))

    async def _graded(self, trace: vf.Trace) -> Result:
        """Return the result; an error of the task is no reward, and is tried again on resume."""
        case = case_of(cases_of(self.data.eval_set), self.data.case)
        grader = shared_grader(sandbox=self.config.sandbox, parallelism=self.config.parallelism)
        finish = Finish.LENGTH if trace.is_truncated else Finish.STOP
        result = await grader.grade(case, Completion(text=trace.last_reply, finish=finish))
        if result.fault is not None:
            raise result.fault
        return result


class RustTaskset(vf.Taskset[RustTask, RustTasksetConfig]):
    """The cases of an eval set."""

    def load(self) -> Iterable[RustTask]:
        """Yield a task for each case, with the prompt that `forgetest run` sends."""
        for case in cases_of(self.config.eval_set).values():
            *system, question = messages(case)
            data = RustTaskData(
                eval_set=self.config.eval_set,
                case=case.key,
                id=case.key,
                name=case.name,
                prompt=question["content"],
                system_prompt=system[0]["content"] if system else None,
            )
            yield RustTask(data, self.config.task)
