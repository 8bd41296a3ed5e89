"""CPU seconds of this process, and of its children that have ended."""

import resource
from typing import NamedTuple


class CpuSeconds(NamedTuple):
    """CPU seconds of this process, and of its children that have ended."""

    own: float
    children: float


def cpu_seconds() -> CpuSeconds:
    """Return the CPU time so far."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return CpuSeconds(
        own=own.ru_utime + own.ru_stime,
        children=children.ru_utime + children.ru_stime,
    )
