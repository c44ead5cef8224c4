"""The reward function, called as GRPOTrainer calls it."""

import asyncio
import inspect
import pickle
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from integrated import LOST, TRIPLE
from tiny import SET

import forgetest
from forgetest.errors import ConfigError
from forgetest.integrations.trl import reply_of, rows

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.cargo

WRONG = "```rust\npub fn triple(n: i32) -> i32 { n + 2 }\n```"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("sets") / "tiny.toml"
    path.write_text(SET + LOST, encoding="utf-8")
    return str(path)


def test_a_machine_fault_is_no_reward_and_never_zero(tiny: str) -> None:
    reward = forgetest.trl.reward(tiny, parallelism=2)
    extra: dict[str, Any] = {}
    metrics: dict[str, list[float]] = defaultdict(list)

    rewards = reward(
        prompts=["asked"] * 4,
        completions=[TRIPLE, WRONG, "no idea", TRIPLE],
        completion_ids=[[1]] * 4,
        case=["tiny/triple", "tiny/triple", "tiny/is-even", "tiny/lost"],
        trainer_state=None,
        log_extra=extra.__setitem__,
        log_metric=lambda name, value: metrics[name].append(value),
    )

    assert rewards == [1.0, 0.5, 0.0, None]
    assert extra == {"outcome": ["passed", "tests_failed", "no_code", "unscored"]}
    assert metrics["rust/unscored"] == [0.25]
    assert metrics["rust/passed"] == [pytest.approx(1 / 3)]


def test_a_chat_is_rewarded_like_its_text_and_awaited_where_that_is_wanted(tiny: str) -> None:
    options: dict[str, Any] = {"weights": (0.0, 1.0, 0.0), "parallelism": 2}
    chats = [
        [{"role": "assistant", "content": "Let me see."}, {"role": "assistant", "content": TRIPLE}],
        [{"role": "assistant", "content": [{"type": "text", "text": WRONG}]}],
    ]
    columns = {"prompts": None, "completions": chats, "case": ["tiny/triple"] * 2}
    reward = pickle.loads(pickle.dumps(forgetest.trl.reward(tiny, **options)))  # noqa: S301
    awaited = forgetest.trl.async_reward(tiny, **options)

    assert reward(**columns) == [1.0, 0.0]
    assert asyncio.run(awaited(**columns)) == [1.0, 0.0]
    assert inspect.iscoroutinefunction(awaited.__call__)
    assert not inspect.iscoroutinefunction(reward.__call__)
    assert reward.__name__ == "rust"


def test_what_a_chat_says_last_is_its_reply() -> None:
    call = {"role": "tool", "content": "4"}

    assert reply_of([{"role": "assistant", "content": "a"}, call]) == "a"
    assert reply_of([{"role": "assistant", "content": None, "tool_calls": []}]) == ""
    assert reply_of([]) == ""


def test_mistakes_are_told_in_one_line(tiny: str) -> None:
    reward = forgetest.trl.reward(tiny)

    with pytest.raises(ConfigError, match="the data set has no column `case`: take"):
        reward(prompts=["asked"], completions=["answered"])
    with pytest.raises(ConfigError, match='"tripple" is no case of <Cases of tiny'):
        reward(prompts=["asked"], completions=["answered"], case=["tripple"])
    with pytest.raises(forgetest.ForgetestError):
        forgetest.trl.reward("no-such-set")


def test_a_row_is_a_chat_and_the_name_of_its_case(tiny: str) -> None:
    first, *_ = rows(tiny)

    assert first["case"] == "tiny/is-even"
    assert [message["role"] for message in first["prompt"]] == ["system", "user"]
