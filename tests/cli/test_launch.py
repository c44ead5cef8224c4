"""How a run ends: what it says where the cases are broken."""

import pytest
from program import Program
from tiny import RIGHT, SET


@pytest.mark.cargo
def test_a_broken_reference_is_told_loudly_and_leaves_the_exit_code(forgetest: Program) -> None:
    wrong = RIGHT["triple"].replace("* 3", "* 4")
    broken = SET.replace(
        '[cases.expectations]\nexpected_functions = ["triple"]',
        f'reference_solution = "{wrong}"\n[cases.expectations]\nexpected_functions = ["triple"]',
    )
    (forgetest.folder / "tiny.toml").write_text(broken, encoding="utf-8")

    done = forgetest("run", "-e", "tiny.toml", "-m", "reference/solution", "--case", "triple")

    said = " ".join(done.out.split())
    assert done.code == 0, done.err
    assert "BROKEN CASES: reference/solution fails in 1 case (tiny/triple); no model can be" in said
    assert said.endswith("run forgetest validate --deep tiny.toml")
    assert "note: broken cases leave the exit code as it is; forgetest validate ends" in done.err
    assert "forgetest run" not in done.err.partition("next:")[2]
