"""What a process and its children use: CPU, time on the clock, and memory."""

import resource
from contextlib import suppress
from typing import NamedTuple

import psutil


def tree_pss_mb(root: int) -> float:
    """Return the memory of a process and all below it, in MiB.

    It is the proportional set size (PSS): of a page that several processes share, each has a part.
    """
    total_bytes = 0
    try:
        parent = psutil.Process(root)
        processes = [parent, *parent.children(recursive=True)]
    except psutil.Error:
        return 0.0
    for process in processes:
        with suppress(psutil.Error):  # It may have ended meanwhile.
            total_bytes += process.memory_full_info().pss
    return total_bytes / 2**20


class Cost(NamedTuple):
    """What a process and its children used."""

    cpu_s: float
    wall_s: float
    peak_pss_mb: float
    """The highest proportional memory of all its processes together, in MiB."""


def cpu_s_of_children() -> float:
    """Return the CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
