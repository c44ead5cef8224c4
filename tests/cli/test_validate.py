"""Eval sets are checked like code: references must score 1.0, stubs must not pass."""

import json
from pathlib import Path

import pytest
from program import ROOT, Done, Program

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


def findings(done: Done) -> dict[str, str]:
    """Return what is said of each case in JSON."""
    return {
        case["case"]: "; ".join(
            f"{finding['severity']}: {finding['message']}" for finding in case["findings"]
        )
        for item in json.loads(done.out)["sets"]
        for case in item["cases"]
    }


def test_each_kind_of_broken_case_is_named_with_its_reason(forgetest: Program) -> None:
    head = '[eval_set]\nid = "s"\nname = "S"\n'
    (forgetest.folder / "s.toml").write_text(head + CASES, encoding="utf-8")

    done = forgetest("validate", "s.toml", "--format", "json")

    assert done.code == 1
    lines = dict(line.split("] ", 1)[1].split(": ", 1) for line in done.err.splitlines())
    assert (lines["s/sound"], lines["s/rejected"]) == ("ok", "ok")
    assert (lines["s/wrong"], lines["s/half"]) == ("broken (reference)", "note (half score)")
    told = findings(done)
    assert (told["s/sound"], told["s/rejected"]) == ("", "")
    assert told["s/half"].startswith("note: should_pass_tests = false: samples score at most 0.5")
    assert "broken: reference_solution does not pass (score 0.500)" in told["s/wrong"]
    assert "scores 0.990, not 1.0: clippy::needless_return: unneeded" in told["s/linted"]
    assert "the tests do not check anything" in told["s/toothless"]
    assert "defines no test functions" in told["s/untested"]
    assert "defines no type Missing" in told["s/demanding"]


def test_lints_in_what_others_wrote_do_not_break_it(forgetest: Program) -> None:
    head = '[eval_set]\nid = "s"\nname = "S"\n[eval_set.source]\nname = "Somebody"\n'
    cases = a_case("linted", reference="pub fn one() -> u8 { return 1; }") + a_case(
        "wrong", reference="pub fn one() -> u8 { return 2; }"
    )
    (forgetest.folder / "s.toml").write_text(head + cases, encoding="utf-8")

    linted = forgetest("validate", "s.toml", "--case", "linted", "-f", "json")
    wrong = forgetest("validate", "s.toml", "--case", "wrong", "-f", "json")

    assert linted.code == 0
    note = "note: reference_solution scores 0.990, not 1.0: clippy::needless_return"
    assert findings(linted)["s/linted"].startswith(note)
    assert wrong.code == 1
    assert "broken: reference_solution does not pass (score" in findings(wrong)["s/wrong"]


@pytest.mark.parametrize("first", range(3))
def test_shipped_cases_are_sound(remembering: Program, eval_sets: Path, first: int) -> None:
    """Check every tenth: `make cases` has checked all, and its record names what it checked."""
    shipped = [case.key for item in load([eval_sets]) for case in item.cases]
    chosen = shipped[::10][first::3]

    done = remembering("validate", eval_sets, *(f"--case={case}" for case in chosen))

    assert done.code == 0, done.out
    sound = [line for line in done.err.splitlines() if line.endswith(": ok")]
    assert len(sound) == len(chosen)


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
    "featureless": '{ name = "serde", version = "1", features = ["dervie"] }',
    "versionless": '{ name = "serde", version = "77" }',
    "misspelt": '{ name = "sered", version = "1" }',
}


def with_crates(forgetest: Program, *names: str) -> list[str]:
    """Write a set with a case for each crate and one for none; return its lines."""
    head = '[eval_set]\nid = "s"\nname = "S"\n'
    cases = [
        a_case(name).replace("prompt =", f"dependencies = [{CRATES[name]}]\nprompt =")
        for name in names
    ]
    text = head + a_case("sound") + "".join(cases)
    (forgetest.folder / "s.toml").write_text(text, "utf-8")
    return text.split("\n")


def test_crates_that_nobody_can_have_break_their_own_cases_alone(forgetest: Program) -> None:
    lines = with_crates(forgetest, *CRATES)

    done = forgetest("validate", "s.toml", "-f", "json")

    told = findings(done)
    assert done.code == 1
    assert told["s/sound"] == ""
    assert told["s/nowhere"] == "broken: there is no crate `forgetest-is-no-such-crate`"
    assert told["s/misspelt"] == "broken: there is no crate `sered`; did you mean `serde`?"
    assert told["s/featureless"] == (
        "broken: crate `serde` has no feature `dervie`; did you mean `derive`?"
    )
    assert told["s/versionless"].startswith("broken: crate `serde` has no version ^77; the newest")
    assert "do not build: error" in told["s/unbuildable"]
    assert "registry" not in told["s/unbuildable"]
    for case in json.loads(done.out)["sets"][0]["cases"][1:]:
        line = lines[case["findings"][0]["excerpt"]["line"] - 1]
        assert CRATES[case["case"].removeprefix("s/")] in line


def test_a_crate_that_all_cases_share_is_told_of_once(forgetest: Program) -> None:
    crate = '{ name = "serde", version = "1", features = ["dervie"] }'
    head = f'[eval_set]\nid = "s"\ndependencies = [\n    {crate},\n]\n'
    text = head + "".join(a_case(f"c{number}") for number in range(5))
    (forgetest.folder / "s.toml").write_text(text, encoding="utf-8")

    done = forgetest("validate", "s.toml", COLUMNS="200")

    (line,) = [line for line in done.out.splitlines() if "dervie" in line]
    assert line.rstrip() == (
        "s.toml:4: broken: 5 cases (s/c0, s/c1, s/c2, and 2 more cases): crate `serde` has no"
        " feature `dervie`; did you mean `derive`?"
    )


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


def test_memory_is_shown_beside_its_limits_which_the_reference_must_keep(
    forgetest: Program,
) -> None:
    guide = (ROOT / "docs" / "eval-sets.md").read_text(encoding="utf-8")
    section = guide.partition("## Counting work and memory")[2]
    example = section.partition("```toml\n")[2].partition("```")[0]
    shown = section.partition("```text\n")[2].partition("```")[0]
    limit = "max_allocations = 4"
    over = example.replace('"merge"\n', '"over"\n', 1).replace(limit, "max_allocations = 2")
    head = '[eval_set]\nid = "counted"\n'
    (forgetest.folder / "s.toml").write_text(f"{head}{example}{over}", encoding="utf-8")

    merge = forgetest("validate", "s.toml", "--case", "merge")
    over_it = forgetest("validate", "s.toml", "--case", "over", "-f", "json")

    assert (merge.code, over_it.code) == (0, 1)
    for line in filter(None, map(str.strip, shown.splitlines())):
        assert line in merge.out
    (case,) = json.loads(over_it.out)["sets"][0]["cases"]
    finding, *_ = case["findings"]
    assert finding["excerpt"]["rows"][-1]["text"].endswith(
        "it made 3 allocations, and max_allocations is 2"
    )
    assert case["soundness"]["memory"] == {
        "allocations": 3,
        "max_allocations": 2,
        "peak_bytes": 800,
        "max_peak_bytes": 8192,
    }
