"""What a reader of the figures must know about the machine."""

import os
import platform
from pathlib import Path

from forgetest.system.toolchain import Toolchain
from speed.results import Machine


def describe(toolchain: Toolchain, *, sandbox: str, load_before: float) -> Machine:
    """Return this machine and its toolchain, with the load of now as the load afterwards."""
    return Machine(
        system=_system(),
        processor=_processor(),
        cores=cores(),
        memory_gib=_memory_gib(),
        python=platform.python_version(),
        rustc=toolchain.rustc_version.splitlines()[0],
        clippy=toolchain.clippy_version,
        sandbox=sandbox,
        load_before=round(load_before, 2),
        load_after=round(load(), 2),
    )


def summary() -> str:
    """Return processor, cores, memory and system in one line."""
    return f"{_processor()}, {cores()} cores, {_memory_gib():g} GiB, {_system()}"


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load() -> float:
    """Return the load average of the last minute."""
    return os.getloadavg()[0]


def _system() -> str:
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def _memory_gib() -> float:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30), 1)


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
