"""What holds of every ranking, and of the letters of every pattern of differences."""

from itertools import combinations, permutations
from typing import Any

from compared import side
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from ranked import TEN, ranked

from forgetest.rank.pairs import letters
from forgetest.rank.types import letters_by_model


@given(
    st.integers(1, 7).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.sets(st.sampled_from([*combinations(range(size), 2)] or [(0, 0)])),
        )
    )
)
def test_two_models_share_a_letter_exactly_when_they_do_not_differ_and_no_letter_is_idle(
    drawn: tuple[int, set[tuple[int, int]]],
) -> None:
    size, apart = drawn
    names = [f"m{i}" for i in range(size)]
    differing = [(names[a], names[b]) for a, b in apart if a != b]

    found = letters(names, differing)

    for one, other in combinations(names, 2):
        told = (one, other) in differing
        assert (not set(found[one]) & set(found[other])) is told
    assert all(found.values())
    holders = [
        {name for name in names if sign in found[name]} for sign in set("".join(found.values()))
    ]
    assert not any(one <= other for one, other in permutations(holders, 2))
    assert "a" in found[names[0]]


def test_there_are_letters_for_any_number_of_groups() -> None:
    names = [f"m{i:02}" for i in range(30)]

    found = letters(names, list(combinations(names, 2)))

    assert [found[name] for name in (names[0], names[25], names[26], names[29])] == [
        *("a", "z", "aa", "ad")
    ]


PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # a smaller example would take minutes
WORDS = st.text(alphabet="PFB", min_size=1, max_size=4)
CASES = st.fixed_dictionaries(dict.fromkeys(TEN[:3], WORDS))
RUNS = st.lists(
    st.dictionaries(st.sampled_from(["p/a", "p/b", "p/c"]), CASES, min_size=1),
    min_size=1,
    max_size=3,
)


@settings(max_examples=25, phases=PHASES)
@given(RUNS, st.randoms(use_true_random=False))
def test_the_order_of_runs_and_models_changes_nothing(
    runs: list[dict[str, dict[str, str]]], lot: Any
) -> None:
    sides = [
        side(run, file=f"{place}.json", created=f"2026-11-2{place}T00:00:00+00:00")
        for place, run in enumerate(runs)
    ]
    mixed = []
    for one, run in zip(sides, runs, strict=True):
        names = list(run)
        lot.shuffle(names)
        turned = side({name: run[name] for name in names}, file=one.file, created=one.created)
        mixed.append(turned)
    lot.shuffle(mixed)

    assert ranked(*mixed) == ranked(*sides)


@settings(max_examples=25, phases=PHASES)
@given(CASES, CASES)
def test_a_model_is_never_told_from_its_copy(own: dict[str, str], other: dict[str, str]) -> None:
    found = ranked({"p/one": own, "p/two": own, "p/third": other})

    assert set(letters_by_model(found)["p/one"]) & set(letters_by_model(found)["p/two"])
    same = {"p/one", "p/two"}
    (pair,) = (one for one in found.pairs if {one.higher, one.lower} == same)
    assert (pair.p, pair.delta, pair.differ) == (1.0, 0.0, False)
    assert len({one.rank for one in found.models if one.name in same}) == 1
