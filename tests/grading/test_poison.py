"""What a sample leaves behind helps no other: after it, wrong code fails and right code passes."""

import asyncio
from collections.abc import Iterator

import pytest
from attacks import attack, cases
from boxes import BACKENDS, guarded, sandbox_of, toolchain
from graders import grade_together
from surroundings import Surroundings, surroundings

from forgetest.extract.types import Extractor
from forgetest.runner.judging import judge_completion
from forgetest.sampling.completion import Completion, Finish
from forgetest.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.cargo

RIGHT = "pub fn rev(s: &str) -> String { s.chars().rev().collect() }\n"
WRONG = "pub fn rev(s: &str) -> String { s.to_owned() }\n"
POISONS = ("e01", "e08", "e09", "e10", "e11", "k01", "k05", "f31")

# Answers that bring files, each beside a wrong one in Rust.
FILES = {
    "k01": (
        "toml",
        '[package]\nname = "sample"\nversion = "0.1.0"\nbuild = "build.rs"\n',
    ),
    "k01-script": (
        "rust",
        'fn main() { std::fs::write("@OUTSIDE@/build", "ran").unwrap(); std::process::exit(0) }',
    ),
    "k02": ("toml", '[target.x86_64-unknown-linux-gnu]\nrunner = "/bin/true"\n'),
    "k03": ("toml", '[build]\nrustc-wrapper = "/bin/true"\n'),
    "k04": ("toml", '[toolchain]\npath = "@OUTSIDE@"\n'),
    "k05": ("toml", "[lib]\nproc-macro = true\n"),
    "k06": ("toml", '[[test]]\nname = "case"\nharness = false\n'),
    "k07": ("toml", '[dependencies]\nrand = "0.9"\n'),
}  # fmt: skip


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    with surroundings(tmp_path_factory.mktemp("poison"), toolchain().sysroot) as made:
        yield made


@pytest.fixture(params=BACKENDS)
def sandbox(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Sandbox:
    return sandbox_of(request.param, pytestconfig)


@pytest.mark.parametrize("name", POISONS)
def test_after_a_poisoned_sample_and_beside_it_others_get_their_own_verdicts(
    name: str, sandbox: Sandbox, around: Surroundings
) -> None:
    poison = attack(name)
    grader = guarded(sandbox, cache=around.cache, temp=around.temp)
    samples = [RIGHT, poison.code(around.places), WRONG]

    beside = grade_together(grader, [(poison.case, code) for code in samples])
    after = grade_together(grader, [(poison.case, code) for code in samples])

    for verdicts in (beside, after):
        assert [verdict.passed for verdict in verdicts] == [True, False, False]
        assert str(verdicts[2].outcome) == "tests_failed"


@pytest.mark.parametrize("name", FILES)
def test_files_that_an_answer_brings_are_no_part_of_its_crate(
    name: str, sandbox: Sandbox, around: Surroundings
) -> None:
    language, text = FILES[name]
    text = text.replace("@OUTSIDE@", str(around.places["OUTSIDE"]))
    grader = guarded(sandbox, cache=around.cache, temp=around.temp)
    before = around.state()["files"]

    async def judged(code: str) -> bool:
        reply = f"Two files:\n```{language}\n{text}\n```\nand\n```rust\n{code}\n```\n"
        _, verdict = await judge_completion(
            Completion(text=reply, finish=Finish.STOP),
            cases()["rev"],
            grader=grader,
            extractor=Extractor.DEFINING,
            extracting=asyncio.Semaphore(1),
        )
        return verdict.passed

    assert [asyncio.run(judged(code)) for code in (WRONG, RIGHT)] == [False, True]
    cache = str(around.cache)
    after = around.state()["files"]
    assert {path for path in set(after) ^ set(before) if not path.startswith(cache)} == set()


def test_the_same_sample_gets_the_same_verdict_alone_and_among_eight(
    sandbox: Sandbox, around: Surroundings
) -> None:
    grader = guarded(sandbox, cache=around.cache, temp=around.temp)
    case = cases()["rev"]
    codes = (RIGHT, WRONG, attack("f02").code({}), attack("f16").code({}))
    alone = [grade_together(grader, [(case, code)])[0].outcome for code in codes]
    together = grade_together(grader, [(case, code) for code in codes * 2])
    assert [verdict.outcome for verdict in together] == alone * 2
