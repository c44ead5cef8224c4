"""Recorded completions as a model: `replay/FILE`, or `replay/FILE#MODEL` for one model of many.

FILE is JSON Lines, packed with gzip if its name ends in .gz, one completion a line: `case_id` (or
`task_id`), `completion`, and if known `model`, `eval_set`, `finish` and `usage`; `recorded_passed`,
`recorded_verdict` and `flaky` are its recorder's verdict; other keys are ignored. A case goes by
its id, by `set/case`, or by the foreign task id that its own was made from; a name that fits cases
of two sets answers neither. The nth line of a case answers its nth sample. `completion` may be
called `solution`.

A line of a conversation has its first answer as `completion`, the others in `later`, each with the
`feedback` that it answers, and in `conversation` the rounds that it was asked in. It ends where the
recording does.
"""

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from forgetest.errors import Fault, FaultKind, ForgetestError, Problem
from forgetest.evalset.forms import ID_PATTERN, listed, quoted
from forgetest.evalset.types import Case
from forgetest.sampling.completion import (
    Completion,
    Cost,
    Draw,
    Finish,
    Usage,
    without_lone_surrogates,
)
from forgetest.sampling.plan import ModelSpec, Sample
from forgetest.sampling.variant import Variant
from forgetest.value import count

CASE_KEYS = ("case_id", "task_id")  # the first is ours; the second may be spelled as elsewhere
REPLAY = "replay"  # the provider of recordings
_PROBLEMS_SHOWN = 20  # of one file
_FINISHES = {
    **{finish.value: finish for finish in Finish},
    "max_tokens": Finish.LENGTH,
    "refusal": Finish.REFUSED,
    "content_filter": Finish.FILTERED,
}


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """The verdict that a recorder gave a completion."""

    passed: bool
    words: str  # the recorder's own, or else passed or failed
    flaky: bool = False


@dataclass(frozen=True, slots=True)
class RecordedCompletion:
    """One recorded completion, the case id as written, and the names that cases look it up by."""

    case: str
    names: tuple[str, ...]
    model: str | None
    completion: Completion
    recorded: RecordedVerdict | None = None
    later: tuple[Completion, ...] = ()  # in further rounds
    conversation: Variant | None = None  # None where the case was asked once


@dataclass(frozen=True, slots=True)
class ReplaySource:
    """Answers each case with its recorded completions, in the order of the file."""

    file: str
    rows: tuple[RecordedCompletion, ...]
    by_name: Mapping[str, tuple[int, ...]]  # into `rows`

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once: nothing waits, so one after the other."""
        return 1

    def counts(self, cases: Sequence[Case]) -> dict[str, int]:
        """Return how many completions each case has, by `set/case`; 0 for one without.

        Raises ForgetestError for a completion whose name fits more than one of the cases.
        """
        indices_by_case = {case.key: self._of(case) for case in cases}
        self._demand_one_case_each(indices_by_case)
        return {key: len(indices) for key, indices in indices_by_case.items()}

    def _demand_one_case_each(self, indices_by_case: Mapping[str, Sequence[int]]) -> None:
        cases: dict[int, list[str]] = {}
        for key, indices in indices_by_case.items():
            for index in indices:
                cases.setdefault(index, []).append(key)
        unclear = {self.rows[index].case: keys for index, keys in cases.items() if len(keys) > 1}
        problems = [
            Problem(
                self.file,
                None,
                f"case {quoted(name)} is in several of the eval sets, as {listed(keys)};"
                f" write the full name, or give only one of the eval sets",
            )
            for name, keys in unclear.items()
        ]
        if problems:
            raise ForgetestError(_lines(problems, self.file))

    def recorded(self, case: Case) -> tuple[RecordedCompletion, ...]:
        """Return the rows of a case: the one at index n is that of sample n."""
        return tuple(self.rows[index] for index in self._of(case))

    def unknown(self, cases: Sequence[Case]) -> tuple[str, ...]:
        """Return the recorded case ids, as written and in order, that none of the cases has."""
        known = {index for case in cases for index in self._of(case)}
        rest = [row.case for index, row in enumerate(self.rows) if index not in known]
        return tuple(dict.fromkeys(rest))

    async def complete(self, draw: Draw) -> Completion:
        """Return the recorded completion of the sample; Fault when the file has too few."""
        indices = self._of(draw.case)
        if draw.sample.index >= len(indices):
            recorded = count(len(indices), "recorded completion")
            raise Fault(
                FaultKind.PROVIDER,
                f"{self.file}: case {draw.case.key} has {recorded}, "
                f"but sample {draw.sample.index + 1} was requested",
            )
        row = self.rows[indices[draw.sample.index]]
        turn = len(draw.prompt.later) // 2  # an answer, and what was said of it
        return (row.completion, *row.later)[turn]

    @property
    def conversation(self) -> Variant | None:
        """The rounds in which the completions were asked for; None where there was one."""
        return next((row.conversation for row in self.rows if row.conversation), None)

    def _of(self, case: Case) -> tuple[int, ...]:
        """Prefer the case's own names; only without any of them try the foreign spelling."""
        own, foreign = names_of(case)
        return self._at(*own) or self._at(*foreign)

    def _at(self, *names: str) -> tuple[int, ...]:
        return tuple(sorted(index for name in names for index in self.by_name.get(name, ())))


def open_recording(name: str) -> ReplaySource:
    """Return the source for `FILE` or `FILE#MODEL`; ForgetestError carries every bad line."""
    file, model = split_name(name, is_file=lambda path: Path(path).is_file())
    try:
        raw = _unpacked(Path(file))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ForgetestError(f"replay/{name}: cannot be read: {reason}") from error
    rows = _choose(read_rows(raw, file=file), file=file, model=model)
    by_name: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        for key in row.names:
            by_name.setdefault(key, []).append(index)
    return ReplaySource(file, rows, {name: tuple(indices) for name, indices in by_name.items()})


def _unpacked(file: Path) -> bytes:
    """Return a file's bytes, unpacked when its name ends in .gz; OSError says why it cannot."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened:
            return opened.read()
    except (EOFError, zlib.error):
        raise OSError("its gzip data is truncated or damaged") from None


def names_of(case: Case) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the names by which rows mean a case: its own, and those of other benchmarks."""
    foreign = _foreign(case.id)
    return (case.key, case.id), (f"{case.eval_set}/{foreign}", foreign)


def conversations(models: Iterable[ModelSpec]) -> dict[str, Variant]:
    """Return the rounds of the recordings among some models that hold several, by model.

    Raises ForgetestError for a recording that cannot be read.
    """
    sources = {str(model): open_recording(model.model) for model in models if _is_replay(model)}
    known = {name: source.conversation for name, source in sources.items()}
    return {name: rounds for name, rounds in known.items() if rounds is not None}


def _is_replay(model: ModelSpec) -> bool:
    return model.provider == REPLAY


_OF_CONVERSATIONS = {"rounds", "feedback", "score_round"}


def recorded_line(
    sample: Sample, variant: Variant, answers: Sequence[tuple[str | None, Completion]]
) -> str:
    """Return a sample's answers, each with the feedback before it, as a line without its newline.

    `open_recording` reads it back.
    """
    (_, first), *later = answers
    row: dict[str, Any] = {
        "eval_set": sample.eval_set,
        "case_id": sample.case,
        "model": str(sample.model),
        **_answer(first),
    }
    if variant.rounds > 1:
        row["conversation"] = variant.model_dump(mode="json", include=_OF_CONVERSATIONS)
        row["later"] = [{"feedback": said, **_answer(reply)} for said, reply in later]
    return json.dumps(row, ensure_ascii=False)


def _answer(completion: Completion) -> dict[str, Any]:
    return {
        "completion": completion.text,
        "finish": completion.finish,
        "usage": completion.usage.model_dump(),
    }


def models_in(file: Path) -> tuple[str, ...]:
    """Return the names after `replay/` that together are all the completions of a file."""
    try:
        rows = read_rows(_unpacked(file), file=str(file))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ForgetestError(f"{file}: cannot be read: {reason}") from None
    models = dict.fromkeys(row.model for row in rows)
    if len(models) == 1:
        return (str(file),)
    return tuple(f"{file}#{model}" for model in models if model is not None)


def split_name(name: str, *, is_file: Callable[[str], bool]) -> tuple[str, str | None]:
    """Split `FILE#MODEL` at the first `#` that ends the name of a file; both may hold more."""
    if is_file(name):
        return name, None
    for mark in re.finditer("#", name):
        if is_file(name[: mark.start()]):
            return name[: mark.start()], name[mark.end() :]
    file, _, model = name.partition("#")
    return file, model or None


def read_rows(raw: bytes, *, file: str) -> tuple[RecordedCompletion, ...]:
    """Return the rows of JSON Lines; ForgetestError has a line for each that cannot be used."""
    rows: list[RecordedCompletion] = []
    problems: list[Problem] = []
    for number, line in enumerate(raw.removeprefix(codecs.BOM_UTF8).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(read_row(row_object(line)))
        except ValueError as error:
            problems.append(Problem(file, number, str(error)))
    if problems:
        raise ForgetestError(_lines(problems, file))
    if not rows:
        raise ForgetestError(f"{file}: no completions; expected one JSON object a line")
    return tuple(rows)


def _lines(problems: Sequence[Problem], file: str) -> str:
    """Return a line for each problem, but not for hundreds of them."""
    lines = [str(problem) for problem in problems[:_PROBLEMS_SHOWN]]
    more = len(problems) - _PROBLEMS_SHOWN
    return "\n".join((*lines, f"{file}: and {more} more") if more > 0 else lines)


def row_object(line: bytes) -> dict[str, Any]:
    """Return the object in a line of JSON; ValueError says why there is none."""
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError("not UTF-8") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} in column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("arrays or objects are nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("must be an object with case_id and completion")  # noqa: TRY004 - one kind
    return value


def read_row(row: Mapping[str, Any]) -> RecordedCompletion:
    """Return the completion in a row; ValueError says what is wrong with it."""
    case, names = _names(row)
    text = row.get("completion" if row.get("completion") is not None else "solution")
    if not isinstance(text, str):
        raise ValueError(f"case {quoted(case)}: {_without_text(row)}")  # noqa: TRY004
    model = _word(row.get("model"))
    first, conversation = _completion(text, row, model), _conversation(row)
    if conversation is None:
        return RecordedCompletion(case, names, model, first, _recorded(row))
    *replies, last = (first, *_later(row, model))
    ended = (*replies, last.model_copy(update={"ends_recording": True}))
    return RecordedCompletion(case, names, model, ended[0], _recorded(row), ended[1:], conversation)


def _completion(text: str, row: Mapping[str, Any], model: str | None) -> Completion:
    finish = _word(row.get("finish"))
    return Completion(
        text=text,
        finish=_FINISHES.get(finish or "", Finish.STOP),
        native_finish=finish,
        usage=_usage(row.get("usage")),
        cost=Cost(source="recorded"),
        served_model=model,
    )


def _conversation(row: Mapping[str, Any]) -> Variant | None:
    asked = row.get("conversation")
    if asked is None:
        return None
    try:
        return Variant.model_validate(asked)
    except ValidationError as error:
        place = ".".join(map(str, ("conversation", *error.errors()[0]["loc"])))
        raise ValueError(f'"{place}": {error.errors()[0]["msg"].lower()}') from None


def _later(row: Mapping[str, Any], model: str | None) -> Iterator[Completion]:
    later = row.get("later", [])
    for reply in later if isinstance(later, list) else [None]:
        if not isinstance(reply, dict) or not isinstance(reply.get("completion"), str):
            raise ValueError('"later" must be a list of objects with "completion"')  # noqa: TRY004
        yield _completion(reply["completion"], reply, model)


def _without_text(row: Mapping[str, Any]) -> str:
    """Return why a row has no text, and what its writer may have meant."""
    if row.get("completion") is not None or row.get("solution") is not None:
        return '"completion" must be a string'
    return f'"completion" is missing{_meant(row, ("completion", "solution"))}'


def _meant(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the key of a row that is close to one of the keys, as a question; else nothing."""
    for key in row:
        if key not in keys and (close := get_close_matches(key, keys, n=1)):
            return f"; did you mean {quoted(close[0])} by {quoted(key)}?"
    return ""


def _recorded(row: Mapping[str, Any]) -> RecordedVerdict | None:
    passed = row.get("recorded_passed")
    if not isinstance(passed, bool):
        return None
    words = _word(row.get("recorded_verdict")) or ("passed" if passed else "failed")
    return RecordedVerdict(passed, words, flaky=row.get("flaky") is True)


def _names(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return the case id as written, and all that it may be looked up by."""
    key, case, eval_set = case_named(row)
    is_foreign = key == "task_id" and not re.fullmatch(ID_PATTERN, case)
    names = (case, _foreign(case)) if is_foreign else (case,)
    if eval_set and not case.startswith(f"{eval_set}/"):
        return case, tuple(f"{eval_set}/{name}" for name in names)
    return case, names


def case_named(row: Mapping[str, Any]) -> tuple[str, str, str | None]:
    """Return the key of a row that names its case, the name, and the eval set if it names one.

    Raises ValueError for a row that names none.
    """
    words = {key: _word(row.get(key)) for key in (*CASE_KEYS, "eval_set")}
    for key in CASE_KEYS:
        if name := words[key]:
            return key, name, words["eval_set"]
    hint = _meant(row, CASE_KEYS) or "; every line needs case_id (or task_id)"
    raise ValueError(f'"case_id" is missing{hint}')


def _foreign(case: str) -> str:
    """Return what `CodeGen/53bba` and the ids CodeGen-53bba and CodeGen_53bba have in common."""
    return "task " + re.sub(r"[^a-z0-9]+", "-", case.lower())


def _word(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return without_lone_surrogates(value) if isinstance(value, str) and value.strip() else None


def _usage(value: object) -> Usage:
    given = value if isinstance(value, dict) else {}
    return Usage(
        **{key: given[key] for key in Usage.model_fields if _is_count(given.get(key))},
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _choose(
    rows: tuple[RecordedCompletion, ...], *, file: str, model: str | None
) -> tuple[RecordedCompletion, ...]:
    models = list(dict.fromkeys(row.model or "" for row in rows))
    if model is None and len(models) == 1:
        return rows
    chosen = tuple(row for row in rows if model is not None and row.model == model)
    if chosen:
        return chosen
    named = list(filter(None, models))
    contents = f"names the models {listed(named)}" if named else "names no model"
    contents += ", and in some lines none" if named and "" in models else ""
    if model is None:
        raise ForgetestError(
            f"replay/{file}: the file {contents}; choose one, as in replay/{file}#{named[0]}"
        )
    close = get_close_matches(model, named, n=1)
    raise ForgetestError(
        f"replay/{file}#{model}: no such model; "
        + (f"did you mean {quoted(close[0])}?" if close else f"the file {contents}")
    )
