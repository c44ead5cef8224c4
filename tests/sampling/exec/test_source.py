"""A command as a source: answers, faults, and nothing left running, with real processes."""

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest
from commands import MODEL, asked, even_draw, host, is_running, shell
from draws import completion, fault

from forgetest.errors import FaultKind
from forgetest.sampling.completion import Finish
from forgetest.sampling.exec.source import GIVEN_UP, CommandProvider, CommandSource
from forgetest.sampling.halt import Halt

BOTH = pytest.mark.parametrize("io", ["stdio", "workspace"])
WRITES = "cat > src/lib.rs <<'END'\npub fn is_even(n: i32) -> bool { true }\nEND\n"
STRAY = (
    'setsid sh -c "echo \\$\\$ >> $PIDS; sleep 60" & sh -c "echo \\$\\$ >> $PIDS; exec sleep 60" & '
)
WAITS = "while [ $(wc -l < $PIDS) -lt 2 ]; do sleep 0.01; done; "


def strays(tmp_path: Path, rest: str) -> tuple[str, dict[str, str], Path]:
    """Return a script that forks twice, into a session of its own too, and its environment."""
    pids = tmp_path / "pids"
    pids.touch()
    return STRAY + WAITS + rest, {"PIDS": str(pids)}, pids


def test_standard_output_is_the_completion(tmp_path: Path) -> None:
    (outcome,) = asked(shell("printf 'fn answer() {}'; echo aside >&2"), tmp_path)

    answer = completion(outcome)
    assert answer.text == "fn answer() {}"
    assert answer.finish is Finish.STOP
    assert answer.cost.usd is None
    (log,) = tmp_path.rglob("*.log")
    assert log.read_text().split("\n")[2:] == ["--- stderr", "aside", ""]


def test_a_workspace_gives_src_lib_and_says_what_else_changed(tmp_path: Path) -> None:
    script = (
        WRITES + "touch src/more.rs notes.txt; echo >> Cargo.toml; mkdir target; touch target/x"
    )
    (outcome,) = asked(shell(script, io="workspace"), tmp_path)

    answer = completion(outcome)
    assert answer.text == "```rust\npub fn is_even(n: i32) -> bool { true }\n```\n"
    assert answer.notes == (
        "new, not graded: notes.txt, src/more.rs",
        "changed, not graded: Cargo.toml",
    )


def test_a_stub_left_as_it_was_is_an_answer_without_the_solutions_body(tmp_path: Path) -> None:
    (outcome,) = asked(shell("true", io="workspace"), tmp_path)

    assert completion(outcome).text == "```rust\npub fn is_even(n: i32) -> bool { todo!() }\n```\n"


def test_a_link_in_place_of_src_lib_is_not_followed(tmp_path: Path) -> None:
    (outcome,) = asked(shell("ln -sf /etc/passwd src/lib.rs", io="workspace"), tmp_path)

    assert completion(outcome).text == ""


@BOTH
def test_a_failing_command_is_tried_again_and_its_last_words_are_the_fault(
    tmp_path: Path, io: str
) -> None:
    count = tmp_path / "count"
    script = f"echo x >> {count}; echo 'code' ; echo 'no credit left' >&2; exit 3"
    (outcome,) = asked(shell(script, io=io), tmp_path / "logs")

    attempts = {"stdio": 3, "workspace": 2}[io]
    assert fault(outcome).message == (
        f"exec/mine: exit code 3: no credit left (gave up after {attempts} attempts)"
    )
    assert not fault(outcome).final
    assert len(count.read_text().split()) == attempts


@BOTH
def test_a_crash_is_a_fault(tmp_path: Path, io: str) -> None:
    (outcome,) = asked(shell("kill -SEGV $$", io=io), tmp_path)

    assert "ended by SIGSEGV" in fault(outcome).message


@BOTH
def test_a_flood_is_ended_and_is_a_fault(tmp_path: Path, io: str) -> None:
    (outcome,) = asked(shell("yes", io=io), tmp_path)

    assert "printed more than" in fault(outcome).message
    (log,) = tmp_path.rglob("*.log")
    assert log.stat().st_size < 200_000


@BOTH
def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path, io: str) -> None:
    script, environ, pids = strays(tmp_path, "sleep 60")
    spec = shell(script, io=io, timeout_secs=0.7, pass_env=("PIDS",))
    (outcome,) = asked(spec, tmp_path / "logs", environ=environ)

    assert fault(outcome).message == "exec/mine: did not end within 0.7 s"
    assert not is_running(pids)


@BOTH
def test_what_a_command_left_running_is_ended(tmp_path: Path, io: str) -> None:
    script, environ, pids = strays(tmp_path, "exit 0")
    (outcome,) = asked(shell(script, io=io, pass_env=("PIDS",)), tmp_path / "logs", environ=environ)

    assert completion(outcome)
    assert len(pids.read_text().split()) == 2
    assert not is_running(pids)


@BOTH
def test_cancelling_ends_a_command_and_removes_its_folder(tmp_path: Path, io: str) -> None:
    script, _, pids = strays(tmp_path, "pwd > $PIDS.new; mv $PIDS.new $PIDS.cwd; sleep 60")
    spec = shell(script, io=io, pass_env=("PIDS",))

    async def cancelled() -> None:
        environ = {"PATH": "/usr/bin:/bin", "PIDS": str(pids)}
        async with CommandProvider(spec, host(tmp_path / "logs"), environ) as provider:
            task = asyncio.create_task(CommandSource(MODEL, provider).complete(even_draw()))
            while not pids.with_suffix(".cwd").exists():  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()

    asyncio.run(cancelled())
    assert not is_running(pids)
    where = Path(pids.with_suffix(".cwd").read_text().strip())
    assert where.exists() is (io == "stdio")


def test_the_time_of_a_workspace_may_be_its_budget(tmp_path: Path) -> None:
    script = WRITES + "sleep 60"
    spec = shell(script, io="workspace", timeout_secs=0.5, on_timeout="answer")
    (outcome,) = asked(spec, tmp_path)

    answer = completion(outcome)
    assert "{ true }" in answer.text
    assert answer.finish is Finish.LENGTH


def test_a_missing_program_ends_the_asking(tmp_path: Path) -> None:
    first, second = asked(shell("nosuchprogram"), tmp_path, even_draw(), even_draw())

    assert fault(first).message.startswith("exec/mine: exit code 127: ")
    assert fault(second).final
    assert len((next(tmp_path.rglob("*.log"))).read_text().split("$ ")) == 2, "run once"


def test_a_command_without_any_answer_is_given_up(tmp_path: Path) -> None:
    draws = [even_draw(index=number) for number in range(GIVEN_UP + 2)]
    outcomes = asked(shell("exit 1"), tmp_path, *draws)

    assert [fault(outcome).final for outcome in outcomes] == [False] * 4 + [True] * 3
    assert "given up after 5 samples" in fault(outcomes[-1]).message


def test_a_command_reports_what_it_used(tmp_path: Path) -> None:
    report = '{"cost_usd": 0.25, "input_tokens": 7, "output_tokens": 5, "model": "mine-1"}'
    halt = Halt(max_cost_usd=Decimal("0.3"))
    script = f"echo '{report}' > $FORGETEST_REPORT; echo code"
    first, second, third = asked(
        shell(script), tmp_path, *[even_draw(index=index) for index in range(3)], halt=halt
    )

    answer = completion(first)
    assert (answer.cost.usd, answer.cost.source) == (Decimal("0.25"), "provider")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (7, 5)
    assert answer.served_model == "mine-1"
    assert completion(second)
    assert isinstance(third, Exception)
    assert "--max-cost $0.3 is reached" in str(third)


def test_a_failed_attempt_that_cost_something_is_counted(tmp_path: Path) -> None:
    once = tmp_path / "once"
    reports = "echo '{\"cost_usd\": 1}' > $FORGETEST_REPORT; "
    script = reports + f"test -e {once} || {{ touch {once}; exit 1; }}"
    (outcome,) = asked(shell(script), tmp_path / "logs")

    assert completion(outcome).cost.usd == 2
    assert completion(outcome).attempts == 2


def test_a_wrong_report_is_a_note_and_the_answer_stays(tmp_path: Path) -> None:
    script = "echo '{\"costs\": 1}' > $FORGETEST_REPORT; echo code"
    (outcome,) = asked(shell(script, local=True), tmp_path)

    answer = completion(outcome)
    assert answer.notes == ("FORGETEST_REPORT was not read: costs: Extra inputs are not permitted",)
    assert (answer.cost.usd, answer.cost.source) == (0, "local")


def test_the_environment_is_clean_and_no_log_shows_a_key(tmp_path: Path) -> None:
    environ = {"MY_KEY": "sk-0123456789", "OTHER_KEY": "sk-9876543210", "LANG": "C.UTF-8"}
    spec = shell("env; env >&2", pass_env=("MY_KEY",))
    (outcome,) = asked(spec, tmp_path, environ=environ)

    text = completion(outcome).text
    assert "MY_KEY=sk-0123456789" in text
    assert "LANG=C.UTF-8" in text
    assert "OTHER_KEY" not in text
    (log,) = tmp_path.rglob("*.log")
    assert "MY_KEY=[hidden]" in log.read_text()


def test_parameters_that_a_command_is_not_told_are_named(tmp_path: Path) -> None:
    drawn = even_draw(temperature=0.5, seed=3)
    spec = shell("echo code", input="prompt")
    (outcome,) = asked(spec, tmp_path, drawn)
    (refused,) = asked(spec, tmp_path, drawn, strict_params=True)

    assert completion(outcome).dropped_params == ("temperature", "seed")
    assert "is not told temperature or seed" in fault(refused).message
    assert fault(refused).kind is FaultKind.PROVIDER
