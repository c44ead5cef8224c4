"""A run to look at: its report, and the plan behind it where the run folder is there."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.types import Case
from forgetest.event import fold
from forgetest.manifest import MANIFEST, REPORT, Manifest
from forgetest.report.build import build
from forgetest.report.files import journal_doubt, load, warned
from forgetest.report.types import Report
from forgetest.rundir import read_journal, read_manifest
from forgetest.words import readable


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A report, and the manifest of its run; None of a report that lies alone."""

    name: str  # as it was given
    report: Report
    manifest: Manifest | None

    def case(self, key: str) -> Case | None:
        """Return the case of the name `set/case` as it was asked; None when only a report is."""
        sets = self.manifest.plan.eval_sets if self.manifest else ()
        return next((case for item in sets for case in item.cases if case.key == key), None)


def open_run(path: Path) -> OpenRun:
    """Return the run in a folder, or of a report.json; of an unfinished run, what there is of it.

    A report that does not fit its digest or the journal beside it says so in its warnings. Raises
    ReportError for what can not be read, and RunDirError for a damaged folder.
    """
    folder = path.parent if path.name == REPORT else path
    manifest = read_manifest(folder) if (folder / MANIFEST).is_file() else None
    if path == folder and manifest is not None and not (folder / REPORT).exists():
        journal = read_journal(folder, manifest.plan)
        report = build(manifest, fold(journal.events), journal=journal.mark)
        return OpenRun(readable(str(path)), report, manifest)
    report = load(path)
    doubt = journal_doubt(folder, report.journal)
    if manifest is not None and manifest.plan_digest != report.plan_digest:
        manifest = None  # of another run
    return OpenRun(readable(str(path)), warned(report, doubt) if doubt else report, manifest)
