"""MultiPL-E: prompts, completions and results, as JSON Lines or one JSON file per problem."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgetest.evalset.types import Case, Protocol, Provenance
from forgetest.importers.problems import (
    Declaration,
    Task,
    declaration,
    eval_set,
    instruction,
    likely_protocol,
)
from forgetest.importers.programs import as_tests
from forgetest.importers.reading import ItemError, SourceItem, demand, make_each, read_source
from forgetest.importers.types import (
    Imported,
    ImportOptions,
    Recorded,
    SkippedItem,
    model_name,
    set_id,
)

SOURCE = Provenance(
    name="MultiPL-E",
    licence="BSD-3-Clause with a clause against training",
    url="https://github.com/nuprl/MultiPL-E",
)
OK = "OK"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A completion, or the program that it became, with its judgement."""

    completion: str | None
    program: str
    status: str | None


@dataclass(frozen=True, slots=True)
class RecordedProblem:
    """One problem with what was recorded of it."""

    name: str
    prompt: str
    tests: str  # as the source has them: they close the function and call it
    module: str = field(repr=False)
    declared: Declaration = field(repr=False)
    attempts: tuple[Attempt, ...] = ()

    def asked(self, protocol: Protocol) -> Task:
        """Return the problem as it is asked in a protocol."""
        chat = protocol is Protocol.CHAT
        prompt = instruction(self.prompt, self.declared) if chat else self.prompt
        return Task(self.name, prompt, self.module, (self.declared.name,))


def read_multipl_e(path: Path, options: ImportOptions) -> Imported:
    """Return the problems of a file or a folder, with the completions and verdicts in it."""
    reading = read_source(path)
    problems, left_out = make_each(_merged(reading.items), _problem, lambda problem: problem.name)
    texts = [attempt.completion or "" for problem in problems for attempt in problem.attempts]
    protocol = likely_protocol(options.protocol, texts)
    id_ = set_id(path, options)
    cases: list[Case] = []
    recorded: list[Recorded] = []
    model = model_name(path, options)
    for problem in problems:
        try:
            case = problem.asked(protocol).case(id_, protocol)
        except ItemError as error:
            left_out.append(SkippedItem(problem.name, str(error)))
            continue
        cases.append(case)
        for outcome in _recorded(problem, case, model):
            (recorded if isinstance(outcome, Recorded) else left_out).append(outcome)  # type: ignore[arg-type]
    left_out = [*reading.left_out, *left_out]
    demand(cases, path, left_out)
    return Imported(eval_set(id_, cases, SOURCE), tuple(recorded), tuple(left_out))


def _merged(items: Sequence[SourceItem]) -> Iterator[SourceItem]:
    """Yield the problems, each with the results that another file has under its name."""
    judged = {_name(item): item for item in items if _is_judged(item)}
    used: set[str] = set()
    for item in items:
        name = _name(item)
        if not _is_judged(item):
            results = judged.get(name)
            used.add(name)
            yield SourceItem(
                item.file, item.line, {**(results.value if results else {}), **item.value}
            )
    yield from (item for item in items if _is_judged(item) and _name(item) not in used)


def _name(item: SourceItem) -> str:
    return str(item.value.get("name"))


def _is_judged(item: SourceItem) -> bool:
    return item.value.get("results") is not None and item.value.get("completions") is None


def _problem(item: SourceItem) -> RecordedProblem:
    item.demand_rust()
    name, prompt, tests = item.text("name"), item.text("prompt"), item.text("tests")
    declared = declaration(prompt)
    if declared is None:
        raise ItemError('"prompt" does not end in a Rust function to go on from')
    return RecordedProblem(name, prompt, tests, as_tests(tests), declared, tuple(_attempts(item)))


def _attempts(item: SourceItem) -> Iterator[Attempt]:
    completions, results = item.listed("completions"), item.listed("results")
    for at in range(max(len(completions), len(results))):
        completion = completions[at] if at < len(completions) else None
        if completion is not None and not isinstance(completion, str):
            raise ItemError(f'item {at + 1} of "completions" must be a string')
        yield _attempt(completion, results[at] if at < len(results) else {}, at)


def _attempt(completion: str | None, result: Any, at: int) -> Attempt:
    if not isinstance(result, Mapping):
        raise ItemError(f'item {at + 1} of "results" must be an object')
    program, status = result.get("program"), result.get("status")
    return Attempt(
        completion,
        program if isinstance(program, str) else "",
        status if isinstance(status, str) and status.strip() else None,
    )


def _recorded(problem: RecordedProblem, case: Case, model: str) -> Iterator[Recorded | SkippedItem]:
    for number, attempt in enumerate(problem.attempts, start=1):
        text = attempt.completion
        if text is None:
            text = cut_out(problem, attempt.program, case.protocol)
        if text is None:
            place = f"{problem.name} result {number}"
            yield SkippedItem(place, '"program" is not the prompt, a completion and the tests')
        else:
            passed = None if attempt.status is None else attempt.status == OK
            yield Recorded(case.id, text, model, passed, attempt.status)


def cut_out(problem: RecordedProblem, program: str, protocol: Protocol) -> str | None:
    """Return the completion in a program of prompt, completion and tests; None for another."""
    prompt, tests = problem.prompt, problem.tests
    if not (program.startswith(prompt) and program.endswith(tests)):
        return None
    if len(program) < len(prompt) + len(tests):
        return None
    body = program[len(prompt) : len(program) - len(tests)].removesuffix("\n")
    return f"{prompt}{body}\n}}\n" if protocol is Protocol.CHAT else body
