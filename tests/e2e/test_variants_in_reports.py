"""A run in two variants, and everything that is made of it: no way of asking is lost or merged."""

import json
from pathlib import Path
from typing import Any

import pytest
from program import Program
from resuming import configure, server, timeless

VARIANT = '[variants.terse]\ntemplate = "{prompt} Be terse."\ntemperature = 0.2\n'
NAMES = ["chat/a", "chat/a@terse"]


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def names(report: Any) -> list[str]:
    """Return each model with its variant."""
    specs = [model["model"] for model in report["models"]]
    return [
        f"{spec['provider']}/{spec['model']}" + (f"@{spec['variant']}" if "variant" in spec else "")
        for spec in specs
    ]


@pytest.mark.cargo
def test_variants_last_through_regrading_replaying_ranking_and_comparing(
    forgetest: Program, tmp_path: Path
) -> None:
    with server(tmp_path, delay=0.0) as (url, _):
        *arguments, _, _, _, _ = configure(forgetest, url)
        with (forgetest.folder / "forgetest.toml").open("a", encoding="utf-8") as config:
            config.write(VARIANT)
        run = forgetest(*arguments, "-n", "3", "--variant", "default,terse", COLUMNS="80")
    assert run.code == 0, run.err
    folder = forgetest.run_folder()
    report = read(folder / "report.json")

    assert names(report) == NAMES
    (variant,) = report["variants"].values()
    assert variant["variant"] == {"template": "{prompt} Be terse.", "temperature": 0.2}
    assert run.out.split()[:4] == ["#", "model", "variant", "pass@1"]
    assert "chat/a: default and terse are not distinguishable" in run.out

    again = forgetest("grade", folder, "--output", "again/", "--quiet")
    (regraded,) = (forgetest.folder / "again").glob("*/report.json")
    assert again.code == 0, again.err
    assert names(read(regraded)) == NAMES
    assert timeless(read(regraded)["variants"]) == timeless(report["variants"])
    compared = forgetest("compare", folder, regraded.parent, "--format", "json")
    assert compared.code == 0, compared.err
    assert [model["current"] for model in json.loads(compared.out)["models"]] == NAMES

    recorded = forgetest(
        *("grade", folder / "completions.jsonl", "-e", "tiny.toml", "--output", "replayed/"),
        "--quiet",
    )
    (replayed,) = (forgetest.folder / "replayed").glob("*/report.json")
    assert recorded.code == 0, recorded.err
    assert names(read(replayed)) == [f"replay/{name}" for name in NAMES]
    assert [model["overall"]["samples"] for model in read(replayed)["models"]] == [6, 6]

    ranked = forgetest("rank", folder, "--by", "variant")
    assert ranked.code == 0, ranked.err
    assert ranked.out.startswith("2 variants over 1 model on 2 common cases: 0 of 1 pair differs")
    between = forgetest("compare", folder, "--between", "default", "terse")
    assert between.code == 0, between.err
    assert between.out.splitlines()[0].endswith("; variant default -> terse")
    assert "chat/a -> chat/a@terse" in between.out
