"""Call the compilers directly, with cargo's arguments and without the time that cargo takes.

One pass of clippy's driver, which is a rustc, settles whether a sample compiles, which lints it
has, and leaves the library that the tests link. Where that pass cannot speak for rustc, because
lints ended it or the code asks for clippy's own configuration, rustc itself is called.

Test programs are linked without the C compiler where that is known to work. rustc calls `cc`, which
calls `collect2`, which calls the linker: a tenth of the time that a small program takes to build.
cc shows what it adds to the call (`-###`); with that, rustc can call the linker that comes with it.
A trial program decides (`direct_link_args`); if it fails, rustc links as usual.
"""

import asyncio
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.grading.compilers import ALL_CODE, FORCED, NO_LINTS, Built
from forgetest.grading.crate import SAMPLE_FILE
from forgetest.grading.diagnostics import BuildRun, read_diagnostics, undisturbed
from forgetest.grading.layout import USES, USES_FILE
from forgetest.grading.packages import CASE, HARNESS_CRATE, SAMPLE
from forgetest.grading.verdict import Layout
from forgetest.grading.workspace import Prepared, Workspace
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.files import temporary_folder
from forgetest.system.process import CommandLimits, Exit, run
from forgetest.system.toolchain import Toolchain

_LIMITS = CommandLimits(wall_secs=60)
_START_FILE = re.compile(r"(?:crt1|crti|crtbegin\w*)\.o$")
_END_FILE = re.compile(r"(?:crtend\w*|crtn)\.o$")
_TRIAL = """fn main() { assert_eq!(std::env::args().count().to_string(), "1"); }\n"""


async def direct_link_args(toolchain: Toolchain, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return rustc's arguments to link a dynamic program directly; none where a trial fails."""
    linker = toolchain.library_folder.with_name("bin") / "rust-lld"
    if not linker.is_file():
        return ()
    with temporary_folder() as folder:
        words = await _words_of_cc(folder, env)
        if "-dynamic-linker" not in words:
            return ()
        args = tuple(_args(linker, words))
        return args if await _works(toolchain, args, folder, env) else ()


async def _words_of_cc(folder: Path, env: Mapping[str, str]) -> list[str]:
    """Return the words of the call by which cc would start the linker; none without such a cc."""
    argv = ["/bin/sh", "-c", "exec cc -### -pie -nodefaultlibs nothing.o -o nothing"]
    (folder / "nothing.o").touch()
    ended = await run(argv, cwd=folder, env=env, limits=_LIMITS)
    lines = ended.stderr.decode(errors="replace").splitlines()
    calls = [line for line in lines if "-dynamic-linker" in line]
    return shlex.split(calls[-1]) if ended.code == 0 and calls else []


def _args(linker: Path, words: Sequence[str]) -> Iterator[str]:
    yield from ("-C", f"linker={linker}", "-C", "linker-flavor=ld.lld")
    loader = words[words.index("-dynamic-linker") + 1]
    started = [word for word in words if _START_FILE.search(word)]
    folders = [word for word in words if word.startswith("-L")]
    ends = [word for word in words if _END_FILE.search(word)]
    for arg in (f"-dynamic-linker={loader}", *started, *folders, *ends):
        yield from ("-C", f"link-arg={arg}")


async def _works(
    toolchain: Toolchain, args: Sequence[str], folder: Path, env: Mapping[str, str]
) -> bool:
    """Tell whether a program that is linked so starts and ends as it should."""
    (folder / "trial.rs").write_text(_TRIAL)
    options = ("-C", "prefer-dynamic", "-C", "strip=symbols")
    argv = [str(toolchain.rustc), "trial.rs", *options, *args, "-o", "trial"]
    built = await run(argv, cwd=folder, env=env, limits=_LIMITS)
    if built.code != 0:
        return False
    libraries = {"LD_LIBRARY_PATH": str(toolchain.library_folder)}
    started = await run([str(folder / "trial")], cwd=folder, env=libraries, limits=_LIMITS)
    return started.code == 0


_WORDS_KEPT = 300  # characters
_CODEGEN = ("-C", "debuginfo=0", "-C", "codegen-units=1")
_LIBRARY = ("--crate-type", "lib", *_CODEGEN)
_PROGRAM = (*_CODEGEN, "-C", "strip=symbols", "-A", "warnings")
_DYNAMIC = ("-C", "prefer-dynamic")  # std as a shared library halves the time of linking
_FORMAT = ("--error-format=json", "--json=future-incompat")
_ERROR_CODE = re.compile(r"E\d{4}")
# Where the metadata alone do not show what a library build would: see `_may_skip_code`.
_NEEDS_CODE = frozenset({"cfg", "cfg_attr", "deny", "forbid", "main"})


@dataclass(frozen=True, slots=True)
class DirectCompilers:
    """The compilers of a toolchain, each call in a compile box of `sandbox`."""

    toolchain: Toolchain
    sandbox: Sandbox

    @property
    def needs_artifacts(self) -> bool:
        """None: they are named by their places."""
        return False

    async def build(self, workspace: Workspace, limits: CommandLimits) -> Built:
        """Compile and lint the sample; in the splice layout its copy, too."""
        if workspace.crate.layout is Layout.SPLICE and _may_skip_code(workspace):
            built = await self._build_spliced(workspace, limits)
            if built is not None:
                return built
        linted = await self._clippy(workspace, (*_LIBRARY, "--emit=link"), FORCED, limits)
        if _speaks_for_rustc(linted, workspace):
            return Built(linted, linted)
        library = await self._library(workspace, limits)
        return Built(library, linted if linted.succeeded else None)

    async def build_bare(self, workspace: Workspace, limits: CommandLimits) -> Built:
        """Compile what the tests link: the sample, or the copy of it that holds them."""
        if workspace.crate.layout is Layout.PUBLIC or not workspace.crate.tests:
            return Built(await self._library(workspace, limits))
        if workspace.crate.layout is Layout.LIBTEST:
            checked = await self.clippy(workspace, (), limits)
            return Built(checked)
        spliced = await self._spliced(workspace, limits)
        return Built(spliced, spliced=spliced)

    async def clippy(
        self, workspace: Workspace, levels: Sequence[str], limits: CommandLimits
    ) -> BuildRun:
        """Lint the sample without producing code."""
        args = ("--crate-type", "lib", "--emit=metadata")
        return await self._clippy(workspace, args, levels, limits)

    async def build_tests(
        self, workspace: Workspace, built: Built, limits: CommandLimits
    ) -> BuildRun:
        """Build the trusted program; in the splice layout the copy of the sample first."""
        if workspace.crate.layout is Layout.LIBTEST:
            test = ("--crate-name", CASE, _file(workspace.crate.library_file), "--test", *_PROGRAM)
            return await self._program(workspace, test, limits)
        linked = SAMPLE
        if workspace.crate.layout is Layout.SPLICE:
            spliced = built.spliced or await self._spliced(workspace, limits)
            if not spliced.succeeded:
                return spliced
            linked = CASE
        library = workspace.out / f"lib{linked}.rlib"
        extern = (
            *("--extern", f"{linked}={library}", "-L", f"dependency={workspace.out}"),
            *_extern_harness(workspace),
        )
        source = _file(workspace.crate.harness_file)
        args = ("--crate-name", "harness", source, "--crate-type", "bin", *_PROGRAM, *extern)
        return await self._program(workspace, args, limits)

    async def build_uses(
        self, workspace: Workspace, limits: CommandLimits, *, code: bool
    ) -> BuildRun:
        """Compile the crate of uses against the library of the sample, or else its metadata."""
        library = workspace.out / f"lib{SAMPLE}.rlib"
        if not library.exists() and code:
            built = await self._library(workspace, limits)
            if not built.succeeded:
                return built
        sample = library if library.exists() else library.with_suffix(".rmeta")
        kind = (*_CODEGEN, *ALL_CODE, "--emit=obj") if code else ("--emit=metadata",)
        args = ("--crate-name", USES, USES_FILE, "--crate-type", "lib", *kind, *NO_LINTS)
        extern = ("--extern", f"{SAMPLE}={sample}", *_out(workspace))
        return await self._call(self.toolchain.rustc, workspace, (*args, *extern), limits)

    async def _library(self, workspace: Workspace, limits: CommandLimits) -> BuildRun:
        args = ("--crate-name", SAMPLE, SAMPLE_FILE, *_LIBRARY, "--emit=link", *_out(workspace))
        return await self._call(self.toolchain.rustc, workspace, args, limits)

    async def _build_spliced(self, workspace: Workspace, limits: CommandLimits) -> Built | None:
        """Lint, then compile the copy, which holds all of the sample; None when it does not."""
        linted = await self.clippy(workspace, FORCED, limits)
        if not linted.succeeded:
            return Built(linted, None) if _speaks_for_rustc(linted, workspace) else None
        spliced = await self._spliced(workspace, limits)
        return Built(linted, linted, spliced) if spliced.succeeded else None

    async def _spliced(self, workspace: Workspace, limits: CommandLimits) -> BuildRun:
        source = _file(workspace.crate.library_file)
        args = ("--crate-name", CASE, source, *_LIBRARY, "-A", "warnings", "--emit=link")
        extern = _extern_harness(workspace) if workspace.crate.counts else ()
        args = (*args, *extern, *_out(workspace))
        return await self._call(self.toolchain.rustc, workspace, args, limits)

    async def _program(
        self, workspace: Workspace, args: Sequence[str], limits: CommandLimits
    ) -> BuildRun:
        program = workspace.out / "harness"
        # A shared std has an allocator already, and would not ask the program's own.
        dynamic = (*_DYNAMIC, *_prepared(workspace).recipe.link_args)
        args = (*args, *(() if workspace.crate.counts else dynamic), "-o", str(program))
        return await self._call(self.toolchain.rustc, workspace, args, limits, program)

    async def _clippy(
        self,
        workspace: Workspace,
        args: Sequence[str],
        levels: Sequence[str],
        limits: CommandLimits,
    ) -> BuildRun:
        args = ("--crate-name", SAMPLE, SAMPLE_FILE, *args, *levels, *_out(workspace))
        return await self._call(self.toolchain.clippy_driver, workspace, args, limits)

    async def _call(
        self,
        compiler: Path,
        workspace: Workspace,
        args: Sequence[str],
        limits: CommandLimits,
        program: Path | None = None,
    ) -> BuildRun:
        """Run one compiler; `Fault` when something else keeps killing it."""
        prepared = _prepared(workspace)
        recipe = prepared.recipe.args_at(prepared.target)
        argv = [str(compiler), *args, *recipe, *_FORMAT, f"--edition={workspace.edition}"]
        env = {**dict(prepared.recipe.env), **_env(workspace)}

        async def attempt() -> BuildRun:
            ended = await self.sandbox.compile(
                argv,
                cwd=workspace.folder,
                env=env,
                limits=limits,
                reads=(workspace.folder, prepared.folder),
                writes=(workspace.out, workspace.scratch),
            )
            return await asyncio.to_thread(_build_run, ended, program)

        return await undisturbed(attempt, compiler.name)


def _prepared(workspace: Workspace) -> Prepared:
    if workspace.prepared is None:
        raise AssertionError("direct calls need the set of dependencies that the crate is built on")
    return workspace.prepared


def _extern_harness(workspace: Workspace) -> tuple[str, str]:
    return ("--extern", f"{HARNESS_CRATE}={_prepared(workspace).harness}")


def _env(workspace: Workspace) -> dict[str, str]:
    """Return the environment of a compiler without the package's variables."""
    scratch = str(workspace.scratch)
    return {
        "PATH": workspace.toolchain.search_path,
        "HOME": scratch,
        "TMPDIR": scratch,
        "CARGO_MANIFEST_DIR": str(workspace.folder),
        "CARGO_MANIFEST_PATH": str(workspace.folder / "Cargo.toml"),
        "CLIPPY_CONF_DIR": scratch,  # or a clippy.toml of a folder above would count
        "RUST_BACKTRACE": "0",
    }


def _file(name: str | None) -> str:
    if name is None:
        raise AssertionError("the layout has no such file")
    return name


def _out(workspace: Workspace) -> tuple[str, str]:
    return ("--out-dir", str(workspace.out))


def _build_run(ended: Exit, program: Path | None) -> BuildRun:
    diagnostics, rest = read_diagnostics(ended.stderr)
    return BuildRun(
        exit=ended,
        diagnostics=diagnostics,
        compiler_signal=ended.signal,
        last_words=" ".join(rest.split())[-_WORDS_KEPT:],
        program=program,
    )


def _speaks_for_rustc(linted: BuildRun, workspace: Workspace) -> bool:
    """Tell whether rustc alone would come to the same end as clippy's driver did."""
    if workspace.scan.mentions_clippy:  # it may be other code to clippy than to rustc
        return False
    if linted.succeeded:
        return True
    return any(
        error.code is None or _ERROR_CODE.fullmatch(error.code.code)
        for error in linted.errors
        if error.spans
    )


def _may_skip_code(workspace: Workspace) -> bool:
    """Tell whether a copy that compiles, and metadata that do, prove that the library compiles.

    The copy produces code for all of the sample. It differs in lint levels, and where a condition
    or a `main` may mean another thing to it.
    """
    return _NEEDS_CODE.isdisjoint(workspace.scan.words)
