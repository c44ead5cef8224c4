"""`validate --deep` finds each kind of case that a score would mean nothing on, and says why."""

import pytest
from deepsets import DOUBLE, HEAD, Checked, a_case, deep
from program import program_in

pytestmark = pytest.mark.cargo

FIRST = """
use std::collections::HashSet;
pub fn first(words: &[&str]) -> String {
    let all: HashSet<String> = words.iter().map(|word| (*word).to_string()).collect();
    all.into_iter().next().unwrap_or_default()
}
"""
# Eight at even odds: some grading differs from another but once in 16 million.
FIRST_TESTS = "".join(
    f'#[test] fn takes_{n}() {{ assert_eq!(first(&["{n}", "x{n}"]), "{n}"); }}\n' for n in range(8)
)
# In a macro, because what only libtest can run shares a folder of temporary files.
ORDERED_TESTS = """
macro_rules! written { ($($body:tt)*) => { $($body)* } }
written! {
    #[test]
    fn a_writes() {
        std::fs::write(std::env::temp_dir().join("kept"), [super::double(2) as u8]).unwrap();
    }
    #[test]
    fn b_reads() {
        assert_eq!(std::fs::read(std::env::temp_dir().join("kept")).unwrap(), [4]);
    }
}
"""
CONTRADICTORY = """
#[test]
fn is_large() { assert!(is_large_number(4)); }
#[test]
fn is_small() { assert!(!is_large_number(4)); }
"""
SLEEPY = """
pub fn rest(n: u32) -> u32 {
    std::thread::sleep(std::time::Duration::from_millis(200));
    n + 1
}
"""
REST_TESTS = "#[test]\nfn counts() { assert_eq!((rest(1), rest(7)), (2, 8)); }"
CONTINUED = "/// Twice the number.\npub fn double(n: u32) -> u32 {\n"

CASES = (
    a_case("sound"),
    a_case("chancy", reference=FIRST, tests=FIRST_TESTS, prompt="Write `first(words: &[&str])`."),
    a_case("ordered", tests=ORDERED_TESTS),
    a_case(
        "contradictory",
        reference="pub fn is_large_number(n: u32) -> bool { n > 3 }",
        tests=CONTRADICTORY,
        prompt="Write `pub fn is_large_number(n: u32) -> bool`.",
    ),
    a_case("unnamed", prompt="Write a function that returns twice its argument."),
    a_case("toothless", tests="#[test]\nfn nothing() { assert!(double as usize != 0); }"),
    a_case("zero", tests="#[test]\nfn zero() { assert_eq!(double(0), 0); }"),
    a_case(
        "tight",
        reference=SLEEPY,
        tests=REST_TESTS,
        prompt="Write `pub fn rest(n: u32) -> u32` that sleeps a while and returns n + 1.",
        more="timeout_secs = 1.0",
    ),
    a_case(
        "crateless", more='dependencies = [{ name = "forgetest-is-no-such-crate", version = "1" }]'
    ),
    a_case(
        "unfit",
        reference=None,
        prompt=CONTINUED,
        tests='#[test]\nfn two() { assert_eq!(double("2"), 4); }',
    ),
    a_case(
        "too-large",
        reference=None,
        prompt=CONTINUED,
        tests="#[test]\nfn two() { assert_eq!(double(2), 67756856320645824322581483068371419); }",
    ),
    a_case("unproven", reference=None, prompt=CONTINUED),
    a_case("linted", reference="pub fn double(n: u32) -> u32 { return n * 2; }"),
)  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Checked:
    """Check every case of this module at once."""
    program = program_in(
        tmp_path_factory.mktemp("deep"), tmp_path_factory.mktemp("cache"), pytestconfig
    )
    return deep(program, *CASES)


def test_a_sound_case_has_no_findings_and_its_tests_notice_every_mutant(found: Checked) -> None:
    case = found.case("sound")

    assert case["findings"] == []
    assert case["soundness"]["gradings"] == 3
    assert case["soundness"]["score"] == 1.0
    assert case["strength"]["killed"] >= 3
    assert case["test_strength"] == 1.0


def test_a_broken_case_makes_the_exit_code_1(found: Checked) -> None:
    assert found.done.code == 1
    assert found.data["totals"]["broken"] == sum(
        case["broken"] for item in found.data["sets"] for case in item["cases"]
    )


def test_a_reference_that_hangs_on_map_order_is_unsteady(found: Checked) -> None:
    message = found.findings("chancy")["broken unsteady"]

    assert "depend on chance" in message
    assert "takes_" in message


def test_tests_that_need_each_other_depend_on_their_order(found: Checked) -> None:
    message = found.findings("ordered")["broken order"]

    assert "(b_reads)" in message
    assert "reversed and each alone" in message


def test_asserts_that_contradict_each_other_are_named(found: Checked) -> None:
    message = found.findings("contradictory")["broken contradiction"]

    assert "is_large_number(4)" in message
    assert message.endswith("must be true and false")
    assert "broken reference" in found.findings("contradictory")
    shown = found.shown("contradictory", "contradiction")
    assert ["is_large_number(4)" in line for line in shown] == [True, True]


def test_a_prompt_that_does_not_name_what_the_tests_call_is_broken(found: Checked) -> None:
    assert "use double" in found.findings("unnamed")["broken unnamed"]


def test_tests_that_a_stub_passes_prove_nothing(found: Checked) -> None:
    assert "todo!()" in found.findings("toothless")["broken stub"]


def test_tests_that_a_constant_passes_prove_too_little(found: Checked) -> None:
    assert "passes" in found.findings("zero")["broken blank"]
    assert "passed" in found.case("zero")["soundness"]["blanks"].values()


def test_a_limit_without_margin_is_told_with_a_better_one(found: Checked) -> None:
    message = found.findings("tight")["broken time"]
    timing = found.case("tight")["soundness"]["timing"]

    assert message.startswith("test counts takes 0.4")
    assert timing["limit_secs"] == 1.0
    assert timing["suggested_timeout_secs"] == 5.0
    assert message.endswith("set timeout_secs = 5")


def test_a_crate_that_can_not_be_had_breaks_its_own_case_alone(found: Checked) -> None:
    message = found.findings("crateless")["broken dependencies"]

    assert "forgetest-is-no-such-crate" in message
    assert "/" not in message
    assert not found.case("sound")["broken"]


@pytest.mark.parametrize("name", ["unfit", "too-large"])
def test_tests_that_do_not_compile_against_the_prompts_declarations_are_found(
    found: Checked, name: str
) -> None:
    assert "do not compile against" in found.findings(name)["broken prompt_code"]
    (line,) = found.shown(name, "prompt_code")
    assert "fn two() { assert_eq!(double(" in line


def test_a_case_without_reference_is_no_more_than_noted(found: Checked) -> None:
    assert list(found.findings("unproven")) == ["note no_reference"]
    assert not found.case("unproven")["broken"]


def test_lints_break_a_reference_of_our_own(found: Checked) -> None:
    assert "clippy::needless_return" in found.findings("linted")["broken reference"]


def test_lints_in_what_others_wrote_are_a_note(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> None:
    program = program_in(
        tmp_path_factory.mktemp("deep"), tmp_path_factory.mktemp("cache"), pytestconfig
    )
    theirs = f'{HEAD}[eval_set.source]\nname = "Somebody"\n'
    linted = a_case("linted", reference=DOUBLE.replace("n * 2", "return n * 2;"))

    found = deep(program, linted, head=theirs, args=("--times", "1"))

    assert found.done.code == 0
    assert "clippy::needless_return" in found.findings("linted")["note lints"]
