"""Memory and CPU time of the processes below this one: fork servers and the children of sandboxes.

A *fork server* forks a child process for each sandbox, in which a trial's scripts run one by one.
"""

from pathlib import Path

import psutil


def child_processes() -> list[psutil.Process]:
    """Return all processes below this one: fork servers and the children of sandboxes."""
    return psutil.Process().children(recursive=True)


def memory_of_children_mib() -> float:
    """Return the memory of all processes below this one.

    It is the proportional set size (PSS): of a page that several processes share, each has a part.
    """
    total_bytes = sum(process.memory_full_info().pss for process in child_processes())
    return total_bytes / 2**20


def cpu_of_children_s() -> float:
    """Return the CPU seconds so far of all processes below this one."""
    total_ns = 0
    for process in child_processes():
        schedstat = Path(f"/proc/{process.pid}/schedstat").read_text()
        total_ns += int(schedstat.split()[0])
    return total_ns / 1e9
