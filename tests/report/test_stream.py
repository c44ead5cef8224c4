"""report.json as a stream: the same bytes as of a whole document, in memory for one sample."""

import json
import pickle
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import conversations
import pytest
from formatted import HOSTILE, hostile, two_models
from records import case, manifest, record

from forgetest.compare.read import read_side, side_of
from forgetest.errors import ForgetestError
from forgetest.render.formats.catalogue import FORMATS
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths
from forgetest.report import stream
from forgetest.report.build import build_report
from forgetest.report.files import ReportError, dump_report, load_report, open_run, parse_report
from forgetest.report.samples import LazySamples
from forgetest.report.stream import Source, find_samples, report_pieces
from forgetest.report.types import Report
from forgetest.run.events import Completed, Graded, SampleRecord
from forgetest.run.folder import create, write_atomically
from forgetest.run.seal import sealed, unsealed
from forgetest.sampling.plan import Sample

# Text that looks like the lines between which samples stand, if its line breaks were not escaped.
LAYOUT = '\n     "samples": [\n      {\n      },\n      {\n      }\n     ]\n\u2028\x85"samples": []'


def like_the_layout() -> Report:
    run = hostile().report
    text = dump_report(run).replace(json.dumps(HOSTILE, ensure_ascii=False), json.dumps(LAYOUT))
    return parse_report(sealed(unsealed(text) + "\n}", indent=1).encode(), file="r")


REPORTS: dict[str, Callable[[], Report]] = {
    "two models": lambda: two_models().report,
    "hostile": lambda: hostile().report,
    "like the layout": like_the_layout,
    "conversations": lambda: conversations.report(conversations.RUN),
    "no case": lambda: build_report(manifest([], n=1), {}),
    "nothing asked": lambda: build_report(manifest([case("a")], n=2), {}),
}


@pytest.fixture(params=list(REPORTS))
def report(request: pytest.FixtureRequest) -> Report:
    return REPORTS[request.param]()


def test_pieces_are_the_document_that_is_written_at_once(report: Report) -> None:
    without = {"digest": True, "report_options": True, "models": {"__all__": {"extensions": True}}}

    at_once = sealed(report.model_dump_json(indent=1, exclude=without), indent=1)

    assert at_once == "".join(report_pieces(report))


def test_samples_that_are_looked_at_one_by_one_are_those_of_the_whole(report: Report) -> None:
    text = dump_report(report)

    read = parse_report(text.encode(), file="r")
    whole = parse_report((unsealed(text) + "}").encode(), file="r")

    assert all(isinstance(c.samples, LazySamples) for model in read.models for c in model.cases)
    assert all(isinstance(c.samples, tuple) for model in whole.models for c in model.cases)
    assert read == whole == pickle.loads(pickle.dumps(read))  # noqa: S301 - our own
    assert dump_report(read) == text


@pytest.mark.parametrize("block", [7, 100])
def test_samples_are_found_wherever_blocks_end(
    report: Report, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = dump_report(report).encode()
    monkeypatch.setattr(stream, "_BLOCK", block)

    layout = find_samples(Source(raw))

    assert layout is not None
    found = [json.loads(layout.sample(place)) for place in range(len(layout.starts))]
    cases = [told for model in json.loads(raw)["models"] for told in model["cases"]]
    assert found == [sample for told in cases for sample in told["samples"]]
    assert list(layout.counts) == [len(told["samples"]) for told in cases]


def test_a_side_that_is_counted_sample_by_sample_is_that_of_the_whole(report: Report) -> None:
    text = dump_report(report)

    streamed = read_side(text.encode(), file="r")

    assert streamed == read_side((unsealed(text) + "}").encode(), file="r")
    assert streamed == side_of(report, file="r")


def test_a_sample_that_is_none_is_named_where_a_digest_fits(tmp_path: Path) -> None:
    text = unsealed(dump_report(two_models().report)).replace('"scored": true', '"scored": 7', 1)
    path = tmp_path / "r.json"
    path.write_text(sealed(text + "\n}", indent=1))

    read = load_report(path)

    with pytest.raises(ReportError, match=r"r\.json: scored: Input should be a valid boolean"):
        list(read.models[0].cases[0].samples)


def test_a_report_that_another_takes_the_place_of_is_read_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_SMALL", 0)  # it is not held in memory
    path, text = tmp_path / "report.json", dump_report(two_models().report)
    path.write_text(text)

    read = load_report(path)
    write_atomically(path, "{}")

    assert dump_report(read) == text


SAMPLES, LENGTH = 60, 20_000


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run folder without a report, whose answers take `SAMPLES` x `LENGTH` bytes."""
    made = manifest([case("alpha"), case("beta")], n=SAMPLES // 2)
    with create(tmp_path_factory.mktemp("runs"), made) as rundir:
        for sample in made.plan.samples():
            for event in answered(sample):
                rundir.append(event, sync=False)
        return rundir.path


def answered(sample: Sample) -> tuple[Completed, Graded]:
    found: SampleRecord = record("PFB"[sample.index % 3], sample.key)
    assert found.completion is not None
    assert found.extraction is not None
    assert found.verdict is not None
    text = f"{sample.key} ".ljust(LENGTH, "x")
    reply = found.completion.model_copy(update={"text": text})
    code = found.extraction.model_copy(update={"code": text})
    return (
        Completed(sample=sample.key, at="now", completion=reply),
        Graded(sample=sample.key, at="now", extraction=code, verdict=found.verdict),
    )


def peak(task: Callable[[], object]) -> int:
    """Return how many bytes a task needs at most beyond what was there."""
    tracemalloc.start()
    with closing(_Tracing()):
        before, _ = tracemalloc.get_traced_memory()
        task()
        return tracemalloc.get_traced_memory()[1] - before


class _Tracing:
    def close(self) -> None:
        tracemalloc.stop()


def test_a_run_is_reported_compared_and_exported_in_memory_for_a_few_samples(
    long_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_BLOCK", 1 << 14)
    monkeypatch.setattr(stream, "_SMALL", 0)
    path = tmp_path / "report.json"

    def write() -> None:
        write_atomically(path, report_pieces(open_run(long_run).report))

    def look() -> None:
        for told in load_report(path).models[0].cases:
            assert sum(sample.passed is True for sample in told.samples) == told.c

    def export(form: str) -> None:
        run = ShownRun(load_report(path), open_run(long_run).manifest.plan.eval_sets, "run")
        for name, content in FORMATS[form].make([run], Paths()).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(tmp_path / name, content)

    write()
    whole = path.stat().st_size
    tasks: dict[str, Callable[[], object]] = {
        "write": write,
        "look": look,
        "compare": lambda: side_of(load_report(path), file="r"),
        **{form: (lambda form=form: export(form)) for form in ("csv", "json", "inspect")},
    }
    for task in tasks.values():  # what is loaded once
        task()
    needed = {name: peak(task) / whole for name, task in tasks.items()}

    assert whole > 2 * SAMPLES * LENGTH
    assert {name: share for name, share in needed.items() if share > 0.3} == {}


def test_a_damaged_journal_is_refused_where_its_run_is_shown(long_run: Path) -> None:
    journal = long_run / "journal.jsonl"
    raw = journal.read_bytes()
    try:
        journal.write_bytes(raw[:2000] + b"?" + raw[2001:])
        with pytest.raises(ForgetestError, match=r"journal\.jsonl:1: damaged journal line"):
            open_run(long_run)
    finally:
        journal.write_bytes(raw)
