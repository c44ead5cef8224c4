"""What crosses the pipe between forgetest and its launcher: plans out, records back, strictly."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetest.errors import Fault, FaultKind
from forgetest.sandbox.guarded import parse_records
from forgetest.sandbox.plan import CompilerCall, command_fields, encode
from forgetest.system.process import CommandLimits

HEAD = b"ran 0 first 0 -1 0 0 1500000 20000 %d %d\n"


def record(report: bytes, output: bytes) -> bytes:
    return HEAD % (len(report), len(output)) + report + output


def test_a_record_is_read_to_the_byte() -> None:
    (found,) = parse_records(record(b"done\n", b"\0\xff\nran 1 trap") + b"done\n")
    ended = found.ended
    assert (found.index, found.mode, ended.code, ended.signal) == (0, "first", 0, None)
    assert (ended.stdout, ended.stderr) == (b"done\n", b"\0\xff\nran 1 trap")
    assert (ended.secs, ended.cpu_secs) == (1.5, 0.02)
    assert (ended.timed_out, ended.output_limited) == (False, False)


def test_nothing_run_is_no_record() -> None:
    assert parse_records(b"done\n") == ()


@pytest.mark.parametrize(
    "data",
    [b"", b"done", b"done\nmore", b"ran 0 first 0\ndone\n", b"run\ndone\n", record(b"", b"")],
)
def test_what_is_not_exactly_right_is_a_fault(data: bytes) -> None:
    with pytest.raises(Fault) as raised:
        parse_records(data)
    assert raised.value.kind is FaultKind.SANDBOX


def test_the_launchers_own_words_are_the_faults() -> None:
    with pytest.raises(Fault, match="landlock: no such file"):
        parse_records(record(b"a", b"b") + b"fault landlock: no such file\n")


@given(st.binary(max_size=50), st.binary(max_size=50), st.data())
def test_output_can_not_forge_a_record(report: bytes, output: bytes, data: st.DataObject) -> None:
    whole = record(report, output) + b"done\n"
    assert len(parse_records(whole)) == 1
    with pytest.raises(Fault):
        parse_records(whole[: data.draw(st.integers(0, len(whole) - 1))])


def test_a_plan_holds_no_nul() -> None:
    call = CompilerCall(["a\0b"], Path("/"), {}, CommandLimits(1), (), ())
    with pytest.raises(ValueError, match="NUL"):
        encode(command_fields(call, "a\0b"))
    assert encode([("arg", "é")]) == "arg\0é\0end\0".encode()
