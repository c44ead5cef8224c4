"""Templates: names in braces, Rust around them, and what cannot be filled in."""

import re

import pytest

from forgetest.sampling.template import NAMES, fill, names_in

VALUES = {name: name.upper() for name in NAMES}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{prompt} ({edition})", "PROMPT (2021)"),
        ("{{ prompt }}", "PROMPT"),
        ("{% if dependencies %}with {dependencies}{% endif %}\n", "with DEPENDENCIES\n"),
        ("fn f() { 1 }", "fn f() { 1 }"),
        ("{} {0} {:?} {{}} { prompt }", None),
        ("{% raw %}{prompt} {x}{% endraw %} {prompt}", "{prompt} {x} PROMPT"),
        ('println!("{% raw %}{x}{% endraw %}")', 'println!("{x}")'),
        ("<&\"'>", "<&\"'>"),
    ],
)
def test_names_are_filled_in_and_rust_stays(template: str, text: str | None) -> None:
    values = {**VALUES, "edition": "2021"}
    if text is None:
        assert fill("{} {0} {:?} { prompt }", values) == "{} {0} {:?} { prompt }"
    else:
        assert fill(template, values) == text


def test_what_is_filled_in_is_no_template() -> None:
    assert fill("{prompt}", {**VALUES, "prompt": "{{ edition }} {edition}"}) == (
        "{{ edition }} {edition}"
    )


@pytest.mark.parametrize(
    ("template", "error"),
    [
        ("{promt}", "a template has no {promt}; did you mean {prompt}?"),
        ("{{ tests }}", "a template has no {tests}; the names are prompt, context"),
        ("{% if %}", "Expected an expression"),
        ("{{ ''.__class__.__mro__ }}", "access to attribute '__class__'"),
        ("{{ 1 / 0 }}", "cannot be filled in: division by zero"),
        ("{{ range(10 ** 9) | list }}", "Range too big"),
    ],
)
def test_what_is_wrong_with_a_template_is_said(template: str, error: str) -> None:
    with pytest.raises(ValueError, match=re.escape(error)):
        fill(template, VALUES)


def test_the_names_of_a_template_are_known() -> None:
    assert names_in("{prompt} {{ edition }} {% if context %}x{% endif %} { x }") == {
        "prompt",
        "edition",
        "context",
    }
    with pytest.raises(ValueError, match="line 2: "):
        names_in("\n{% if %}")
