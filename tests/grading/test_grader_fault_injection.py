"""A machine that fails may cost a verdict, and never changes one."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from boxes import guarded, sandbox_of, toolchain
from graders import cache_of, grade
from program import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from faults.gradings import Tally, can_mount, trials, undisturbed
from faults.killer import Killer, Shot
from faults.runs import runs
from faults.samples import abrupt

from forgetest.errors import Fault, FaultKind
from forgetest.grading.diagnostics import BuildRun, RustcMessage
from forgetest.grading.diagnostics import undisturbed as undisturbed_call
from forgetest.grading.grader import SampleGrader
from forgetest.system.process import Exit, is_sent

SAMPLES = {sample.name: sample for sample in abrupt()}
NEXT = SAMPLES["right"].case
RIGHT = SAMPLES["right"].code
SHORT = ("right", "private", "wrong", "no-such-symbol", "aborts", "type-error", "silenced-lints")
SENT = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
CRASHES = [signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL]


@pytest.mark.cargo
@pytest.mark.parametrize(("backend", "count"), [("bwrap", 26), ("landlock", 14)])
def test_no_trouble_of_the_machine_changes_a_verdict(
    backend: str, count: int, pytestconfig: pytest.Config
) -> None:
    sandbox = sandbox_of(backend, pytestconfig)

    def make(temp: Path | None) -> SampleGrader:
        return guarded(sandbox, cache=cache_of(pytestconfig), temp=temp)

    known = undisturbed(make(None), [SAMPLES[name] for name in SHORT], times=1)
    tally = Tally(list(trials(make, known, count, seed=20, fill=can_mount())))

    assert tally.different == []
    assert sum(trial.hit for trial in tally.trials) > count / 2, tally


@pytest.mark.cargo
def test_killed_runs_resume_to_the_report_of_an_unbroken_one(pytestconfig: pytest.Config) -> None:
    random = Random(4)  # noqa: S311 - no secret
    with runs(cache_of(pytestconfig)) as them:
        found = [them.broken(random, fresh=fresh) for fresh in (False, True)]

    assert [broken.trouble for broken in found] == [""] * 2
    assert all(broken.deaths for broken in found)


@pytest.fixture(scope="module")
def prepared(pytestconfig: pytest.Config) -> None:
    """Have what samples are compiled with ready before compilers fail."""
    grade(guarded(sandbox_of("none", pytestconfig), cache=cache_of(pytestconfig)), NEXT, RIGHT)


def by_hand(pytestconfig: pytest.Config, tmp_path: Path, script: str) -> SampleGrader:
    """Return a grader without walls whose compilers do what `script` says before they compile."""
    sound = toolchain()
    sandbox = sandbox_of("none", pytestconfig)
    programs = {}
    for name in ("rustc", "clippy_driver"):
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\n{script}\nexec {getattr(sound, name)} "$@"\n')
        path.chmod(0o755)
        programs[name] = path
    tools = replace(sound, **programs)
    return SampleGrader(tools, cache=cache_of(pytestconfig), sandbox=sandbox)


def at_first(times: int, what: str, folder: Path) -> str:
    """Return a script that does something to the first so many calls."""
    return (
        f"n=$(cat {folder}/calls 2>/dev/null || echo 0); echo $((n + 1)) >{folder}/calls\n"
        f'if [ "$n" -lt {times} ]; then {what}; fi'
    )


def over_the_sample(what: str) -> str:
    """Return a script that does something to calls for a sample that says MARK."""
    return f"if grep -q MARK src/lib.rs; then {what}; fi"


ONE_ERROR = '{"level":"error","message":"m","code":null,"spans":[{"file_name":"src/lib.rs",'
ONE_ERROR += '"line_start":1,"column_start":1,"line_end":1,"column_end":2,"is_primary":true}]}'


@pytest.mark.cargo
@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(
    ("times", "what"),
    [
        (1, "kill -TERM $$"),
        (2, "kill -KILL $$"),
        (2, "kill -SEGV $$"),
        (1, "kill -BUS $$"),
        (1, f"echo '{ONE_ERROR}' >&2; kill -TERM $$"),
        (2, "exit 1"),
        (1, "echo 'error: No space left on device' >&2; exit 101"),
    ],
    ids=["TERM", "KILL-2", "SEGV-2", "BUS", "TERM-in-the-middle", "silent", "no-space"],
)
def test_what_passes_as_it_came_costs_a_sample_nothing(
    times: int, what: str, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = by_hand(pytestconfig, tmp_path, at_first(times, what, tmp_path))

    verdict = grade(grader, NEXT, RIGHT)

    assert verdict.passed
    assert (verdict.lints, verdict.flags) == ((), ())


@pytest.mark.cargo
@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("what", ["kill -SEGV $$", "kill -ABRT $$", "exit 1", "exit 101"])
def test_a_compiler_that_fails_over_one_sample_every_time_is_that_sample_s_failure(
    what: str, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = by_hand(pytestconfig, tmp_path, over_the_sample(what))

    assert grade(grader, NEXT, RIGHT).passed
    assert grade(grader, NEXT, f"// MARK\n{RIGHT}").outcome == "compile_failed"


@pytest.mark.cargo
@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("what", ["kill -KILL $$", "kill -TERM $$", "kill -HUP $$"])
def test_a_signal_that_only_others_send_is_a_fault_however_often_it_comes(
    what: str, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = by_hand(pytestconfig, tmp_path, over_the_sample(what))

    with pytest.raises(Fault, match="killed 3 times") as raised:
        grade(grader, NEXT, f"// MARK\n{RIGHT}")
    assert raised.value.kind is FaultKind.SANDBOX


SUICIDE = (
    'extern "C" {{ fn raise(signal: i32) -> i32; }}\n'
    # Twice: the first time std's own handler of overflows may take it.
    "pub fn next(x: u32) -> u32 {{ unsafe {{ raise({number}); raise({number}) }}; x + 1 }}\n"
)


@pytest.mark.cargo
@pytest.mark.parametrize("number", [*CRASHES, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_signal_that_a_test_sends_itself_makes_it_a_fault(
    number: signal.Signals, pytestconfig: pytest.Config
) -> None:
    grader = guarded(sandbox_of("bwrap", pytestconfig), cache=cache_of(pytestconfig))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        verdict = grade(grader, NEXT, SUICIDE.format(number=int(number)))
    finally:
        signal.signal(signal.SIGHUP, before)

    # It may not send SIGKILL: then nothing happens, and what is right is right.
    assert verdict.passed is (number is signal.SIGKILL)
    assert str(verdict.outcome) in ("test_crashed", "passed")


@pytest.mark.cargo
def test_a_test_that_is_killed_once_is_run_again(pytestconfig: pytest.Config) -> None:
    grader = guarded(sandbox_of("bwrap", pytestconfig), cache=cache_of(pytestconfig))
    slow = RIGHT.replace("{ x", "{ std::thread::sleep(std::time::Duration::from_millis(300)); x")
    for number in (signal.SIGTERM, signal.SIGSEGV):
        with Killer(Shot("test", number, 0.0), Random(1)) as killer:  # noqa: S311 - no secret
            assert grade(grader, NEXT, slow).passed
        assert killer.hits


def ended(code: int | None = None, number: int | None = None, *, timed_out: bool = False) -> Exit:
    return Exit(code, number, timed_out, False, b"", b"", 0.0, 0.0)  # noqa: FBT003


def linked(how: str, **more: object) -> BuildRun:
    text = f"linking with `/x/rust-lld` failed: {how}"
    error = RustcMessage.model_validate({"level": "error", "message": text, **more})
    return BuildRun(ended(1), (error,), None, "")


SPAN = {"file_name": "src/lib.rs", "line_start": 1, "column_start": 1, "line_end": 1}


@pytest.mark.parametrize(
    ("run", "cut_by"),
    [
        (linked("signal: 9 (SIGKILL)"), 9),
        (linked("signal: 7 (SIGBUS) (core dumped)"), 7),
        (linked("signal: 25 (SIGXFSZ)"), None),  # a limit of ours
        (linked("exit status: 1"), None),
        (linked("signal: 9 (SIGKILL)", spans=[{**SPAN, "column_end": 2}]), None),  # a sample's text
        (linked("signal: 9 (SIGKILL)", code={"code": "E0000"}), None),
        (BuildRun(ended(None, 15), (), 15, ""), 15),
        (BuildRun(ended(101), (), 15, ""), 15),  # cargo tells of rustc
        (BuildRun(ended(None, 9, timed_out=True), (), 9, ""), None),
        (BuildRun(ended(None, 24), (), 24, ""), None),
        (BuildRun(ended(0), (), None, ""), None),
    ],
)
def test_a_signal_to_compiler_or_linker_is_known(run: BuildRun, cut_by: int | None) -> None:
    assert run.cut_by == cut_by


def calls(*signals: int | None) -> Callable[[], "asyncio.Future[Exit]"]:
    """Return what ends by one signal after the other; None is an end of its own."""
    left = list(signals)

    async def attempt() -> Exit:
        number = left.pop(0)
        return ended(0) if number is None else ended(None, number)

    return attempt  # type: ignore[return-value]


@pytest.mark.parametrize("sent", SENT)
@pytest.mark.parametrize("crash", CRASHES)
def test_only_a_trusted_program_that_crashes_alike_each_time_does_so_by_itself(
    sent: signal.Signals, crash: signal.Signals
) -> None:
    def outcome(*signals: int | None, trusted: bool = True) -> int | str | None:
        try:
            attempt = calls(*signals)
            return asyncio.run(undisturbed_call(attempt, "it", trusted=trusted)).signal
        except Fault:
            return "fault"

    assert is_sent(sent)
    assert not is_sent(crash)
    assert outcome(None) is None
    assert outcome(sent, None) is None
    assert outcome(crash, sent, None) is None
    assert outcome(crash, crash) == crash
    assert outcome(crash, sent, crash) == "fault"
    assert outcome(sent, sent, sent) == "fault"
    assert outcome(crash, sent, crash, trusted=False) == crash
    assert outcome(9, 9, 9, trusted=False) == "fault"


def test_what_ran_before_a_disturbance_is_spared() -> None:
    """Such as the loaded program that the tests start commands with."""
    bystander = subprocess.Popen(["sleep", "60"])
    with Killer(Shot("any", signal.SIGKILL, 0.0), Random(1)):  # noqa: S311 - no secret
        victim = subprocess.Popen(["sleep", "60"])
        assert victim.wait(timeout=30) == -signal.SIGKILL
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
