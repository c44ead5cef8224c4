"""What --dry-run says of a plan: how much, how dear, and what to do where a price is unknown."""

import pytest
from program import Program
from tiny import SET

REMEDY = "add it to forgetest.toml, in US dollars per million tokens, as"
LISTED = "openai/gpt-4o"


@pytest.fixture
def planned(forgetest: Program) -> list[str]:
    """Return the lines of a plan with a free, two priced and an unpriced model."""
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    (forgetest.folder / "forgetest.toml").write_text(
        "[providers.vllm.prices]\nmine = { input = 1, output = 1000 }\n", encoding="utf-8"
    )
    models = f"ollama/a,vllm/mine,{LISTED},openai/no-such"
    done = forgetest("run", "-e", "tiny.toml", "-m", models, "--dry-run", "--limit", "1")
    assert done.code == 0, done.err
    return done.out.splitlines()


def test_a_plan_has_a_likely_and_a_greatest_cost_and_the_remedy_for_an_unknown_one(
    planned: list[str],
) -> None:
    rows = {line.split()[0]: line.split() for line in planned if "/" in line.split()[0]}

    assert planned[0] == "4 models x 1 case x 1 sample = 4 samples"
    assert rows["ollama/a"][-3:] == ["$0", "$0", "local"]
    assert rows["vllm/mine"][-3:] == ["$0.40", "$1.02", "config"]  # one's own price wins
    assert rows["openai/no-such"][-3:] == ["?", "?", "unknown"]
    assert any(line.startswith("together: likely $0.40, at most $1.18, and") for line in planned)
    assert planned[-3:] == [
        f"the price of openai/no-such is unknown: {REMEDY}",
        "  [providers.openai.prices]",
        '  "no-such" = { input = 1.0, output = 4.0 }',
    ]


def test_variants_share_the_price_of_their_model_and_a_missing_key_is_noted(
    forgetest: Program,
) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    config = '[providers.mine]\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "NO_KEY"\n'
    terse = '[variants.terse]\nsystem = "Answer with code alone."\n'
    (forgetest.folder / "forgetest.toml").write_text(config + terse, encoding="utf-8")
    run = ("run", "-e", "tiny.toml", "-m", "mine/m,mine/m@terse", "--dry-run")

    without, having = forgetest(*run), forgetest(*run, NO_KEY="a-key")

    assert (without.code, having.code) == (0, 0), without.err
    assert without.out.count("the price of") == 1
    assert f"the price of mine/m is unknown: {REMEDY}" in without.out
    assert without.err == "note: the run will need NO_KEY, which is not set\n"
    assert having.err == ""
