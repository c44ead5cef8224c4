"""The program, loaded once and forked for every call: a process of its own, without its start.

Loading takes half a second of every command, and the tests call hundreds. Run as a script, this
module loads all of forgetest, and forks for each request that comes over a socket. The child takes
over the request's folder, environment, arguments and streams before the program's first line runs.
`warm_call.py` sends the request of a shell, with whatever the shell redirects and limits.
"""

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TextIO

from pydantic import BaseModel

# What is read after the program's first line; any other difference needs a fresh start.
_READ_LATER = re.compile(
    r"\w+_KEY|_\w+_COMPLETE|BROWSER|CARGO_\w+|COLUMNS|COMP_\w+|FORGETEST_\w+|GITHUB_STEP_SUMMARY"
    r"|HOME|NO_PROXY|no_proxy|PATH|PYTEST_\w+|RUST\w+|TMPDIR|XDG_\w+_HOME"
)
_PACKET = 1 << 18
_ERR = 2
_CLIENT = Path(__file__).with_name("warm_call.py")
_LOADED: "list[Warm]" = []
# What libraries load when they are first used.
_LATER = (
    "encodings.ascii",
    "encodings.utf_8_sig",
    "importlib.readers",
    "jinja2.meta",
    "jinja2.sandbox",
    "rich._emoji_codes",
    "rich.traceback",
    "typer._adapters",
    "typer.rich_utils",
)


@dataclass(frozen=True)
class Warm:
    """A loaded program that waits for calls; `environ` is what it was loaded with."""

    environ: Mapping[str, str]
    process: subprocess.Popen[bytes]
    channel: socket.socket
    readers: ThreadPoolExecutor
    lock: Lock

    def suits(self, env: Mapping[str, str]) -> bool:
        """Tell whether a call with this environment is the same as one that starts afresh."""
        names = self.environ.keys() | env.keys()
        changed = [name for name in names if self.environ.get(name) != env.get(name)]
        return all(map(_READ_LATER.fullmatch, changed))

    def run(
        self, arguments: list[str], *, cwd: Path, env: Mapping[str, str], timeout: float
    ) -> tuple[int, str, str]:
        """Run to the end; return the exit code, negative for a signal, and both outputs."""
        call = {"arguments": arguments, "cwd": str(cwd), "env": dict(env), "given": [1, 2]}
        request = json.dumps({**call, "closed": [], "limits": {}}).encode()
        with self.lock:
            (out, out_end), (err, err_end) = os.pipe(), os.pipe()
            socket.send_fds(self.channel, [request], [out_end, err_end])
            os.close(out_end)
            os.close(err_end)
            texts = [self.readers.submit(_read, pipe) for pipe in (out, err)]
            code = self._code(arguments, timeout)
            return code, texts[0].result(), texts[1].result()

    def run_in_shell(
        self, line: str, arguments: list[str], *, cwd: Path, env: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run where `"$@"` stands in a line of bash, to the end; return how the shell ended."""
        client = [sys.executable, "-ISE", str(_CLIENT), str(self.channel.fileno())]
        with self.lock:
            return subprocess.run(
                ["bash", "-c", line, "bash", *client, *arguments],
                cwd=cwd,
                env=env,
                pass_fds=[self.channel.fileno()],
                capture_output=True,
                check=False,
                timeout=timeout,
            )

    def _code(self, arguments: list[str], timeout: float) -> int:
        pid = int(self.channel.recv(_PACKET))
        self.channel.settimeout(timeout)
        try:
            return int(self.channel.recv(_PACKET))
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self.channel.settimeout(None)
            self.channel.recv(_PACKET)
            raise subprocess.TimeoutExpired(arguments, timeout) from None
        finally:
            self.channel.settimeout(None)

    def stop(self) -> None:
        """End it."""
        self.channel.close()
        self.process.communicate()
        self.readers.shutdown()


def _read(pipe: int) -> str:
    with os.fdopen(pipe, encoding="utf-8") as file:
        return file.read()


def warm(env: Mapping[str, str] | None = None) -> Warm:
    """Return the program, loaded; the first call loads it, with the environment of that moment.

    With `env`, a call with that environment is the same as one that starts afresh. A test may end
    every process that it finds: then the next call loads the program anew.
    """
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    for loaded in _LOADED:
        if loaded.process.poll() is None and loaded.suits(environ if env is None else env):
            return loaded
    _LOADED.append(_started(environ if env is None else dict(env)))
    return _LOADED[-1]


def _started(environ: dict[str, str]) -> Warm:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        # Unused pipes, so that its streams are made for pipes, as those of every call.
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            env=environ,
            pass_fds=[theirs.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    started = Warm(environ, process, ours, ThreadPoolExecutor(2), Lock())
    atexit.register(started.stop)
    return started


def _serve(channel: socket.socket) -> dict[str, object] | None:
    """Fork for every request; return the request in a child, and None at the end of them."""
    while True:
        raw, streams, _, _ = socket.recv_fds(channel, _PACKET, 3)
        if not raw:
            return None
        pid = os.fork()
        if not pid:
            request = json.loads(raw)
            _take_over(dict(zip(request["given"], streams, strict=True)), request["closed"])
            for limit, values in request["limits"].items():
                resource.setrlimit(getattr(resource, limit), values)
            return dict(request)
        for stream in streams:
            os.close(stream)
        channel.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        channel.send(str(os.waitstatus_to_exitcode(status)).encode())


def _take_over(given: dict[int, int], closed: list[int]) -> None:
    """Have the standard streams of a call, made as Python makes them when it starts."""
    for number, stream in given.items():
        os.dup2(stream, number)
        os.close(stream)
    for number in closed:
        os.close(number)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = None if number in closed else _as_at_the_start(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _as_at_the_start(number: int, loaded: TextIO) -> TextIO:
    """Return a standard stream for what its descriptor is now."""
    return io.TextIOWrapper(
        open(number, "wb" if number else "rb", closefd=False),
        encoding=loaded.encoding,
        errors=loaded.errors,
        newline="\n",
        line_buffering=number == _ERR or os.isatty(number),
    )


def _load() -> str:
    """Load the whole program; return the file that `python -m` would run."""
    package = importlib.import_module("forgetest")
    modules = (module.name for module in pkgutil.walk_packages(package.__path__, "forgetest."))
    for name in (*_LATER, *modules):
        if not name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # what is optional
                importlib.import_module(name)
    for model in _models(BaseModel):
        model.model_rebuild()
    gc.collect()
    gc.freeze()
    return str(Path(package.__path__[0], "__main__.py"))


def _models(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Yield the models that are whole when they are first used."""
    for model in kind.__subclasses__():
        yield from (model, *_models(model))


def _main() -> None:
    sys.path[0] = ""
    ended: list[int] = []
    atexit.register(_leave, ended)  # before all others, so that it comes after them
    program = _load()
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        request = _serve(channel)
    if request is None:
        return
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.path[0] = request["cwd"]
    sys.argv = [program, *request["arguments"]]
    try:
        sys.modules["forgetest.cli.main"].main()
    except SystemExit as end:
        ended.append(int(str(end.code)))
        raise


def _leave(ended: list[int]) -> None:
    """End a call without taking apart all that was loaded, whose pages would be copied for it."""
    with contextlib.suppress(OSError, ValueError):  # Python has words and a code of its own for it
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        if ended:
            os._exit(ended[0])


if __name__ == "__main__":
    _main()
