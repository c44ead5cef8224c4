"""Tables of forgetest.toml as ways of asking: texts, files, examples, and what is wrong."""

from pathlib import Path

import pytest

from forgetest.errors import ConfigError, ConfigFileError
from forgetest.runner.config import parse_config
from forgetest.runner.variants import VariantTable, resolve, resolved
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.variant import DEFAULT

EVAL_SET = """
[eval_set]
id = "s"
[[cases]]
id = "one"
prompt = "Write `one`."
reference_solution = "pub fn one() -> u8 { 1 }"
[cases.expectations]
expected_functions = ["one"]
should_pass_tests = false
[[cases]]
id = "open"
prompt = "Write what you like."
[cases.expectations]
should_pass_tests = false
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the configuration stands, with an eval set."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(EVAL_SET, encoding="utf-8")
    return tmp_path


def test_a_text_stands_in_the_table_or_in_a_file_that_it_names(folder: Path) -> None:
    (folder / "prompts").mkdir()
    (folder / "prompts" / "ask.md").write_text("{prompt}\n\nBe brief.\n", encoding="utf-8")

    variant = resolve("x", VariantTable(system="See a.md first.", template="prompts/ask.md"))

    assert variant.system == "See a.md first."
    assert variant.template == "{prompt}\n\nBe brief.\n"


def test_what_a_table_leaves_open_is_as_ever() -> None:
    assert resolve("x", VariantTable()) == DEFAULT
    assert resolve("x", VariantTable(temperature=0.0)).model_dump() == {"temperature": 0.0}


def test_an_example_is_asked_as_the_variant_asks_and_answered_by_the_reference(
    folder: Path,
) -> None:
    variant = resolve("few", VariantTable(template="Q: {prompt}", examples=("s.toml/one",)))

    (example,) = variant.examples
    assert (example.case, example.prompt) == ("s/one", "Q: Write `one`.")
    assert example.answer == "```rust\npub fn one() -> u8 { 1 }\n```"


def test_an_example_may_be_of_a_shipped_set() -> None:
    variant = resolve("few", VariantTable(examples=("starter/is-even",)))

    assert [example.case for example in variant.examples] == ["starter/is-even"]


@pytest.mark.parametrize(
    ("example", "error"),
    [
        ("s.toml/open", "s.toml/open has no reference_solution to show"),
        ("s.toml/ones", 's.toml has no case ones; did you mean "one"?'),
        ("nowhere/one", "nowhere: no such file, folder or shipped eval set"),
    ],
)
def test_an_example_that_cannot_be_shown_is_named_with_variant_and_key(
    folder: Path, example: str, error: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve("few", VariantTable(examples=(example,)))

    assert str(caught.value).startswith(f"variant few: examples: {error}")
    assert "\n" not in str(caught.value)


def test_only_variants_that_are_asked_for_are_resolved(folder: Path) -> None:
    tables = {"a": VariantTable(top_p=0.5), "b": VariantTable(examples=("nowhere/x",))}
    models = [
        ModelSpec(provider="p", model="m"),
        ModelSpec(provider="p", model="m", variant="a"),
        ModelSpec(provider="q", model="m", variant="a"),
    ]

    assert list(resolved(tables, models)) == ["a"]


NAMES = "the names are prompt, context, edition, dependencies, signatures"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[variants.x]\nsystm = "a"', '2: unknown key "variants.x.systm"; did you mean "system"?'),
        (
            '[variants.x]\n\ntemplate = "{promt}"',
            '3: "variants.x.template": a template has no {promt}; did you mean {prompt}?',
        ),
        (
            '[variants.x]\nsystem = "{{ tests }}"',
            f'2: "variants.x.system": a template has no {{tests}}; {NAMES}',
        ),
        (
            '[variants.x]\ntemplate = """\n{% if %}"""',
            '2: "variants.x.template": line 1: Expected an expression',
        ),
        (
            '[variants.x]\nsystem = "prompts/none.md"',
            '2: "variants.x.system": prompts/none.md cannot be read: No such file or directory',
        ),
        (
            '[variants.x]\nsystem = "latin.txt"',
            '2: "variants.x.system": latin.txt is not UTF-8 text',
        ),
        (
            '[variants.x]\nsystem = "wrong.md"',
            '2: "variants.x.system": wrong.md: a template has no {code}; ',
        ),
        (
            '[variants.x]\nexamples = ["starter/is-even", "is-even"]',
            '2: "variants.x.examples.1": "is-even" is not EVAL_SET/CASE, such as starter/is-even',
        ),
        ('[variants.Few]\nsystem = "a"', '1: "variants.Few": a name is lower-case letters'),
        ('[variants.default]\nsystem = "a"', '1: "variants.default": the default variant is how'),
    ],
)
def test_what_is_wrong_with_a_variant_is_said_when_the_file_is_read(
    folder: Path, text: str, error: str
) -> None:
    (folder / "wrong.md").write_text("{code}", encoding="utf-8")
    (folder / "latin.txt").write_bytes("Größe".encode("latin-1"))

    with pytest.raises(ConfigFileError) as caught:
        parse_config(text, file="f.toml", environ={})

    assert str(caught.value).startswith(f"f.toml:{error}")


def test_all_variants_are_read_and_every_problem_is_told() -> None:
    text = '[variants.a]\nsystem = "{x}"\ntemplate = "{y}"\n[variants.b]\nsystem = "{z}"'
    with pytest.raises(ConfigFileError) as caught:
        parse_config(text, file="f.toml", environ={})

    assert [problem.line for problem in caught.value.problems] == [2, 3, 5]


def test_functions_of_jinja_are_no_names_of_the_template() -> None:
    text = '[variants.a]\ntemplate = "{% for n in range(2) %}{prompt}{% endfor %}"'

    assert parse_config(text, file="f.toml", environ={}).variants["a"].template
