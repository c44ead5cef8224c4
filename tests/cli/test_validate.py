"""Eval sets are checked like code: references must score 1.0, stubs must not pass."""

import json
from pathlib import Path

import pytest
from program import Program

from forgetest.evalset.load import load

pytestmark = pytest.mark.cargo

RIGHT = "pub fn one() -> u8 { 1 }"
TESTS = "#[test]\nfn is_one() { assert_eq!(one(), 1); }"


def a_case(name: str, *, reference: str = RIGHT, tests: str = TESTS, more: str = "") -> str:
    return f"""
[[cases]]
id = "{name}"
prompt = "Write `pub fn one() -> u8` that returns 1."
reference_solution = '''{reference}'''
[cases.expectations]
test_file = '''{tests}'''
{more}
"""


CASES = (
    a_case("sound")
    + a_case("wrong", reference="pub fn one() -> u8 { 2 }")
    + a_case("linted", reference="pub fn one() -> u8 { return 1; }")
    + a_case("toothless", tests="#[test]\nfn nothing() {}")
    + a_case("untested", tests="fn helper() {}")
    + a_case("demanding", more='expected_types = ["Missing"]')
    + a_case("half", more="should_pass_tests = false")
    + """
[[cases]]
id = "rejected"
prompt = "Write code that moves a String twice."
reference_solution = "pub fn f(s: String) -> (String, String) { (s, s) }"
[cases.expectations]
should_compile = false
expected_error_codes = ["E0382"]
"""
)


def test_each_kind_of_broken_case_is_named_with_its_reason(forgetest: Program) -> None:
    head = '[eval_set]\nid = "s"\nname = "S"\n'
    (forgetest.folder / "s.toml").write_text(head + CASES, encoding="utf-8")

    done = forgetest("validate", "s.toml")

    assert done.code == 1
    said = dict(line.split("] ", 1)[1].split(": ", 1) for line in done.err.splitlines())
    assert said["s/sound"] == "ok"
    assert said["s/rejected"] == "ok"
    assert said["s/half"].startswith("ok (should_pass_tests = false: samples score at most 0.5")
    assert "reference_solution does not pass (score 0.500)" in said["s/wrong"]
    assert "clippy finds clippy::needless_return" in said["s/linted"]
    assert "the tests do not check anything" in said["s/toothless"]
    assert "defines no test functions" in said["s/untested"]
    assert "defines no type Missing" in said["s/demanding"]


def test_lints_in_what_others_wrote_do_not_break_it(forgetest: Program) -> None:
    head = '[eval_set]\nid = "s"\nname = "S"\n[eval_set.source]\nname = "Somebody"\n'
    cases = a_case("linted", reference="pub fn one() -> u8 { return 1; }") + a_case(
        "wrong", reference="pub fn one() -> u8 { return 2; }"
    )
    (forgetest.folder / "s.toml").write_text(head + cases, encoding="utf-8")

    linted = forgetest("validate", "s.toml", "--case", "linted")
    wrong = forgetest("validate", "s.toml", "--case", "wrong")

    assert linted.code == 0
    assert "s/linted: ok (reference_solution scores 0.990, not 1.0: clippy finds" in linted.err
    assert wrong.code == 1
    assert "s/wrong: broken (reference_solution does not pass (score" in wrong.err


def test_every_shipped_case_is_sound(remembering: Program, eval_sets: Path) -> None:
    done = remembering("validate", eval_sets)

    assert done.code == 0, done.out
    shipped = sum(len(item.cases) for item in load([eval_sets]))
    assert sum(line.endswith(": ok") for line in done.err.splitlines()) == shipped


def test_references_are_the_upper_anchor_and_stubs_the_lower(
    remembering: Program, eval_sets: Path
) -> None:
    done = remembering(
        "run", "-e", eval_sets / "rust-basics.toml", "-m", "reference/solution,reference/stub",
        "--pass-k", "1", "--format", "json", "--quiet",
    )  # fmt: skip

    upper, lower = json.loads(done.out)["models"]
    assert done.code == 0, done.err
    assert {case["mean_score"] for case in upper["cases"]} == {1.0}
    assert lower["overall"]["samples_passed"] == 0
    assert lower["overall"]["compile_rate"]["value"] == 1.0


CRATES = {
    "nowhere": '{ name = "forgetest-is-no-such-crate", version = "1" }',
    "unbuildable": '{ name = "rustc-serialize", version = "=0.3.0" }',
}


def with_crates(forgetest: Program, *names: str) -> None:
    head = '[eval_set]\nid = "s"\nname = "S"\n'
    cases = [
        a_case(name).replace("prompt =", f"dependencies = [{CRATES[name]}]\nprompt =")
        for name in names
    ]
    (forgetest.folder / "s.toml").write_text(head + a_case("sound") + "".join(cases), "utf-8")


def test_crates_that_nobody_can_have_break_their_own_cases_alone(forgetest: Program) -> None:
    with_crates(forgetest, *CRATES)

    done = forgetest("validate", "s.toml")

    said = dict(line.split("] ", 1)[1].split(": ", 1) for line in done.err.splitlines())
    assert done.code == 1
    assert said["s/sound"] == "ok"
    assert "no matching package named `forgetest-is-no-such-crate`" in said["s/nowhere"]
    assert "do not build: error" in said["s/unbuildable"]
    assert "registry" not in said["s/unbuildable"]


def test_a_network_that_is_down_says_nothing_about_a_case(forgetest: Program) -> None:
    with_crates(forgetest, "nowhere")
    proxy = "http://127.0.0.1:9"  # where nobody listens
    offline = {"CARGO_HTTP_PROXY": proxy, "CARGO_NET_RETRY": "0", "NO_PROXY": "", "no_proxy": ""}

    shallow = forgetest("validate", "s.toml", **offline)
    deep = forgetest("validate", "--deep", "s.toml", "--times", "1", **offline)

    assert (shallow.code, shallow.out) == (2, "")
    assert shallow.err.startswith("error: dependencies forgetest-is-no-such-crate 1 cannot be")
    assert len(shallow.err.splitlines()) == 1
    assert deep.code == 3
    assert "s/nowhere: unchecked (dependencies)" in deep.err
    assert "s/sound: ok" in deep.err
