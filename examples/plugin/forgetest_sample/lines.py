"""A report format: a line per sample, for grep."""

from collections.abc import Iterator, Sequence

from forgetest.plugins import Files, Format, Paths, Plugin, ShownRun


def line_files(runs: Sequence[ShownRun], paths: Paths) -> Files:
    """Return one file with a line per sample of all runs."""
    del paths
    return {"samples.txt": "".join(f"{line}\n" for run in runs for line in _lines(run))}


def _lines(run: ShownRun) -> Iterator[str]:
    for model in run.report.models:
        for case in model.cases:
            for sample in case.samples:
                what = sample.outcome or f"unscored: {sample.fault}"
                yield f"{model.model} {case.eval_set}/{case.case} {sample.index + 1} {what}"


lines = Plugin(api=1, provides=Format(line_files, ("samples.txt",)))
