"""What the documentation says is so: commands, options, tables, examples."""

import ast
import re
import tomllib
from collections.abc import Container, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from program import ROOT, Program

from forgetest.errors import ExitCode
from forgetest.evalset.load import load
from forgetest.evalset.schema import CaseTable, EvalSetTable
from forgetest.evalset.types import Difficulty, Expectations
from forgetest.grading.verdict import Outcome
from forgetest.runner.config import parse_config
from forgetest.sampling.providers.presets import PRESETS
from forgetest.sampling.replay import read_rows

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}


def rows(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the table whose first header cell is `heading`."""
    _, _, rest = text.partition(f"| {heading} |")
    lines = rest.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_command_and_option_of_the_documentation_exists(forgetest: Program) -> None:
    said = re.findall(r"forgetest ([a-z-]+)((?: [^`\n]*)?)", "\n".join((README, *DOCS.values())))
    assert len(said) > 50
    helps: dict[str, str] = {}
    for command, rest in said:
        if command in {
            "run",
            "grade",
            "compare",
            "report",
            "show",
            "rank",
            "prompt",
            "import",
            "validate",
            "list-models",
            "schema",
            "doctor",
            "init",
            "local",
        }:
            if command not in helps:
                helps[command] = forgetest(command, "--help").out
            for option in re.findall(r"--[a-z-]+", rest):
                assert option in helps[command], (command, option)


def test_the_readmes_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in re.findall(r"^make ([a-z]+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_design_names_every_module() -> None:
    design = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    package = ROOT / "forgetest"
    modules = {path.stem for path in package.glob("*.py") if not path.stem.startswith("__")}
    folders = {path.parent.name + "/" for path in package.glob("*/__init__.py")}

    assert not {name for name in modules | folders if f"`{name}`" not in design}


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    top = [ROOT / name for name in ("README.md", "DESIGN.md", "CONTRIBUTING.md")]
    for path in [*top, ROOT / "examples" / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link, heading in re.findall(
            r"\]\(([^)#]*)(?:#([^)]*))?\)", path.read_text(encoding="utf-8")
        ):
            page = path.parent / link if link else path
            assert page.exists(), (path.name, link)
            assert not heading or heading in headings(page), (path.name, link, heading)


def headings(page: Path) -> set[str]:
    """Return the anchors that a forge gives to the headings of a page."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_the_index_of_the_documentation_names_every_page() -> None:
    listed = set(re.findall(r"\]\(([a-z-]+\.md)\)", DOCS["README.md"]))

    assert listed == set(DOCS) - {"README.md"}


def test_the_table_of_servers_is_the_table_of_presets() -> None:
    said = {
        words(row[0])[0]: (row[1], (words(row[2]) or [None])[0], int(row[3]))
        for row in rows(DOCS["models.md"], "provider")
    }

    assert said == {p.name: (p.protocol, p.key_env, p.concurrency) for p in PRESETS.values()}


def test_the_tables_of_outcomes_and_exit_codes_are_complete() -> None:
    outcomes = [word for row in rows(DOCS["reports.md"], "outcome") for word in words(row[0])]
    codes = [int(row[0]) for row in rows(DOCS["reports.md"], "code")]

    assert sorted(outcomes) == sorted(Outcome)
    assert codes == sorted(ExitCode)


def test_the_example_of_an_eval_set_is_the_one_that_init_writes(tmp_path: Path) -> None:
    example = DOCS["eval-sets.md"].partition("```toml\n")[2].partition("```\n")[0]
    template = ROOT / "forgetest" / "cli" / "templates" / "first.toml"
    file = tmp_path / "first.toml"
    file.write_text(example, encoding="utf-8")

    assert template.read_text(encoding="utf-8") == example
    assert len(load([file])[0].cases) == 1


def test_every_key_of_an_eval_set_is_documented() -> None:
    prose = re.sub(r"```.*?```", "", DOCS["eval-sets.md"], flags=re.DOTALL)
    said = set(words(prose))
    for table in (EvalSetTable, CaseTable, Expectations):
        missing = set(table.model_fields) - said
        assert missing <= {"source", "expectations", "context"}, missing


@pytest.mark.parametrize(
    "file", ["examples/forgetest.toml", "forgetest/cli/templates/forgetest.toml"]
)
def test_the_example_configurations_are_valid_and_whole(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")

    config = parse_config(text, file=file, environ={})

    assert set(tomllib.loads(text)["run"]) == {
        name for name, value in config.run if value is not None
    }


def test_the_tables_of_shipped_sets_are_complete() -> None:
    sets = load([ROOT / "eval-sets"])
    checked = {words(row[0])[0]: row for row in rows(DOCS["eval-sets.md"], "set") if words(row[0])}
    described = [words(row[0])[0] for row in rows(DOCS["eval-sets.md"], "file")]

    assert sorted(checked) == sorted(described) == sorted(item.id for item in sets)
    for item in sets:
        levels = [sum(case.difficulty == level for case in item.cases) for level in Difficulty]
        explained = sum(len(case.equivalent_mutants) for case in item.cases)
        cells = checked[item.id]
        assert cells[1:3] == [str(len(item.cases)), " / ".join(map(str, levels))], item.id
        assert cells[6] == str(explained), item.id
    total = sum(len(item.cases) for item in sets)
    assert f"{total} cases in {len(sets)} [eval sets]" in README


def test_every_shipped_case_says_its_topics_and_how_hard_it_is() -> None:
    cases = [case for item in load([ROOT / "eval-sets"]) for case in item.cases]

    assert len(cases) >= 120
    assert all(case.tags and case.difficulty and case.reference_solution for case in cases)


def test_the_example_completions_are_of_cases_that_ship() -> None:
    rows_ = read_rows((ROOT / "examples" / "completions.jsonl").read_bytes(), file="x")
    (starter,) = load([ROOT / "eval-sets" / "starter.toml"])

    assert {row.case for row in rows_} <= {case.id for case in starter.cases}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("comparison.txt", ()),
        ("comparison.json", ("--format", "json")),
        ("comparison.md", ("--format", "markdown")),
        ("annotations.txt", ("--format", "github")),
    ],
)
def test_the_kept_comparison_is_what_compare_says(
    forgetest: Program, name: str, options: tuple[str, ...]
) -> None:
    kept = ROOT / "examples" / "comparison"
    for file in ("temperature-0.3.json", "temperature-0.9.json"):
        (forgetest.folder / file).write_bytes((kept / file).read_bytes())

    done = forgetest(
        *("compare", "temperature-0.3.json", "temperature-0.9.json", "--gate", "evidence"),
        *options,
        GITHUB_STEP_SUMMARY=str(forgetest.folder / "summary.md"),
    )

    assert done.out == (kept / name).read_text(encoding="utf-8"), "renew it: comparison/make"


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (ROOT / "forgetest").rglob("*.py")
    }
    imports = {name: set(imported(path, graph)) - {name} for name, path in graph.items()}

    order = TopologicalSorter(imports)
    order.prepare()  # CycleError names the files of a circle

    assert len(imports) > 100
    assert sum(map(len, imports.values())) > 1_000


def imported(path: Path, modules: Container[str]) -> Iterator[str]:
    """Yield the modules of the package that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("forgetest"):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                target = full if full in modules else node.module or ""
                if target in modules:
                    yield target


def test_the_walk_names_files_and_functions_that_are_there() -> None:
    _, _, walk = (ROOT / "DESIGN.md").read_text(encoding="utf-8").partition("## The walk")
    steps = re.findall(
        r"\]\((forgetest/[\w/]+\.py)\)(?:: ((?:`[\w.]+`(?:, | and )?)+))?", " ".join(walk.split())
    )

    files = {file for file, _ in steps}
    assert 20 <= len(files) <= 30
    for file, names in steps:
        defined = definitions(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        assert {name.strip("`") for name in re.findall(r"`[\w.]+`", names)} <= defined, file


def definitions(tree: ast.Module) -> set[str]:
    """Return the functions and classes of a module, and `Class.method`."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    top = [node for node in tree.body if isinstance(node, kinds)]
    members = {
        f"{node.name}.{member.name}"
        for node in top
        for member in node.body
        if isinstance(member, kinds)
    }
    return {node.name for node in top} | members
