"""What the page's script shows of cases and samples, as JSON that is safe inside a script.

Each sample has a short entry in the index, which is always in the page, and its details: code,
completion, messages. Details beyond `EMBEDDED` bytes go to files next to the page.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from typing import Any

from forgetest.evalset.types import Case
from forgetest.grading.verdict import Diagnostic, Verdict
from forgetest.render.formats.standing import Pieces
from forgetest.render.html.markup import hue
from forgetest.render.html.models import CaseAcrossModels, PageModel
from forgetest.render.rounds import code_diff
from forgetest.render.show.sample import flag_words
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport
from forgetest.rust.joined import lines_before

REASON = 160  # characters of why a sample does not pass, in the index
_UNSAFE = (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"))

Json = dict[str, Any]


def script_json(value: object) -> str:
    """Return JSON in ASCII that ends no script element, opens no comment and is JavaScript too."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign, escaped in _UNSAFE:
        text = text.replace(sign, escaped)
    return text


def models_json(entries: Sequence[PageModel]) -> list[Json]:
    """Return the models of the page, best first."""
    return [
        {"name": entry.name, "label": entry.run.label, "hue": hue(index)}
        for index, entry in enumerate(entries)
    ]


def cases_json(rows: Sequence[CaseAcrossModels]) -> list[Json]:
    """Return what each case is; its texts are there where a run folder gave them."""
    return [_case(row) for row in rows]


def index_json(rows: Sequence[CaseAcrossModels]) -> str:
    """Return a row per sample: case, model, index, outcome, codes, flags, score, P, F, why.

    Case and model are places in their lists; codes are those of rustc and clippy.
    """
    index = StringIO()
    for place, row in enumerate(rows):
        for model, result in enumerate(row.results):
            for sample in result.samples if result is not None else ():
                index.write("," if index.tell() else "")
                index.write(script_json(_brief(place, model, sample)))
    return f"[{index.getvalue()}]"


def details_json(result: CaseReport) -> list[Json]:
    """Return everything about each sample of a case and model, without what is empty."""
    return [_without_gaps(_detail(sample)) for sample in result.samples]


def _case(row: CaseAcrossModels) -> Json:
    result = row.any
    case = row.case
    texts: Json = {}
    if case is not None:
        texts = {
            "description": case.description,
            "prompt": case.prompt,
            "context": [[file.path, file.content] for file in case.context],
            "tests": _tests(case),
            "reference": case.reference_solution,
            "place": f"{case.file}:{case.line}" if case.line else case.file,
        }
    difficulty = str(result.difficulty) if result.difficulty else ""
    base = {"key": row.key, "name": result.name, "tags": result.tags, "difficulty": difficulty}
    return _without_gaps({**base, **texts})


def _tests(case: Case) -> str:
    """Return the tests of a case as one text, uses that must not compile at its end."""
    uses = (
        f"// {use.test}: rejected with {' or '.join(use.code)}\n{use.source}\n"
        f"// {use.test}: compiles\n{use.compiles}"
        for use in case.expectations.compile_fail
    )
    return "\n".join((case.expectations.test_file or "", *uses))


def _brief(case: int, model: int, sample: SampleReport) -> list[Any]:
    verdict = sample.verdict
    outcome = str(sample.outcome) if sample.outcome else "unscored"
    counts = [verdict.tests_passed, verdict.tests_failed] if verdict else [0, 0]
    codes = list(_codes(verdict)) if verdict else []
    flags = _flags(sample)
    return [case, model, sample.index, outcome, codes, flags, sample.score, *counts, _why(sample)]


def _codes(verdict: Verdict) -> dict[str, None]:
    diagnostics = (*verdict.errors, *verdict.test_errors, *verdict.lints)
    return dict.fromkeys(diagnostic.code for diagnostic in diagnostics if diagnostic.code)


def _flags(sample: SampleReport) -> list[str]:
    flags = sample.verdict.integrity.flags if sample.verdict else ()
    return list(dict.fromkeys((*sample.flags, *flags)))


def _why(sample: SampleReport) -> str:
    if sample.fault:
        return sample.fault[:REASON]
    reasons = sample.verdict.reasons if sample.verdict else ()
    return reasons[0][:REASON] if reasons else ""


def _detail(sample: SampleReport) -> Json:
    verdict, completion = sample.verdict, sample.completion
    detail: Json = {**_code(sample), "rule": sample.extraction_rule, "fault": sample.fault}
    if sample.rounds:
        detail["rounds"] = [_round(sample, place) for place in range(len(sample.rounds))]
    if verdict is not None:
        detail |= _verdict(verdict, lines_before(sample.code or ""))
    if completion is not None:
        detail |= {
            "text": completion.text,
            "finish": completion.finish,
            "native": completion.native_finish,
            "usage": _without_gaps(completion.usage.model_dump(mode="json")),
            "cost": completion.cost.model_dump(mode="json"),
            "latency": completion.latency_secs,
            "attempts": completion.attempts,
            "served": completion.served_model,
            "dropped": completion.dropped_params,
            "left": completion.notes,
        }
    return detail


def _round(sample: SampleReport, place: int) -> Json:
    """Return what was said before a round, and its code, or how it differs from the one before."""
    answered, diff = sample.rounds[place], code_diff(sample.rounds, place)
    shown = {"code": answered.code} if diff is None else {"diff": diff or ["the same code again"]}
    outcome = answered.outcome or "not graded yet"
    return _without_gaps({"outcome": outcome, "said": answered.feedback, **shown})


def _code(sample: SampleReport) -> Json:
    """Return the code, or where in the completion it is, as it mostly is."""
    code = sample.code or ""
    text = sample.completion.text if sample.completion else ""
    at = text.find(code) if code else -1
    if at < 0:
        return {"code": code}
    start = _units(text[:at])
    return {"cut": [start, start + _units(code)]}


def _units(text: str) -> int:
    """Return the length of text as a browser counts it: in units of UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _verdict(verdict: Verdict, before: Mapping[str, int]) -> Json:
    """Return a verdict; `before` are the lines of the code that come before each of its files."""
    integrity = verdict.integrity
    return {
        "reasons": verdict.reasons,
        "notes": [flag_words(flag) for flag in verdict.flags],
        "errors": _diagnostics(verdict.errors, before),
        "testErrors": _diagnostics(verdict.test_errors, before),
        "lints": _diagnostics(verdict.lints, before),
        "silenced": verdict.lints_silenced,
        "tests": [
            [test.name, test.outcome, test.message, round(test.secs, 4)] for test in verdict.tests
        ],
        "timings": {name: round(secs, 4) for name, secs in verdict.timings.items()},
        "integrity": "" if integrity.level == "clean" else integrity.level,
        "honesty": integrity.reason,
    }


def _diagnostics(diagnostics: Sequence[Diagnostic], before: Mapping[str, int]) -> list[Json]:
    return [_without_gaps(_diagnostic(diagnostic, before)) for diagnostic in diagnostics]


def _diagnostic(diagnostic: Diagnostic, before: Mapping[str, int]) -> Json:
    span, place = diagnostic.span, None
    if span:
        above = before.get(span.file, 0)
        place = [span.line + above, span.column, span.end_line + above, span.end_column, span.label]
    shown = {"level": diagnostic.level, "code": diagnostic.code, "message": diagnostic.message}
    return {**shown, "span": place, "rendered": diagnostic.rendered}


def _without_gaps(values: Json) -> Json:
    return {key: value for key, value in values.items() if value not in (None, "", [], (), {}, 0)}


EMBEDDED = 4_000_000  # bytes of details that a page holds itself
CHUNK = 6_000_000  # bytes of a file next to it; one case and model stay together


@dataclass(frozen=True, slots=True)
class SampleDetails:
    """Details of samples by `case.model`: in the page, or the name of the file that has them."""

    embedded: str  # JSON
    places: dict[str, str] = field(default_factory=dict)
    files: dict[str, Pieces] = field(default_factory=dict)  # name -> JavaScript


def sample_details(
    rows: Sequence[CaseAcrossModels], *, stem: str, budget: int = EMBEDDED
) -> SampleDetails:
    """Return all details, in files named after `stem` when they are more than `budget` bytes.

    Those are made again as each file is written: until then only their sizes are kept.
    """
    sizes: dict[str, int] = {}
    pieces: dict[str, str] = {}
    total = 0
    for key, result in _results(rows):
        piece = _piece(result)
        sizes[key] = len(piece)
        total += len(piece)
        if total <= budget:
            pieces[key] = piece
    if total <= budget:
        return SampleDetails(embedded="".join(_joined(pieces.items())))
    chunks = list(_chunks(sizes))
    names = [f"{stem}-samples-{place:02}.js" for place in range(1, len(chunks) + 1)]
    return SampleDetails(
        embedded="{}",
        places={key: name for name, chunk in zip(names, chunks, strict=True) for key in chunk},
        files={
            name: Pieces(partial(_file, name, rows, chunk))
            for name, chunk in zip(names, chunks, strict=True)
        },
    )


def _results(rows: Sequence[CaseAcrossModels]) -> Iterator[tuple[str, CaseReport]]:
    for case, row in enumerate(rows):
        for model, result in enumerate(row.results):
            if result is not None:
                yield f"{case}.{model}", result


def _piece(result: CaseReport) -> str:
    return script_json(details_json(result))


def _file(name: str, rows: Sequence[CaseAcrossModels], keys: Collection[str]) -> Iterator[str]:
    yield f'forgetestSamples("{name}",'
    yield from _joined((key, _piece(result)) for key, result in _results(rows) if key in keys)
    yield ");\n"


def _joined(pieces: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield "{"
    for place, (key, piece) in enumerate(pieces):
        yield f'{"," if place else ""}"{key}":{piece}'
    yield "}"


def _chunks(sizes: Mapping[str, int]) -> Iterator[frozenset[str]]:
    chunk: set[str] = set()
    size = 0
    for key, more in sizes.items():
        if chunk and size + more > CHUNK:
            yield frozenset(chunk)
            chunk, size = set(), 0
        chunk.add(key)
        size += more
    yield frozenset(chunk)
