"""The benchmark of grading from Python: no two of its copies are the same code."""

import sys

from program import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from python_speed import _blocks, _copies, _growth

ROWS = [
    {"eval_set": "s", "case_id": "a", "completion": "```rust\nfn a() {}\n```"},
    {"eval_set": "s", "case_id": "b", "completion": "fn b() {}"},
]


def test_copies_differ_by_a_comment_within_their_fence() -> None:
    texts = [row["completion"] for row in _copies(ROWS, 5)]

    assert texts[0] == "```rust\n// copy 0\nfn a() {}\n```"
    assert texts[3] == "// copy 3\nfn b() {}"
    assert len(set(texts)) == 5


def test_blocks_hold_every_row_once_in_order() -> None:
    assert list(_blocks(iter([{"n": n} for n in range(5)]), 2)) == [
        [{"n": 0}, {"n": 1}, {"n": 2}],
        [{"n": 3}, {"n": 4}],
    ]


def test_growth_is_that_of_the_second_half() -> None:
    assert _growth([50, 100, 100, 110]) == 1.1
