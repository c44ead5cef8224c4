"""Run folders as a finished or an unfinished run leaves them."""

from pathlib import Path

from records import AT, PASS, case, manifest, records

from forgetest.report.build import build_report
from forgetest.report.files import dump_report
from forgetest.run.folder import create


def place(
    root: Path,
    *,
    model: str = "p/m",
    letters: str = "PF",
    finished: bool = True,
    created: str = AT,
) -> Path:
    """Return a run folder below `root` with a manifest and, once it is finished, a report."""
    made = manifest([case("alpha"), case("beta")], models=(model,), n=len(letters))
    made = made.model_copy(update={"created": created})
    with create(root, made) as folder:
        found = records({"set/alpha": letters, "set/beta": PASS * len(letters)}, model=model)
        if finished:
            folder.write("report.json", dump_report(build_report(made, found, journal=folder.mark)))
        return folder.path
