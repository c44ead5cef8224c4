"""The HTML page as one of the formats, with the letters of models that are not told apart."""

from collections.abc import Sequence

from forgetest.render.formats.run import Files
from forgetest.render.run import Run
from forgetest.report.files import dump

PAGE = "report.html"


def html_files(runs: Sequence[Run]) -> Files:
    """Return the page of all runs, and beside it the files that many samples need."""
    # Templates take a while to load, and every command that knows the formats would wait for them.
    from forgetest.render.html import report_files  # noqa: PLC0415

    return report_files(runs, groups=_letters(runs))


def _letters(runs: Sequence[Run]) -> dict[str, str]:
    """Return the models' letters; none where runs can not be ranked, or there is one model."""
    if sum(len(run.report.models) for run in runs) < 2:  # noqa: PLR2004 - nobody to tell it from
        return {}
    from forgetest.compare.read import read  # noqa: PLC0415 - as above
    from forgetest.rank.rank import NotRankableError, rank  # noqa: PLC0415 - as above
    from forgetest.rank.types import Options, groups  # noqa: PLC0415 - as above

    sides = [read(dump(run.report).encode(), file=run.label) for run in runs]
    try:
        return groups(rank(sides, Options()))
    except NotRankableError:
        return {}
