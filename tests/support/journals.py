"""Journals as tests read them: whole, and at once."""

from io import BytesIO
from pathlib import Path

from forgetest.run.events import Event
from forgetest.run.folder import read_manifest
from forgetest.run.journal import read_lines
from forgetest.run.records import JournalRecords
from forgetest.run.seal import Chain


def events_of(folder: Path) -> list[Event]:
    """Return the events of a run folder, checked against its plan."""
    return list(JournalRecords(folder, read_manifest(folder).plan).events())


def events_in(raw: bytes) -> list[Event]:
    """Return the events of a journal's bytes."""
    return [line.event for line in read_lines(BytesIO(raw), Chain(), file="j")]
