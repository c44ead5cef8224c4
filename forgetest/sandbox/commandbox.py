"""A box for a program of the user's own: it may use the network, but sees little and changes less.

The boxes of samples hold untrusted code. This one is for a program that the user trusts to
answer, and that runs what a model told it: it sees the system and what it is given to read, it
writes only where it is told to, and nothing of it survives its end.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from forgetest.sandbox.host import lies_in, system_folders

_TMP = Path("/tmp")  # noqa: S108 - the box's own
_ETC = Path("/etc")
_RESOLVER = _ETC / "resolv.conf"  # often a link out of /etc
_ALWAYS = (
    *("--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
    *("--hostname", "sandbox", "--dev", "/dev", "--proc", "/proc"),
)


def boxed(
    argv: Sequence[str],
    folder: Path,
    *,
    reads: Sequence[Path],
    writes: Sequence[Path],
    hidden: Sequence[Path],
) -> list[str]:
    """Return the words that run a command in a box, from `folder`.

    The user's home and /tmp are empty there, but for what is to be read or written; `hidden`
    folders are empty wherever they lie.
    """
    program = Path(shutil.which(argv[0]) or argv[0])
    given = (folder, program, program.resolve(), *reads)
    home = Path(os.environ.get("HOME", "/nonexistent"))
    return [
        *("bwrap", *_ALWAYS),
        *_mounts("--ro-bind", _system()),
        *(word for place in dict.fromkeys((_TMP, home)) for word in _empty(place)),
        *_mounts("--ro-bind", given),
        *(word for path in hidden if path.is_dir() for word in _hide(path, (*_system(), *given))),
        *_mounts("--bind", writes),
        *("--chdir", str(folder), "--", str(program), *argv[1:]),
    ]


def _system() -> tuple[Path, ...]:
    resolver = _RESOLVER.resolve()
    return (*system_folders(), _ETC, *(() if lies_in(resolver, _ETC) else (resolver,)))


def _mounts(way: str, paths: Sequence[Path]) -> Iterator[str]:
    """Yield the mounts of what exists, parents first."""
    for path in sorted(dict.fromkeys(paths), key=lambda path: len(path.parts)):
        if path.is_symlink() and path.parent == Path("/"):
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from (way, str(path.resolve()), str(path))


def _empty(place: Path) -> tuple[str, ...]:
    return ("--tmpfs", str(place)) if place != Path("/") else ()


def _hide(path: Path, seen: Sequence[Path]) -> tuple[str, ...]:
    """Return the mount that empties a folder that would be seen."""
    return ("--tmpfs", str(path)) if any(lies_in(path, place) for place in seen) else ()
