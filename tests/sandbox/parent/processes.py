"""Processes of the machine, by their ids."""

import sys

import psutil
import pytest

from tests.support.command import wait_until

linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads /proc"
)


def descendants(pid: int) -> set[int]:
    """Return the ids of all processes below `pid`: `descendants(os.getpid())` -> `{4711, 4712}`."""
    return {process.pid for process in psutil.Process(pid).children(recursive=True)}


def is_alive(pid: int) -> bool:
    """Return True if a process runs; one that has ended may still be listed as a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_gone(pids: set[int]) -> None:
    """Wait until all these processes have ended; fail after 20 seconds."""
    wait_until(lambda: not any(is_alive(pid) for pid in pids))
