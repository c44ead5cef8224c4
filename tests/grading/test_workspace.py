"""What cargo shows of a compiler call, and what of it a direct call repeats."""

import subprocess
from pathlib import Path

import pytest

from forgetest.errors import ToolchainError
from forgetest.grading.workspace import Recipe

MANIFEST = """
[package]
name = "sample"
version = "0.0.0"
edition = "2021"
authors = ["A 'quoted' author"]
description = "two words"

[dependencies]
helper = { path = "helper" }

[workspace]
"""
SAID_ANEW = (
    *("--crate-name", "--crate-type", "--emit", "--out-dir", "--edition", "--error-format"),
    *("src/lib.rs", "metadata=", "extra-filename=", "incremental=", "debuginfo="),
)
HELPER = """
[package]
name = "helper"
version = "1.2.3"
edition = "2021"
description = \'\'\'
It's of
     Several lines, `quoted`
\'\'\'
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Give a package with one dependency, and what cargo prints while it builds it."""
    folder = tmp_path_factory.mktemp("recipe")
    for package, manifest in ((folder, MANIFEST), (folder / "helper", HELPER)):
        (package / "src").mkdir(parents=True)
        (package / "Cargo.toml").write_text(manifest)
        (package / "src/lib.rs").write_text("pub fn one() -> u8 { 1 }\n")
    argv = ["cargo", "build", "-vv", "--offline", "--target-dir", str(folder / "target")]
    ended = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True)
    return folder, ended.stderr


@pytest.mark.cargo
def test_recipe_keeps_what_decides_about_the_code(shown: tuple[Path, str]) -> None:
    folder, stderr = shown
    recipe = Recipe.read(stderr, "sample", target=folder / "target")
    moved = recipe.args_at(Path("/elsewhere"))
    assert "cfg(docsrs,test)" in moved
    externs = [arg for arg in moved if arg.startswith("helper=")]
    assert len(externs) == 1
    assert externs[0].startswith("helper=/elsewhere/debug/deps/libhelper-")
    assert externs[0].endswith(".rlib")
    assert not [arg for arg in moved if str(folder) in arg]


@pytest.mark.cargo
def test_recipe_leaves_out_what_each_sample_says_anew(shown: tuple[Path, str]) -> None:
    folder, stderr = shown
    recipe = Recipe.read(stderr, "sample", target=folder / "target")
    said = " ".join(recipe.args)
    for word in SAID_ANEW:
        assert word not in said, word


@pytest.mark.cargo
def test_recipe_has_the_package_s_variables_and_no_place(shown: tuple[Path, str]) -> None:
    folder, stderr = shown
    env = dict(Recipe.read(stderr, "sample", target=folder / "target").env)
    assert env["CARGO_PKG_NAME"] == "sample"
    assert env["CARGO_PKG_AUTHORS"] == "A 'quoted' author"
    assert env["CARGO_PKG_DESCRIPTION"] == "two words"
    assert env["CARGO_PRIMARY_PACKAGE"] == "1"
    assert "CARGO_MANIFEST_DIR" not in env


def test_recipe_of_a_crate_that_was_not_built_is_an_error() -> None:
    with pytest.raises(ToolchainError, match="does not show how cargo compiles sample"):
        Recipe.read("   Compiling sample v0.0.0\n", "sample", target=Path("/target"))


@pytest.mark.cargo
def test_what_a_dependency_says_meanwhile_is_no_part_of_a_call(shown: tuple[Path, str]) -> None:
    folder, stderr = shown
    at = stderr.index("`\n", stderr.index("--crate-name sample ")) + 2
    told = f"{stderr[:at]}warning: `helper` (lib) generated 21 warnings\n{stderr[at:]}"

    recipes = [Recipe.read(text, "sample", target=folder / "target") for text in (stderr, told)]

    assert told != stderr
    assert recipes[0] == recipes[1]
