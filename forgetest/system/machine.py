"""What this machine offers: cores, memory, open files, the user's cache. Cheap to load."""

import os
import re
import resource
import sys
from pathlib import Path

import platformdirs

# A compiler takes 150 MB for a one-page sample, a test what its limit allows; few need as much.
_MEMORY_PER_WORKER = 512 << 20
_MOST_FILES = 1 << 16  # more than any run opens
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)


def cache_folder() -> Path:
    """Return the folder of built dependencies, verdicts and checks."""
    return platformdirs.user_cache_path("forgetest")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers() -> int:
    """Return how many samples to grade in parallel: one per core, as far as memory allows."""
    return max(1, min(cores(), available_memory() // _MEMORY_PER_WORKER))


def available_memory() -> int:
    """Return the bytes of free memory; no limit where the system does not tell."""
    try:
        match = _AVAILABLE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
    except OSError:
        return sys.maxsize
    return int(match[1]) * 1024 if match else sys.maxsize


def open_files() -> int:
    """Let this process open as many files as its hard limit allows, and return how many that is.

    Each request takes one, and each compiler some.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
