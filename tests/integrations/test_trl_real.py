"""GRPOTrainer takes steps with our reward, on a random model of a few kilobytes."""

import re
import sys
from pathlib import Path

import pytest
from integrated import LOST, TRIPLE, page_code, run_tool
from program import ROOT

pytestmark = pytest.mark.integrations


def test_a_step_of_grpo_is_taken_with_our_reward(tmp_path: Path) -> None:
    run_tool(tmp_path, sys.executable, str(ROOT / "tests/support/toy_model.py"), "toy")
    step = "max_steps=1, num_generations=2, per_device_train_batch_size=2, logging_steps=1"
    small = f"{step}, max_completion_length=16, use_cpu=True, bf16=False, save_strategy='no'"
    script = page_code("TRL", "python")
    for whole, part in (
        ("Qwen/Qwen2.5-Coder-0.5B-Instruct", "toy"),
        ("rust-basics", "starter"),
        ('output_dir="trained"', f'output_dir="trained", {small}, report_to=[]'),
    ):
        assert whole in script
        script = script.replace(whole, part)
    script += "print(trainer.state.log_history[0])"

    out = run_tool(tmp_path, sys.executable, "-c", script)

    assert "'rewards/rust/mean': 0.0" in out.splitlines()[-1]
    assert "'rust/unscored': 0.0" in out.splitlines()[-1]


MIXED = """
import sys
import forgetest
from trl import GRPOConfig, GRPOTrainer

ours = forgetest.trl.async_reward("mine.toml")
async def rust(completions, **columns):  # as if the model had said this
    replies = {reply}, "no idea"
    rewards = await ours(completions=replies * (len(completions) // 2), **columns)
    print("REWARDS", rewards, columns["case"])
    return rewards

rows = forgetest.trl.dataset("mine.toml")
trainer = GRPOTrainer(
    model="toy",
    reward_funcs=rust,
    train_dataset=rows.filter(lambda row: row["case"] == sys.argv[1]),
    args=GRPOConfig(
        output_dir="trained", max_steps=1, num_generations=2, per_device_train_batch_size=2,
        max_completion_length=16, use_cpu=True, bf16=False, report_to=[], logging_steps=1,
        save_strategy="no",
    ),
)
trainer.train()
print("GRADIENT", trainer.state.log_history[0]["grad_norm"])
"""


@pytest.mark.parametrize(
    ("case", "rewards", "learns"), [("triple", "[1.0, 0.0]", True), ("lost", "[None, None]", False)]
)
def test_trl_learns_from_verdicts_and_nothing_from_the_troubles_of_the_machine(
    tmp_path: Path, case: str, rewards: str, *, learns: bool
) -> None:
    run_tool(tmp_path, sys.executable, str(ROOT / "tests/support/toy_model.py"), "toy")
    script = f"open('mine.toml', 'a').write({LOST!r})\n{MIXED.replace('{reply}', repr(TRIPLE))}"

    out = run_tool(tmp_path, sys.executable, "-c", script, f"tiny/{case}")

    assert f"REWARDS {rewards}" in out
    gradient = float(re.findall(r"GRADIENT (\S+)", out)[0])
    assert (gradient > 0) is learns
