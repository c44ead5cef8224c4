"""Our metrics beside Scorio's: the same numbers for random matrices of every shape and type.

The package is asked where it is installed (`pip install --group oracles`); what it said of some of
the matrices earlier is held always. FORGETEST_REDRAW=1 asks it again.
"""

import importlib
import json
import os
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from program import ROOT

from forgetest import metrics

RECORDED = ROOT / "tests" / "corpus" / "metrics" / "scorio-0.2.3.json"
MATRICES, KEPT = 2_500, 120
TOLERANCE = 1e-12
TYPES = ["int8", "uint16", "int32", "int64", "float32", "float64", "bool"]


def draw(seed: int) -> dict[str, Any]:
    """Return a binary matrix with k and tau, and a graded one with weights and earlier outcomes."""
    rng = Random(seed)  # noqa: S311 - not for secrets
    cases, samples = rng.randint(1, 8), rng.randint(1, 12)
    rate = rng.choice([0.0, 0.1, 0.5, 0.9, 1.0])
    highest = rng.randint(1, 4)
    k = rng.randint(1, samples)
    earlier = rng.choice([0, 0, 1, 3])
    return {
        "binary": [[int(rng.random() < rate) for _ in range(samples)] for _ in range(cases)],
        "graded": [[rng.randint(0, highest) for _ in range(samples)] for _ in range(cases)],
        "weights": [rng.choice([rng.uniform(-1, 2), j / highest]) for j in range(highest + 1)],
        "prior": [[rng.randint(0, highest) for _ in range(earlier)] for _ in range(cases)]
        if earlier
        else None,
        "k": k,
        "tau": rng.choice([0.0, 1.0, rng.random(), rng.randint(0, k) / k]),
        "scores": [round(rng.random(), 1) for _ in range(rng.randint(1, 6))],
    }


def ours(seed: int, drawn: dict[str, Any]) -> list[float | None]:
    """Return our numbers, of lists or of arrays of some type."""
    kind = Random(-seed).choice([None, *TYPES])  # noqa: S311 - not for secrets
    binary, graded, prior = drawn["binary"], drawn["graded"], drawn["prior"]
    weights: Any = drawn["weights"]
    if kind is not None:
        binary = np.array(binary, dtype=kind)
        graded = np.array(graded, dtype="int64" if kind == "bool" else kind)
        prior = None if prior is None else np.array(prior)
        weights = np.array(weights)
    k, tau = drawn["k"], drawn["tau"]
    identity = range(max(1, *map(max, drawn["graded"])) + 1)
    return [
        metrics.mean_pass_at_k(binary, k),
        metrics.mean_pass_hat_k(binary, k),
        metrics.mean_g_pass_at_k(binary, k),
        metrics.mean_g_pass_at_k_tau(binary, k, tau),
        metrics.mean_mg_pass_at_k(binary, k),
        metrics.avg(binary),
        metrics.avg_sigma(binary),
        metrics.avg(graded, weights),
        metrics.avg_sigma(graded, weights),
        *(metrics.bayes(binary) or ()),
        *(metrics.bayes(graded, weights, prior) or ()),
        *(metrics.bayes(graded) or ()),
        *(metrics.bayes(graded, identity) or ()),
        *metrics.competition_ranks(drawn["scores"]),
    ]


def theirs(drawn: dict[str, Any]) -> list[float]:
    """Return Scorio's numbers, in the same order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorio = importlib.import_module("scorio.eval")
        utils = importlib.import_module("scorio.utils")
    binary, graded = np.array(drawn["binary"]), np.array(drawn["graded"])
    weights = np.array(drawn["weights"])
    prior = None if drawn["prior"] is None else np.array(drawn["prior"])
    identity = np.arange(max(1, int(graded.max())) + 1, dtype=float)
    k = drawn["k"]
    return [
        scorio.pass_at_k(binary, k),
        scorio.pass_hat_k(binary, k),
        scorio.g_pass_at_k(binary, k),
        scorio.g_pass_at_k_tau(binary, k, drawn["tau"]),
        scorio.mg_pass_at_k(binary, k),
        *scorio.avg(binary),
        *scorio.avg(graded, weights),
        *scorio.bayes(binary),
        *scorio.bayes(graded, weights, prior),
        *scorio.bayes(graded, identity),
        *scorio.bayes(graded, identity),
        *(int(rank) for rank in utils.rank_scores(drawn["scores"])["competition"]),
    ]


def differences(seed: int, drawn: dict[str, Any], expected: list[float]) -> Iterator[str]:
    found = ours(seed, drawn)
    assert len(found) == len(expected)
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        if one is None or abs(one - other) > TOLERANCE:
            yield f"seed {seed}, number {place}: {one}, not {other}: {drawn}"


def test_no_recorded_number_of_scorio_differs_from_ours() -> None:
    if os.environ.get("FORGETEST_REDRAW"):
        RECORDED.parent.mkdir(exist_ok=True)
        told = [{**draw(seed), "scorio": theirs(draw(seed))} for seed in range(KEPT)]
        lines = ",\n".join(json.dumps(one, default=float) for one in told)
        RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert len(recorded) == KEPT
    wrong = [
        line for seed, one in enumerate(recorded) for line in differences(seed, one, one["scorio"])
    ]
    assert wrong == []


def test_no_number_of_the_installed_scorio_differs_from_ours() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("scorio")
    wrong = [
        line
        for seed in range(MATRICES)
        for line in differences(seed, draw(seed), theirs(draw(seed)))
    ]
    assert wrong == []


def test_the_comparison_would_notice_a_number_that_is_off() -> None:
    drawn = draw(1)
    right = [value if value is not None else 0.0 for value in ours(1, drawn)]
    for place in range(len(right)):
        bent = [*right[:place], right[place] + 1e-11, *right[place + 1 :]]
        assert len(list(differences(1, drawn, bent))) == 1
