"""A report as markdown for a pull request or an issue: the verdict first, model text escaped."""

from collections.abc import Iterator, Sequence

from forgetest.render.agreement import agreement_headline
from forgetest.render.case_table import case_columns, case_rows, pivot_columns
from forgetest.render.columns import View, legend_of, markdown_rows, markdown_table
from forgetest.render.conclusions import conclusions
from forgetest.render.leaderboard import (
    RankedModel,
    model_columns,
    report_rows,
    suite_columns,
    suite_rows,
)
from forgetest.render.rounds import round_columns, round_lines, round_rows
from forgetest.render.run import sandbox_line
from forgetest.render.safe import escape
from forgetest.render.tables import extension_lines, outcomes_line
from forgetest.report.agreement import Agreement
from forgetest.report.types import Report
from forgetest.value import count


def report_markdown(report: Report) -> str:
    """Return the report as GitHub markdown, ending in a newline."""
    rows = report_rows(report.models)
    parts = [_head(report)]
    if found := [*conclusions([("", report)])]:
        parts.append("\n".join(f"- {escape(line)}" for line in found))
    columns = model_columns(report.pass_k, rows)
    parts.append(markdown_table(columns, rows))
    parts.append(" · ".join(f"`{title}`: {meaning}" for title, meaning in legend_of(columns)))
    if suites := suite_rows(rows):
        parts.append(markdown_table(suite_columns(_names(rows)), suites))
    if rounds := round_rows(rows):
        parts.append(markdown_table(round_columns(), rounds))
        parts.append("\n".join(f"- {escape(line)}" for line in round_lines(rows)))
    parts.extend([_cases(report, rows), _outcomes(rows)])
    if scores := list(extension_lines(rows)):
        parts.append("\n".join(f"- {escape(line)}" for line in scores))
    if report.warnings:
        parts.append("\n".join(f"> - ⚠ {escape(warning)}" for warning in report.warnings))
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


def _cases(report: Report, rows: Sequence[RankedModel]) -> str:
    anchors = [escape(row.name) for row in rows if row.rank is None]
    columns = pivot_columns(
        case_columns(report.pass_k, several_sets=True), View.MARKDOWN, _names(rows), anchors=anchors
    )
    body = markdown_table(columns, case_rows([row.model for row in rows]))
    return f"<details><summary>Cases: passed samples and scores</summary>\n\n{body}\n\n</details>"


def _names(rows: Sequence[RankedModel]) -> list[str]:
    return [escape(row.name) for row in rows]


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


def _outcomes(rows: Sequence[RankedModel]) -> str:
    return "\n".join(f"- {escape(row.name)}: {escape(outcomes_line(row.model))}" for row in rows)
