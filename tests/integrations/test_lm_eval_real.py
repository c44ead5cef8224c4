"""The harness runs our task with its own mock model."""

import json
import re
from pathlib import Path

import pytest
from integrated import page_code, run_tool

pytestmark = pytest.mark.integrations


def test_the_harness_prints_the_metrics_of_our_task(tmp_path: Path) -> None:
    lines = page_code("lm-evaluation-harness", "sh").replace("rust-basics", "mine.toml").strip()

    out = run_tool(tmp_path, "bash", "-c", f"set -e; {lines} --output_path out --log_samples")

    for metric in ("pass_at_1", "score", "unscored"):
        assert re.search(rf"\|{metric} *\|. *\| *0\|", out), out
    (samples,) = (tmp_path / "out").rglob("samples_*.jsonl")
    rows = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    assert all("'outcome': 'no_code'" in str(row["filtered_resps"]) for row in rows)
    assert len(rows) == 2
