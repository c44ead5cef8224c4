"""How many requests the sources of a plan may send at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetest.errors import ConfigFileError
from forgetest.runner.config import parse_config
from forgetest.runner.sources import OpenSources, SourceOptions, shares
from forgetest.sampling.plan import ModelSpec, Plan, Sampling
from forgetest.system.machine import open_files

BOUNDED = '[providers.mine]\npreset = "vllm"\nconcurrency = 16\nmax_concurrency = 500\n'
PLAN = Plan(
    models=(ModelSpec(provider="mine", model="m"),),
    samples_per_case=1,
    pass_k=(1,),
    sampling=Sampling(),
    eval_sets=(),
)


def sources(text: str, *, concurrency: int | None = None, graders: int = 2) -> OpenSources:
    options = SourceOptions(
        environ={}, concurrency=concurrency, strict_params=False, cores=2, graders=graders
    )
    return OpenSources(PLAN, parse_config(text, file="f.toml", environ={}), options)


def at_once(made: OpenSources) -> tuple[int, int]:
    """Return with how many requests the server begins, and how many it has at most."""
    preset = made.preset_of("mine")
    assert preset is not None
    return preset.concurrency, preset.most_at_once


def test_the_number_of_a_run_is_exact_and_that_of_a_provider_climbs_to_its_bound() -> None:
    assert at_once(sources(BOUNDED)) == (16, 500)
    assert at_once(sources(BOUNDED, concurrency=40)) == (40, 40)
    assert at_once(sources('[providers.mine]\npreset = "vllm"\n')) == (4, 4)


def test_a_bound_below_the_first_number_is_refused() -> None:
    with pytest.raises(ConfigFileError) as caught:
        sources(BOUNDED.replace("500", "8"))
    (problem,) = caught.value.problems
    assert problem.line == 4
    assert problem.message == '"max_concurrency" must be at least "concurrency", 16: got 8'


def test_more_requests_than_files_are_noted_and_not_sent() -> None:
    files = open_files()
    made = sources(BOUNDED.replace("500", str(files)), graders=1)

    first, most = at_once(made)
    assert first == 16
    assert most < files - 64
    (note,) = made.notes
    assert note.startswith(f"mine: at most {most:,} requests in flight, not {files:,}: ")
    assert note.endswith(f"; a limit of {files + (files - most):,} (ulimit -Hn) suffices")


@given(st.dictionaries(st.text(max_size=2), st.integers(1, 999), max_size=5), st.integers(-9, 2000))
def test_a_room_is_shared_in_proportion(wanted: dict[str, int], room: int) -> None:
    granted = shares(wanted, room)

    assert granted.keys() == wanted.keys()
    assert all(1 <= granted[name] <= wanted[name] for name in wanted)
    assert sum(granted.values()) <= max(room, len(wanted)) + len(wanted)
    if sum(wanted.values()) <= room:
        assert granted == wanted
