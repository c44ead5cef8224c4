"""A report as markdown for a pull request or an issue: the verdict first, model text escaped."""

from collections.abc import Iterator

from forgetest.render.agreement import headline
from forgetest.render.numbers import interval, money, passed_of
from forgetest.render.run import sandbox_line
from forgetest.render.safe import escape
from forgetest.render.tables import breakdown, extension_lines, ranking, rate
from forgetest.report.agreement import Agreement
from forgetest.report.types import ModelReport, Report
from forgetest.value import count


def report_markdown(report: Report) -> str:
    """Return the report as GitHub markdown, ending in a newline."""
    ranked = ranking(report)
    parts = [_head(report), _leaderboard(report, ranked), _cases(ranked), _outcomes(ranked)]
    if told := list(extension_lines(ranked)):
        parts.append("\n".join(f"- {escape(line)}" for line in told))
    if report.warnings:
        parts.append("\n".join(f"> ⚠ {escape(warning)}" for warning in report.warnings))
    if report.agreement is not None:
        parts.extend(_agreement(report.agreement))
    return "\n\n".join(parts) + "\n"


def table(header: list[str], rows: list[list[str]], *, texts: int = 1) -> str:
    """Return a markdown table; the first columns are text, the rest are figures."""
    rule = [*["---"] * texts, *["---:"] * (len(header) - texts)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])


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
    first = report.pass_k[0]
    header = ["model"]
    for k in report.pass_k:
        header.append(f"pass@{k}")
        if k == first:
            header.append("95 % interval")
    rows = [
        [
            escape(str(model.model)),
            *_rates(report, model),
            "–"
            if model.overall.mean_score.value is None
            else f"{model.overall.mean_score.value:.3f}",
            rate(model.overall.compile_rate),
            money(model.cost).replace("$", "\\$"),
        ]
        for model in ranked
    ]
    return table([*header, "score", "compile", "cost"], rows)


def _rates(report: Report, model: ModelReport) -> list[str]:
    cells: list[str] = []
    for k in report.pass_k:
        metric = model.overall.pass_at_k[str(k)]
        cells.append(f"**{rate(metric)}**")
        if k == report.pass_k[0]:
            cells.append(interval(metric.ci95))
    return cells


def _cases(ranked: list[ModelReport]) -> str:
    rows = [
        [escape(cases[0].key), *(passed_of(case.c, case.n, case.planned) for case in cases)]
        for cases in zip(*(model.cases for model in ranked), strict=True)
    ]
    body = table(["case", *(escape(str(model.model)) for model in ranked)], rows)
    return f"<details><summary>Passed samples per case</summary>\n\n{body}\n\n</details>"


def _agreement(found: Agreement) -> Iterator[str]:
    yield f"**{headline(found)}**"
    differing = (*found.disagreements, *found.flaky_disagreements)
    if differing:
        rows = [
            [
                escape(f"{one.case} #{one.sample}"),
                escape(one.recorded),
                one.ours,
                escape(one.reason),
            ]
            for one in differing
        ]
        yield table(["disagreement", "recorded", "ours", "reason"], rows, texts=4)


def _outcomes(ranked: list[ModelReport]) -> str:
    return "\n".join(f"- {escape(str(m.model))}: {escape(breakdown(m))}" for m in ranked)
