"""The toolchain is found once, and whatever is missing is named with its remedy."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from forgetest.errors import ToolchainError
from forgetest.system.toolchain import Check, Toolchain, checks


@pytest.fixture
def toolchain() -> Toolchain:
    return Toolchain.resolve(os.environ)


def sysroot_with(folder: Path, real: Toolchain, *programs: str) -> Mapping[str, str]:
    """Return an environment whose rustc names a sysroot that holds only `programs`."""
    tools = folder / "sysroot" / "bin"
    tools.mkdir(parents=True)
    for program in programs:
        (tools / program).symlink_to(real.sysroot / "bin" / program)
    path = folder / "path"
    path.mkdir()
    rustc = path / "rustc"
    rustc.write_text(f"#!/bin/sh\necho '{tools.parent}'\n")
    rustc.chmod(0o755)
    return {"PATH": str(path), "HOME": str(folder), "TMPDIR": str(folder)}


def by_name(environ: Mapping[str, str]) -> dict[str, Check]:
    return {check.name: check for check in checks(environ)}


def test_compilers_are_called_inside_the_sysroot(toolchain: Toolchain) -> None:
    programs = [toolchain.rustc, toolchain.cargo, toolchain.cargo_clippy]
    assert [program.parent for program in programs] == [toolchain.sysroot / "bin"] * 3
    assert toolchain.rustc_version.startswith("rustc 1.")
    assert "\nhost: " in toolchain.rustc_version
    assert toolchain.cargo_version.startswith("cargo 1.")
    assert toolchain.clippy_version.startswith("clippy 0.")


@pytest.mark.cargo
def test_a_whole_machine_passes_every_check() -> None:
    found = checks(os.environ, wanted_free=1)
    names = ["rustc", "cargo", "clippy", "temp folder", "C linker", "disk space"]
    assert [(check.name, check.ok, check.fix) for check in found] == [(n, True, "") for n in names]


def test_no_rustc_is_one_line_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"^rustc is not on PATH; install Rust with: .*rustup"):
        Toolchain.resolve({"PATH": str(tmp_path)})


def test_a_rustc_that_refuses_is_quoted_in_one_line(tmp_path: Path) -> None:
    rustc = tmp_path / "rustc"
    rustc.write_text(
        "#!/bin/sh\nprintf 'error: no default\\nhelp: run this\\n\\ntrace' >&2; exit 1\n"
    )
    rustc.chmod(0o755)
    with pytest.raises(ToolchainError, match=r"does not run: error: no default help: run this$"):
        Toolchain.resolve({"PATH": str(tmp_path)})


@pytest.mark.cargo
@pytest.mark.parametrize(
    ("present", "name", "fix"),
    [
        (("rustc", "clippy-driver"), "cargo", "rustup"),
        (("rustc", "cargo"), "clippy", "rustup component add clippy"),
    ],
    ids=["cargo", "clippy"],
)
def test_a_missing_tool_is_named_with_its_remedy(
    tmp_path: Path, toolchain: Toolchain, present: tuple[str, ...], name: str, fix: str
) -> None:
    environ = sysroot_with(tmp_path, toolchain, *present)
    with pytest.raises(ToolchainError, match=f"^{name} is not installed; install it with: .*{fix}"):
        Toolchain.resolve(environ)
    check = by_name(environ)[name]
    assert not check.ok
    assert fix in check.fix


@pytest.mark.cargo
def test_a_missing_linker_is_found_by_linking(tmp_path: Path, toolchain: Toolchain) -> None:
    check = by_name(sysroot_with(tmp_path, toolchain, "rustc", "cargo", "clippy-driver"))[
        "C linker"
    ]
    assert not check.ok
    assert "linker `cc` not found" in check.found
    assert "apt-get install gcc" in check.fix


def test_a_temp_folder_that_can_not_be_written_is_found(tmp_path: Path) -> None:
    found = by_name({**os.environ, "TMPDIR": str(tmp_path / "absent")})
    assert not found["temp folder"].ok
    assert "TMPDIR" in found["temp folder"].fix


def test_too_little_disk_space_is_found(tmp_path: Path) -> None:
    check = checks({**os.environ, "TMPDIR": str(tmp_path)}, wanted_free=1 << 60)[-1]
    assert (check.name, check.ok) == ("disk space", False)
    assert str(tmp_path) in check.fix


def test_only_what_fetching_needs_is_kept_of_the_environment() -> None:
    secrets = {"OPENAI_API_KEY": "k1", "GITHUB_TOKEN": "k2", "AWS_SECRET_ACCESS_KEY": "k3"}
    wanted = {
        "https_proxy": "p",
        "HTTP_PROXY": "q",
        "SSL_CERT_FILE": "f",
        "CARGO_HTTP_TIMEOUT": "9",
    }
    found = Toolchain.resolve({**os.environ, **secrets, **wanted}).network_env
    assert wanted.items() <= found.items()
    assert not secrets.keys() & found.keys()
