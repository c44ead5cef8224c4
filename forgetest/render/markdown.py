"""A report as markdown for a pull request or an issue: the verdict first, model text escaped."""

from collections.abc import Iterator

from forgetest.render.agreement import agreement_headline
from forgetest.render.columns import View, markdown_rows, markdown_table
from forgetest.render.leaderboard import (
    best_first,
    case_columns,
    case_rows,
    model_columns,
    pivot_columns,
    ranked_rows,
)
from forgetest.render.run import sandbox_line
from forgetest.render.safe import escape
from forgetest.render.tables import extension_lines, outcomes_line
from forgetest.report.agreement import Agreement
from forgetest.report.types import ModelReport, Report
from forgetest.value import count


def report_markdown(report: Report) -> str:
    """Return the report as GitHub markdown, ending in a newline."""
    ranked = best_first(report.models)
    parts = [_head(report), _leaderboard(report, ranked), _cases(report, ranked), _outcomes(ranked)]
    if scores := list(extension_lines(ranked)):
        parts.append("\n".join(f"- {escape(line)}" for line in scores))
    if report.warnings:
        parts.append("\n".join(f"> ⚠ {escape(warning)}" for warning in report.warnings))
    if report.agreement is not None:
        parts.extend(_agreement(report.agreement))
    return "\n\n".join(parts) + "\n"


def _head(report: Report) -> str:
    sets = ", ".join(
        f"{escape(item.id)} ({count(len(item.cases), 'case')})" for item in report.eval_sets
    )
    rustc = report.toolchain.rustc.partition("\n")[0]
    return (
        f"### forgetest: {sets}\n\n"
        f"{count(report.samples_per_case, 'sample')} per case · {escape(rustc)} ·"
        f" forgetest {report.forgetest} · scoring profile {report.scoring_profile} ·"
        f" sandbox {escape(sandbox_line(report.sandbox))}"
    )


def _leaderboard(report: Report, ranked: list[ModelReport]) -> str:
    return markdown_table(model_columns(report.pass_k), ranked_rows(ranked))


def _cases(report: Report, ranked: list[ModelReport]) -> str:
    columns = case_columns(report.pass_k, several_sets=True)
    names = [escape(str(model.model)) for model in ranked]
    body = markdown_table(pivot_columns(columns, View.MARKDOWN, names), case_rows(ranked))
    return f"<details><summary>Passed samples per case</summary>\n\n{body}\n\n</details>"


def _agreement(agreement: Agreement) -> Iterator[str]:
    yield f"**{agreement_headline(agreement)}**"
    disagreements = (*agreement.disagreements, *agreement.flaky_disagreements)
    if disagreements:
        rows = [
            [
                escape(f"{differing.case} #{differing.sample}"),
                escape(differing.recorded),
                differing.ours,
                escape(differing.reason),
            ]
            for differing in disagreements
        ]
        yield markdown_rows(["disagreement", "recorded", "ours", "reason"], rows, texts=4)


def _outcomes(ranked: list[ModelReport]) -> str:
    return "\n".join(f"- {escape(str(m.model))}: {escape(outcomes_line(m))}" for m in ranked)
