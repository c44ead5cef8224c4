"""What Tab offers: the shell asks the program as it asks any that typer makes."""

import pytest
from program import Program
from tiny import SET

CONFIG = """
[run]
eval_sets = ["tiny.toml"]
models = ["mine/m"]
[providers.mine]
preset = "vllm"
[variants.terse]
system = "Terse."
"""


def offered(program: Program, line: str) -> list[str]:
    """Return what is offered for the last word of a command line, in order."""
    completion = {
        "_FORGETEST_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = program(**completion)
    assert done.code == 0, done.err
    return done.out.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("forgetest run --sandbox lan", ["landlock"]),
        ("forgetest run --models min", ["mine/m", "mine/"]),
        (
            "forgetest run --model mine/m,ref",
            ["mine/m,reference/solution", "mine/m,reference/stub"],
        ),
        ("forgetest run --case ", ["is-even", "triple"]),
        ("forgetest validate tiny.toml --filter !beg", ["!beginner"]),
        ("forgetest report -f html,cs", ["html,csv"]),
        ("forgetest list-models -p mi", ["mine", "mistral"]),
        ("forgetest show ", ["runs/b", "runs/a"]),
        ("forgetest run --extractor l", ["last"]),
        ("forgetest run --models mine/m@t", ["mine/m@terse"]),
        ("forgetest run --variant ", ["default", "terse"]),
        ("forgetest prompt tri", ["triple"]),
        ("forgetest prompt starter/is-e", ["starter/is-even"]),
    ],
)
def test_the_shell_completes_values(forgetest: Program, line: str, expected: list[str]) -> None:
    tagged = SET.replace('id = "triple"', 'id = "triple"\ntags = ["beginner"]')
    (forgetest.folder / "tiny.toml").write_text(tagged, encoding="utf-8")
    (forgetest.folder / "forgetest.toml").write_text(CONFIG, encoding="utf-8")
    for name in ("a", "b"):
        (forgetest.folder / "runs" / name).mkdir(parents=True)
        (forgetest.folder / "runs" / name / "manifest.json").touch()

    assert offered(forgetest, line) == expected


def test_a_configuration_that_cannot_be_read_offers_less_and_prints_nothing(
    forgetest: Program,
) -> None:
    (forgetest.folder / "forgetest.toml").write_text("[run", encoding="utf-8")

    assert offered(forgetest, "forgetest run --models ref") == [
        "reference/solution",
        "reference/stub",
    ]
