"""The tables: every preset can be used, every protocol keeps its contract."""

import contextlib
from decimal import Decimal
from pathlib import Path

import pytest
from draws import call
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

import forgetest.sampling.providers
from forgetest.sampling.completion import Prompt
from forgetest.sampling.providers.contract import (
    UnreadableError,
    WireProtocol,
    estimated_tokens,
    with_extra,
)
from forgetest.sampling.providers.presets import PRESETS, PROTOCOLS, Preset, Price, ProtocolName
from forgetest.sampling.transport.endpoint import check

SUPPORT = {"__init__", "contract", "presets", "sampling"}


def test_table_folder_and_type_name_the_same_protocols() -> None:
    folder = Path(forgetest.sampling.providers.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - SUPPORT

    named = {name for name in modules | {"grpc", ""} if is_protocol(name)}

    assert set(PROTOCOLS) == modules == named


def is_protocol(name: str) -> bool:
    """Tell whether the type of protocol names takes a name."""
    with contextlib.suppress(ValidationError):
        return TypeAdapter(ProtocolName).validate_python(name) == name
    return False


WORDS = (
    "id object name model data models details meta choices message content text type refusal "
    "finish_reason stop_reason done_reason usage cost is_byok cost_details upstream_inference_cost "
    "prompt_tokens completion_tokens total_tokens input_tokens output_tokens eval_count error code "
    "status param detail loc metadata retryDelay shutdown_date retires_at last_id has_more"
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400)
JSON = st.recursive(
    SCALARS | st.sampled_from(["text", "error", "17s", "2026-12-11", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS.split()), inner)
    ),
    max_leaves=40,
)


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
@settings(deadline=None)
@given(body=JSON)
@example(body=[[]])
@example(body={"error": {"\ud800": 1}, "data": [{"id": "a", "\ud800": 10**400}]})
@example(body={"models": [{"name": "a", "\ud800": 10**400}]})
def test_no_body_breaks_a_reader(protocol: WireProtocol, body: object) -> None:
    assert protocol.read_error(500, body).message
    for read in (protocol.read, protocol.read_models):
        with contextlib.suppress(UnreadableError):
            read(body)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_every_preset_can_be_asked_with_its_key(preset: Preset) -> None:
    check(preset, "a-key")

    request = PROTOCOLS[preset.protocol].build(call(preset, max_tokens=5))

    assert request.path.startswith("/")
    assert (preset.key_env is None) == preset.local


def test_the_issues_providers_are_all_there() -> None:
    wanted = (
        "openai openrouter groq together deepseek mistral xai gemini vllm llamacpp lmstudio "
        "anthropic ollama"
    )

    assert set(wanted.split()) == set(PRESETS)
    assert all(name == preset.name for name, preset in PRESETS.items())


def test_hosted_and_local_presets_have_their_own_limits() -> None:
    assert {(p.local, p.max_tokens, p.temperature) for p in PRESETS.values()} == {
        (False, 16_000, None),
        (True, 1_024, 0.8),
    }
    assert PRESETS["ollama"].concurrency == 1


def test_a_users_table_makes_a_preset() -> None:
    table = {
        "name": "mine",
        "base_url": "https://gateway.example/v1",
        "key_env": "GATEWAY_KEY",
        "extra_headers": {"x-team": "evals"},
        "prices": {"m": {"input": "0.5", "output": 1.5}},
    }

    preset = Preset.model_validate(table)

    assert preset.protocol == "openai"
    assert preset.prices == {"m": Price(input=Decimal("0.5"), output=Decimal("1.5"))}


def test_a_users_table_over_a_known_preset_keeps_the_rest() -> None:
    table = {"base_url": "https://eu.example/v1", "concurrency": 9}

    preset = Preset.model_validate({**PRESETS["mistral"].model_dump(), **table})

    assert (preset.seed_field, preset.concurrency) == ("random_seed", 9)


@pytest.mark.parametrize(
    "wrong",
    [{"protocol": "grpc"}, {"concurrency": 0}, {"timeout_secs": 0}, {"max_tokens": 0}, {"odd": 1}],
)
def test_a_wrong_table_makes_none(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Preset.model_validate({"name": "mine", "base_url": "http://127.0.0.1", **wrong})


def test_headers_of_a_preset_are_neither_shown_nor_written() -> None:
    preset = Preset(name="m", base_url="http://127.0.0.1", extra_headers={"x-token": "s3cr3t-s3"})

    assert "s3cr3t-s3" not in repr(preset) + str(preset) + preset.model_dump_json()


@pytest.mark.parametrize(
    ("body", "extra", "merged"),
    [
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1}, {"a": 2, "b": 3}, {"a": 2, "b": 3}),
        ({"o": {"x": 1, "y": 2}}, {"o": {"y": 3}}, {"o": {"x": 1, "y": 3}}),
        ({"o": {"x": 1}}, {"o": None}, {"o": None}),
        ({"o": 1}, {"o": {"x": 1}}, {"o": {"x": 1}}),
    ],
)
def test_extra_fields_lie_over_ours(
    body: dict[str, object], extra: dict[str, object], merged: dict[str, object]
) -> None:
    assert merged == with_extra(body, extra)


def test_tokens_are_estimated_upwards_from_bytes() -> None:
    assert estimated_tokens(Prompt(system="", user="")) == 64
    assert estimated_tokens(Prompt(system="abc", user="ééé")) == 67
