"""Damaged files of a run: refused in one line, healed, or told; never another result in silence."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from program import ROOT, Program
from records import case, completion, manifest

sys.path.insert(0, str(ROOT / "benchmarks"))

from damage import JOURNAL, Fate, Lab, cuts, flips, losses
from journals import events_of

from forgetest.compare.read import read_side
from forgetest.errors import FaultKind, RunDirError
from forgetest.report.build import build_report
from forgetest.report.files import (
    CHANGED,
    NO_SUMS,
    OTHER_JOURNAL,
    dump_report,
    load_report,
    open_run,
)
from forgetest.run.events import Completed, Event, Faulted, fold
from forgetest.run.folder import create, read_manifest, resume
from forgetest.run.manifest import MANIFEST, REPORT
from forgetest.run.seal import SealState, check_document, sealed, unsealed
from forgetest.runner.session import write_results
from forgetest.sampling.plan import Plan

AT = "2026-11-21T00:00:00.000+00:00"
NEITHER = {Fate.REFUSED, Fate.HEALED, Fate.WITHOUT_EFFECT}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab(tmp_path_factory.mktemp("damage"))


def drawn(raw: bytes, count: int, *, seed: int) -> Iterator[bytes]:
    """Yield the bytes with a flipped bit, so many times, always the same."""
    return flips(raw, count, Random(seed))  # noqa: S311 - to be repeated


def some(found: Iterator[bytes], count: int) -> list[bytes]:
    """Return an even selection of damaged files."""
    every = list(found)
    return every[:: max(1, len(every) // count)]


def test_a_flipped_bit_of_a_journal_is_refused(lab: Lab) -> None:
    fates = {lab.journal(raw).fate for raw in drawn(lab.files[JOURNAL], 200, seed=7)}

    assert fates == {Fate.REFUSED}


def test_every_bit_of_a_line_end_is_refused_or_healed(lab: Lab) -> None:
    """The places that tell lines and sums apart: all their bits, at the first and the last line."""
    raw = lab.files[JOURNAL]
    first = raw.index(b"\n")
    places = [*range(first - 30, first + 3), *range(len(raw) - 30, len(raw))]

    for at in places:
        for bit in range(8):
            damaged = raw[:at] + bytes([raw[at] ^ (1 << bit)]) + raw[at + 1 :]
            assert lab.journal(damaged).fate is Fate.REFUSED, (at, bit)


def test_a_journal_cut_anywhere_in_its_last_lines_heals(lab: Lab) -> None:
    raw = lab.files[JOURNAL]
    at_the_end = [raw[:-n] for n in range(1, 40)]

    fates = {lab.journal(cut).fate for cut in [*some(cuts(raw), 80), *at_the_end]}

    assert fates == {Fate.HEALED}


def test_a_lost_byte_of_a_journal_is_refused_or_healed(lab: Lab) -> None:
    fates = {lab.journal(raw).fate for raw in some(losses(lab.files[JOURNAL]), 80)}

    assert fates <= NEITHER
    assert lab.journal(lab.files[JOURNAL][:-1]).fate is Fate.HEALED


def test_a_journal_that_is_not_the_reports_is_told_of(lab: Lab) -> None:
    raw = lab.files[JOURNAL]
    damaged = [*drawn(raw, 10, seed=7), *some(cuts(raw), 10), raw + b"x", raw + raw]

    assert {lab.finished(one).fate for one in damaged} == {Fate.WARNED}
    assert lab.finished(raw).fate is Fate.WITHOUT_EFFECT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [*lines[:3], *lines[4:]], ":4: damaged journal line (its checksum"),
        (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], ":4: damaged"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], ":4: damaged"),
        (lambda lines: lines[1:], ":1: damaged"),
        (lambda lines: [*lines[:4], without_sum(lines[4]), *lines[5:]], ":5: damaged"),
        (lambda lines: [*lines, without_sum(lines[-1])], "damaged journal line (its checksum"),
    ],
    ids=["a line gone", "two exchanged", "one twice", "the first gone", "no sum", "one more"],
)
def test_lines_that_are_whole_but_not_where_they_were_are_refused(
    tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], said: str
) -> None:
    lab = Lab(tmp_path)
    lines = lab.files[JOURNAL].splitlines(keepends=True)
    (lab.folder / JOURNAL).write_bytes(b"".join(change(lines)))

    with pytest.raises(RunDirError) as caught:
        events_of(lab.folder)

    assert said in str(caught.value)


def without_sum(line: bytes) -> bytes:
    return line[: line.index(b',"sum"')] + b"}\n"


def plan_of(lab: Lab) -> Plan:
    return read_manifest(lab.folder).plan


def test_a_flipped_bit_of_a_manifest_is_refused(lab: Lab) -> None:
    raw = lab.files[MANIFEST]
    end = [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in range(len(raw) - 90, len(raw))]

    fates = {lab.manifest(one).fate for one in [*drawn(raw, 150, seed=7), *end]}

    assert fates == {Fate.REFUSED}


def test_a_flipped_bit_of_a_report_is_refused_or_told(lab: Lab) -> None:
    raw = lab.files[REPORT]
    end = [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in range(len(raw) - 90, len(raw))]
    damaged = [*drawn(raw, 60, seed=7), *end]

    assert {lab.shown(one).fate for one in damaged} == {Fate.REFUSED, Fate.WARNED}
    compared = {lab.compared(one).fate for one in damaged}
    # A key of another name is one that a comparison does not read.
    assert compared <= {Fate.REFUSED, Fate.WARNED, Fate.WITHOUT_EFFECT}


# What other tools and other versions make.


def test_a_report_that_another_tool_wrote_anew_is_read_with_a_warning(
    lab: Lab, tmp_path: Path
) -> None:
    data = json.loads(lab.files[REPORT])
    data["models"][0]["cases"] = data["models"][0]["cases"][:1]
    made = {
        "filtered": json.dumps(data, indent=1),
        "indented": json.dumps(json.loads(lab.files[REPORT])),
        "bare": json.dumps({key: value for key, value in data.items() if key != "digest"}),
    }
    for name, text in made.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    warned = {name: CHANGED in load_report(tmp_path / name).warnings for name in made}
    doubted = {name: read_side(text.encode(), file=name).doubts for name, text in made.items()}

    assert warned == {"filtered": True, "indented": True, "bare": False}
    assert doubted == {"filtered": (CHANGED,), "indented": (CHANGED,), "bare": ()}


def old(folder: Path, lines: int) -> None:
    """Make a run folder what it was before there were checksums; keep the sums below some lines."""
    for name, indent in ((MANIFEST, 2), (REPORT, 1)):
        text = unsealed((folder / name).read_text(encoding="utf-8"))
        data = json.loads(text + "}")
        data.pop("journal", None)
        (folder / name).write_text(json.dumps(data, indent=indent) + "\n", encoding="utf-8")
    found = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(map(without_sum, found[:lines])))


def test_a_run_without_checksums_is_read_and_says_so_once(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    old(lab.folder, len(lab.events))

    finished = open_run(lab.folder).report
    (lab.folder / REPORT).unlink()
    unfinished = open_run(lab.folder).report

    assert finished.warnings == (NO_SUMS, *lab.report.warnings)
    assert len(unfinished.warnings) == 1 + len(lab.report.warnings)
    assert "journal have no checksum" in unfinished.warnings[0]
    assert unfinished.models == lab.report.models


@pytest.mark.parametrize("kept", [0, 1, 5])
def test_a_run_without_checksums_is_continued_and_its_old_lines_are_covered(
    tmp_path: Path, kept: int
) -> None:
    lab = Lab(tmp_path)
    old(lab.folder, kept)
    with resume(lab.folder) as rundir:
        for event in lab.events[kept:]:
            rundir.append(event)
        report = write_results(rundir)

    assert report.models == lab.report.models
    assert report.journal is not None
    assert (report.journal.lines, report.journal.unsealed) == (len(lab.events), kept)
    assert open_run(lab.folder).report == report
    raw = (lab.folder / JOURNAL).read_bytes()
    for damaged in drawn(raw, 60, seed=kept):
        (lab.folder / JOURNAL).write_bytes(damaged)
        with pytest.raises(RunDirError, match="damaged journal line"):
            events_of(lab.folder)


def test_a_sample_that_the_run_does_not_have_is_refused_even_without_checksums(
    tmp_path: Path,
) -> None:
    made = manifest([case("one")], n=3)
    for key in ("p/m|set/one|3", "p/m|set/two|0", "p/n|set/one|0", ""):
        event = Completed(sample=key, at=AT, completion=completion("x"))
        with create(tmp_path, made) as rundir:
            path = rundir.path
        (path / JOURNAL).write_bytes(event.model_dump_json().encode() + b"\n")

        with pytest.raises(RunDirError, match=r"journal\.jsonl:1: .*the run has no sample"):
            events_of(path)


# The form itself.


def test_a_sum_is_what_anybody_finds_with_a_tool_for_hashes(lab: Lab) -> None:
    import hashlib  # noqa: PLC0415 - stands for sha256sum

    raw = lab.files[JOURNAL]
    at = raw.rindex(b',"sum":"')
    assert raw[at + 8 : at + 24].decode() == hashlib.sha256(raw[:at]).hexdigest()[:16]
    assert json.loads(raw.splitlines()[-1])["sum"]
    report = lab.files[REPORT]
    data = json.loads(report)
    assert data["digest"] == hashlib.sha256(report[: report.rindex(b',\n "digest"')]).hexdigest()
    assert data["journal"]["digest"] == hashlib.sha256(raw).hexdigest()


def test_text_that_looks_like_a_sum_or_a_digest_is_text(tmp_path: Path) -> None:
    texts = ['},"sum":"0123456789abcdef"}', ',\n  "digest": "' + "0" * 64 + '"\n}\n', "\n", "{"]
    made = manifest([case("one")], n=len(texts))
    with create(tmp_path, made) as rundir:
        for index, text in enumerate(texts):
            key = f"p/m|set/one|{index}"
            rundir.append(Completed(sample=key, at=AT, completion=completion(text)))
        write_results(rundir)
        path = rundir.path

    assert open_run(path).report.warnings == build_report(made, fold(rundir.read())).warnings
    with (path / JOURNAL).open("r+b") as file:
        file.truncate((path / JOURNAL).stat().st_size - 1)
    with resume(path) as again:
        assert list(again.read()) == list(rundir.read())
        assert again.mark.lines == len(texts) - 1


def test_sealing_is_undone_and_notices_every_change_of_a_small_document() -> None:
    text = sealed('{\n "a": 1\n}\n', indent=1)
    raw = text.encode()

    assert unsealed(text) == '{\n "a": 1'
    assert check_document(raw, json.loads(raw)["digest"]) is SealState.FITS
    for at in range(len(raw)):
        for bit in range(8):
            damaged = raw[:at] + bytes([raw[at] ^ (1 << bit)]) + raw[at + 1 :]
            assert keys(damaged) != {"a", "digest"} or is_broken(damaged), damaged


def keys(raw: bytes) -> set[str] | None:
    """Return the keys of a document, None where it is no JSON."""
    try:
        return set(json.loads(raw))
    except ValueError:
        return None


def is_broken(raw: bytes) -> bool:
    return check_document(raw, json.loads(raw).get("digest")) is SealState.BROKEN


# What reaches the disk, and in which order.


def test_names_are_forced_to_the_disk_after_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder is synced after each name in it that must outlive a power cut."""
    order: list[tuple[str, str]] = []
    fsync, rename = os.fsync, os.replace

    def recording_fsync(descriptor: int) -> None:
        order.append(("sync", str(Path(f"/proc/self/fd/{descriptor}").readlink())))
        fsync(descriptor)

    def recording_rename(*arguments: Any) -> None:
        order.append(("rename", str(arguments[1])))
        rename(*arguments)

    monkeypatch.setattr(os, "fsync", recording_fsync)
    monkeypatch.setattr(os, "replace", recording_rename)
    root = tmp_path / "deep" / "runs"
    with create(root, manifest([case("one")], n=1)) as rundir:
        path = rundir.path
        rundir.append(Completed(sample="p/m|set/one|0", at=AT, completion=completion("x")))
        write_results(rundir)

    def place(what: str, name: Path) -> list[int]:
        return [at for at, one in enumerate(order) if one == (what, str(name))]

    assert place("sync", tmp_path)
    assert place("sync", tmp_path / "deep")
    assert place("sync", root)
    for name in (MANIFEST, REPORT):
        (renamed,) = place("rename", path / name)
        assert order[renamed - 1][0] == "sync"  # its content
        assert order[renamed + 1] == ("sync", str(path))
    (line,) = place("sync", path / JOURNAL)
    assert any(at < line for at in place("sync", path)[1:])


def test_a_line_that_the_disk_refuses_leaves_no_trace(tmp_path: Path) -> None:
    """Half a line, and a whole one behind it, would be damage."""
    import resource  # noqa: PLC0415 - of this test alone
    import signal  # noqa: PLC0415

    event: Event = Completed(sample="p/m|set/one|0", at=AT, completion=completion("x" * 5000))
    small = Faulted(
        sample="p/m|set/one|0", at=AT, stage="asking", kind=FaultKind.DISK, message="full"
    )
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with create(tmp_path, manifest([case("one")], n=1)) as rundir:
            rundir.append(small)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
            with pytest.raises(RunDirError, match="fix that"):
                rundir.append(event)
            rundir.append(small)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)

    assert events_of(rundir.path) == [small, small]


# The program.


def test_the_program_refuses_in_one_line_and_warns_where_it_shows(
    forgetest: Program, tmp_path: Path
) -> None:
    lab = Lab(tmp_path)
    key = lab.events[0].sample.split("|")[1]
    raw = lab.files[REPORT].replace(b'"forgetest": "0.1.0"', b'"forgetest": "0.1.1"', 1)
    (lab.folder / REPORT).write_bytes(raw)
    (lab.folder / JOURNAL).write_bytes(lab.files[JOURNAL] + b"{")

    table = forgetest("report", lab.folder)
    markdown = forgetest("report", lab.folder, "--format", "csv", "--output", tmp_path / "out")
    shown = forgetest("show", lab.folder, key)
    both = ("--baseline", lab.folder / REPORT, "--current", lab.folder)
    compared = forgetest("compare", *both, "--format", "json")
    halves = forgetest("compare", "--self-check", lab.folder)
    (lab.folder / REPORT).unlink()
    (lab.folder / JOURNAL).write_bytes(
        lab.files[JOURNAL].replace(b'"passed":true', b'"passed":truE')
    )
    refused = forgetest("report", lab.folder)

    assert (table.code, markdown.code, shown.code, compared.code) == (0, 0, 0, 0)
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (2, "", 1)
    assert refused.err.endswith("\n")
    for doubt in (CHANGED, OTHER_JOURNAL):
        assert " ".join(table.out.split()).count(doubt[:40]) == 1
        assert markdown.err.count(doubt) == shown.err.count(doubt) == 1
        assert halves.err.count(doubt) == 1
        notes = json.loads(compared.out)["notes"]
        assert f"baseline: {doubt}" in notes
        assert f"current run: {doubt}" in notes
    assert table.err == ""


def test_a_report_says_so_in_its_published_schema(forgetest: Program, lab: Lab) -> None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - takes a while

    schema = json.loads(forgetest("schema", "report").out)

    Draft202012Validator(schema).validate(json.loads(lab.files[REPORT]))
    assert {"digest", "journal"} <= set(schema["properties"])
    assert dump_report(lab.report).encode() == lab.files[REPORT]
