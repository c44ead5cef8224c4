"""Kill processes below this one at random moments, as a failing machine or its admin would."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Self

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGBUS, signal.SIGSEGV)
# By the names that the system shows of processes: what a grading consists of.
ROLES = {
    "compiler": ("clippy-driver", "rustc", "cargo"),
    "linker": ("rust-lld", "ld", "cc", "collect2"),
    "box": ("bwrap",),
    "launcher": ("guard", "sh"),
    "test": ("program", "harness"),
}
ANY = "any"
_STORM = "storm"
KINDS = (*ROLES, ANY, _STORM)
_POLL_SECS = 0.001
_STORM_SECS = 0.15  # between two kills


def below(process: int) -> Iterator[int]:
    """Yield the processes below one, all generations of them."""
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 - asked all the time
            with contextlib.suppress(OSError):
                listed = Path(f"/proc/{process}/task/{task}/children").read_text(encoding="ascii")
                for child in map(int, listed.split()):
                    yield child
                    yield from below(child)


def name_of(process: int) -> str:
    """Return the name that the system shows; empty for a process that has gone."""
    try:
        return Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


@dataclass(frozen=True)
class Shot:
    """What is to be killed, by which signal, how long after it was first seen."""

    kind: str  # one of KINDS
    signal: signal.Signals
    delay_secs: float

    @classmethod
    def draw(cls, random: Random) -> Self:
        """Return any shot; most come within the time that a process of a grading lives."""
        delay = random.choice((0.0, random.uniform(0.0, 0.02), random.uniform(0.0, 0.3)))
        return cls(random.choice(KINDS), random.choice(SIGNALS), delay)


@dataclass
class Killer:
    """Carries out one shot below `root` while the context lasts; `hits` are the names it killed."""

    shot: Shot
    random: Random
    root: int = field(default_factory=os.getpid)
    hits: list[str] = field(default_factory=list)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _spared: frozenset[int] = frozenset()  # what ran before: no part of a grading

    def __enter__(self) -> Self:
        self._spared = frozenset(below(self.root))
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._stopped.is_set():
            if self._targets():
                self._stopped.wait(self.shot.delay_secs)
                self._shoot()
                if self.shot.kind != _STORM and self.hits:
                    return
                if self.shot.kind == _STORM:
                    self._stopped.wait(self.random.uniform(0, 2 * _STORM_SECS))
            time.sleep(_POLL_SECS)

    def _targets(self) -> list[int]:
        wanted = ROLES.get(self.shot.kind)
        running = (process for process in below(self.root) if process not in self._spared)
        return [process for process in running if wanted is None or name_of(process) in wanted]

    def _shoot(self) -> None:
        targets = self._targets()
        if targets and not self._stopped.is_set():
            target = self.random.choice(targets)
            name = name_of(target)
            storm = self.shot.kind == _STORM
            number = self.random.choice(SIGNALS) if storm else self.shot.signal
            with contextlib.suppress(OSError):
                os.kill(target, number)
                self.hits.append(f"{name or 'gone'}:{number.name}")
