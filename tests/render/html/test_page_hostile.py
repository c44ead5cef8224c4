"""Text of models, cases and files on a page: it cannot run, restyle, leave or hide anything."""

import html
import json
import re
from pathlib import Path

import pytest
from browsing import Browsing, Opened
from htmlruns import ALL_HOSTILE, HOSTILE, hostile

from forgetest.render.html import report_files
from forgetest.render.html.data import script_json
from forgetest.render.html.markup import link_to

OPENED_IN = 2000  # milliseconds, with much to spare on a busy machine


def sample_of(text: str) -> str:
    name = text.replace("|", "")
    return link_to(f"set/{name}", f"p/{name}", 1)


def shown(browsing: Browsing, folder: Path, text: str) -> Opened:
    """Open the page at a sample, and unfold everything."""
    opened = browsing.open(folder, report_files([hostile(text)]), at=sample_of(text))
    opened.page.locator("#viewer-body .verdict").wait_for()
    opened.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    return opened


def harm(opened: Opened) -> list[str]:
    """Return what text has done to a page."""
    found = [*opened.complaints, *opened.requests]
    if opened.page.evaluate("window.pwned") is not None:
        found.append("a script ran")
    strange = "img, iframe, object, embed, base, form:not(#filters), link, svg svg, [style], svg a"
    found += [f"made {tag}" for tag in opened.page.evaluate(_TAGS, strange)]
    if opened.page.evaluate("document.querySelectorAll('script').length") != _SCRIPTS:
        found.append("made a script")
    if opened.page.evaluate("document.querySelectorAll('style').length") != 1:
        found.append("made a style")
    handlers = opened.page.evaluate(_HANDLERS)
    return [*found, *(f"has {name}" for name in handlers)]


def milliseconds(opened: Opened, at: str) -> float:
    """Return how long it takes to show a sample."""
    took: float = opened.page.evaluate(_OPEN, at)
    return took


_OPEN = """async (at) => {
    const start = performance.now();
    location.hash = at;
    while (!document.querySelector('#viewer-body .code')) await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""
_TAGS = "all => [...document.querySelectorAll(all)].map(one => one.tagName)"
_HANDLERS = """() => [...document.querySelectorAll('*')].flatMap(one => [...one.attributes])
    .map(one => one.name).filter(name => name.startsWith('on'))"""
_SCRIPTS = 7  # six of data, one of ours


@pytest.mark.parametrize("text", [*HOSTILE, ALL_HOSTILE], ids=lambda text: text[:12].encode().hex())
def test_hostile_text_does_nothing(text: str, browsing: Browsing, tmp_path: Path) -> None:
    opened = shown(browsing, tmp_path, text)
    assert harm(opened) == []


def test_nothing_that_hides_or_turns_text_is_obeyed(browsing: Browsing, tmp_path: Path) -> None:
    opened = shown(browsing, tmp_path, "a\u202eb\u200bc\x1b[31md\u2066e")
    body = opened.text("#viewer-body .code >> nth=0")
    assert "aU+202EbU+200BcU+001B[31mdU+2066e" in body
    said = opened.page.evaluate("document.body.innerText")
    assert not re.search("[\u202e\u200b\x1b\u2066]", said)


def test_stacked_accents_stay_in_their_block(browsing: Browsing, tmp_path: Path) -> None:
    opened = shown(browsing, tmp_path, "z" + "\u0301" * 500)
    contain = "getComputedStyle(document.querySelector('#viewer .code')).contain"
    assert "paint" in opened.page.evaluate(contain)
    assert harm(opened) == []


def test_a_line_of_a_megabyte_is_cut_and_said_to_be(browsing: Browsing, tmp_path: Path) -> None:
    big = report_files([hostile("x")])["report.html"].replace(
        '"text":"x"', f'"text":"{"a<" * 500_000}"'.replace("<", "\\u003c")
    )
    opened = browsing.open(tmp_path, {"report.html": big})
    assert milliseconds(opened, sample_of("x")) < OPENED_IN
    opened.page.locator("summary", has_text="Completion as received").click()
    assert "800,000 more characters are not shown" in opened.text("#viewer-body")
    assert harm(opened) == []


@pytest.mark.parametrize("text", ['"' * 200_000, "/*" * 100_000, "r#" * 100_000, "'a" * 100_000])
def test_code_that_is_slow_to_colour_is_shown_at_once(
    text: str, browsing: Browsing, tmp_path: Path
) -> None:
    page = report_files([hostile("x")])["report.html"]
    page = page.replace('"code":"x"', f'"code":{json.dumps(text)}')
    opened = browsing.open(tmp_path, {"report.html": page})
    assert milliseconds(opened, sample_of("x")) < OPENED_IN
    assert opened.complaints == []


@pytest.mark.parametrize("text", [*HOSTILE, "\ud800", "&amp;", "]]>"])
def test_json_in_a_script_holds_no_sign_that_could_end_it(text: str) -> None:
    made = script_json([text])
    assert json.loads(made) == [text]
    assert not set("<>&\u2028\u2029") & set(made)
    assert made.isascii()


def test_the_policy_lets_nothing_in_but_the_style_and_script_of_the_page() -> None:
    page = report_files([hostile()])["report.html"]
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    directives = dict(part.strip().split(" ", 1) for part in html.unescape(policy).split(";"))
    assert directives["default-src"] == "'none'"
    hashed = re.compile(r"'sha256-[A-Za-z0-9+/]{43}='")
    assert hashed.fullmatch(directives["script-src"])
    assert hashed.fullmatch(directives["style-src"])
    assert directives["base-uri"] == directives["form-action"] == "'none'"
    assert directives["require-trusted-types-for"] == "'script'"


def test_the_policy_stops_a_script_that_someone_puts_into_the_page(
    browsing: Browsing, tmp_path: Path
) -> None:
    page = report_files([hostile("x")])["report.html"]
    bad = page.replace("<main", "<script>window.pwned = 1</script><img src=x.png><main")
    opened = browsing.open(tmp_path, {"report.html": bad})
    assert opened.page.evaluate("window.pwned") is None
    assert len(opened.complaints) == 2
    with pytest.raises(Exception, match="TrustedHTML"):
        opened.page.evaluate("document.body.innerHTML = '<p>x</p>'")
