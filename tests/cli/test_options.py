"""No option that is given twice is heard once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from compared import report, write
from compared_runs import BROKEN, TEN
from placing import place
from program import Program
from tiny import SET
from typer.testing import CliRunner

from forgetest.cli.commands import COMMANDS, app, load_command

LISTS = {  # options whose values add up
    ("run", "--models"), ("run", "--pass-k"), ("run", "--format"), ("run", "--eval-set"),
    ("run", "--variant"),
    ("run", "--filter"), ("run", "--case"), ("grade", "--pass-k"), ("grade", "--format"),
    ("grade", "--eval-set"), ("grade", "--filter"), ("grade", "--case"), ("report", "--format"),
    ("rank", "--k"), ("compare", "--gate"), ("compare", "--map"), ("list-models", "--provider"),
    ("validate", "--filter"), ("validate", "--case"), ("compare", "--allow-removed"),
    ("run", "--fail-under"), ("grade", "--fail-under"), ("report", "--fail-under"),
    ("compare", "--format"), ("prompt", "--eval-set"),
    ("serve", "--eval-set"), ("serve", "--filter"), ("serve", "--case"), ("serve", "--allow-host"),
}  # fmt: skip


def options() -> Iterator[tuple[str, str, Any]]:
    """Yield every option of every command that takes a value."""
    commands = {name: load_command(name) for name in COMMANDS}
    for name in ("local", "cache"):
        inner = commands.pop(name)
        commands.update({f"{name} {word}": found for word, found in inner.commands.items()})
    for name, found in commands.items():
        for parameter in found.params:
            if parameter.param_type_name == "option" and not parameter.is_flag:
                yield name, max(parameter.opts, key=len), parameter


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_80_columns_shows_every_option_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 80)
    found = load_command(name)
    inner = getattr(found, "commands", {})
    for words, command in [((), found), *(((word,), inner[word]) for word in inner)]:
        shown = CliRunner().invoke(app, [name, *words, "--help"]).output.replace(",", " ").split()
        names = [option for item in command.params for option in (*item.opts, *item.secondary_opts)]
        cut = [option for option in names if option.startswith("--") and option not in shown]
        assert not cut, shown


def test_what_is_a_list_adds_up_and_nothing_else() -> None:
    assert {(name, option) for name, option, found in options() if found.multiple} == LISTS


@pytest.mark.parametrize(
    ("command", "option", "values"),
    [(name, option, found.nargs) for name, option, found in options() if not found.multiple],
)
def test_what_is_no_list_is_taken_once(command: str, option: str, values: int) -> None:
    twice = [option, *["1"] * values] * 2
    done = CliRunner().invoke(app, [*command.split(), *twice])

    assert f"{option} takes one value, but was given 2 times" in str(done.exception)


def test_a_value_that_the_shell_took_apart_is_to_be_quoted(forgetest: Program) -> None:
    done = forgetest("run", "--case", "is-even", "triple")

    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: Got unexpected extra argument(s) (triple);"
        " quote a value that holds spaces, *, ? or brackets, so that it stays one\n"
    )


def test_models_and_ks_of_a_run_add_up(forgetest: Program) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")

    done = forgetest(
        *("run", "--dry-run", "-e", "tiny.toml", "-m", "ollama/a,ollama/b", "--model", "ollama/c"),
        *("--pass-k", "1", "--pass-k", "5", "--case", "is-even,triple"),
    )

    assert done.code == 0, done.err
    assert "3 models x 2 cases x 5 samples" in done.out
    assert all(f"ollama/{name}" in done.out for name in "abc")


def test_a_configuration_with_fewer_samples_gives_way_and_greedy_ks_are_warned_of(
    forgetest: Program,
) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    (forgetest.folder / "forgetest.toml").write_text(
        '[run]\nmodels = ["ollama/a"]\nsamples = 2\npass_k = [1, 2]\n',
        encoding="utf-8",
    )
    run = ("run", "--dry-run", "-e", "tiny.toml", "--pass-k", "1,5", "--temperature")

    warm, greedy = forgetest(*run, "0.8"), forgetest(*run, "0")

    note = "note: 5 samples per case, not the 2 of the configuration: pass@5 needs them\n"
    assert (warm.code, warm.err) == (0, note)
    assert "1 model x 2 cases x 5 samples" in warm.out
    assert greedy.err.startswith(
        f"{note}note: pass@5 at temperature 0: the samples of ollama/a will hardly differ"
    )


def test_a_wrong_word_among_several_is_named(forgetest: Program) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    run = ("run", "--dry-run", "-e", "tiny.toml", "-m", "ollama/a")

    refused = forgetest(*run, "--pass-k", "1", "--pass-k", "x").err
    assert "--pass-k must be whole numbers from 1, such as 1,5; got 1,x" in refused
    assert "given twice" in forgetest(*run, "-m", "ollama/a").err
    assert "--format yaml does not exist" in forgetest(*run, "-f", "html", "-f", "yaml").err


def test_formats_and_ks_of_what_is_done_already_add_up(forgetest: Program) -> None:
    place(forgetest.folder / "runs").rename(forgetest.folder / "RUN")

    written = forgetest("report", "RUN", "-f", "csv", "-f", "markdown,junit", "-o", "out")
    ranked = forgetest("rank", "RUN", "--k", "1", "--k", "2", "--format", "json")

    assert written.code == 0, written.err
    names = {path.name for path in (forgetest.folder / "out").iterdir()}
    assert names == {"samples.csv", "cases.csv", "report.md", "junit.xml"}
    assert json.loads(ranked.out)["options"]["k"] == [1, 2]


@pytest.fixture
def runs(forgetest: Program) -> Program:
    """Return the program beside a baseline, an equal run, a broken one, and a noisy drop."""
    write(forgetest.folder, "a.json", report(TEN))
    write(forgetest.folder, "same.json", report(TEN))
    write(forgetest.folder, "broken.json", report(BROKEN))
    write(forgetest.folder, "noisy.json", report({**TEN, "set/c3": "PPPBB"}))
    return forgetest


@pytest.mark.parametrize(
    "gates",
    [
        ("--fail-on-regression", "--gate", "evidence"),
        ("--gate", "evidence", "--fail-on-regression"),
        ("--gate", "threshold", "--gate", "evidence"),
        ("--gate", "either"),
    ],
)
def test_two_gates_fail_by_either_and_say_by_which(runs: Program, gates: tuple[str, ...]) -> None:
    def compared(current: str, *more: str) -> tuple[int, Any]:
        argv = ("compare", "--baseline", "a.json", "--current", current, "-f", "json")
        done = runs(*argv, *gates, *more)
        return done.code, json.loads(done.out)["gate"]

    threshold, evidence = "regressed by the threshold rule", "regressed by the evidence rule"
    code, gate = compared("noisy.json")
    assert (code, gate["rule"], gate["reasons"]) == (1, "either", [threshold])
    assert compared("broken.json")[1]["reasons"] == [threshold, evidence]
    assert compared("broken.json", "--threshold", "1")[1]["reasons"] == [evidence]
    assert compared("same.json")[0] == 0


def test_one_rule_named_twice_is_that_rule(runs: Program) -> None:
    argv = ("compare", "--baseline", "a.json", "--current", "noisy.json")
    twice = runs(*argv, "--gate", "threshold", "--fail-on-regression")
    evidence = runs(*argv, "--gate", "evidence")

    assert twice.out.startswith("REGRESSION: set/c3 dropped by 0.400, within noise")
    assert (twice.code, evidence.code) == (1, 0)


@pytest.mark.parametrize(
    "more",
    ["--fail-on-regression", "--gate evidence", "--baseline a.json", "--strict", "--regrade"],
)
def test_what_a_self_check_would_not_heed_is_refused(runs: Program, more: str) -> None:
    done = runs("compare", "--self-check", "a.json", *more.split())

    assert (done.code, done.out) == (2, "")
    assert more.split()[-1 if more.startswith("--baseline") else 0] in done.err


@pytest.mark.parametrize("more", ["--splits 5", "--sandbox none", "--allow-custom-checks"])
def test_what_a_plain_comparison_would_not_heed_is_refused(runs: Program, more: str) -> None:
    done = runs("compare", "--baseline", "a.json", "--current", "same.json", *more.split())

    assert (done.code, done.out) == (2, "")
    assert more.split(maxsplit=1)[0] in done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    assert load_command(name).help.partition("\n")[0] == COMMANDS[name]
