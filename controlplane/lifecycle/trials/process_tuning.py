"""Tunes a process that does nothing but play trials: its threads, files and memory."""

from __future__ import annotations

import gc
import resource
import sys
from contextlib import suppress
from functools import cache
from typing import Final

THREAD_SWITCH_S: Final = 0.02
"""Seconds between switches of threads. Switches cost CPU time, and no trial is in a hurry."""
ALLOCATIONS_BEFORE_COLLECTION: Final = 20_000
"""New objects after which garbage is collected. A collection
is quick, because it leaves out what was imported at the start."""


def tune_process() -> None:
    """Set up a process that does nothing but play trials."""
    sys.setswitchinterval(THREAD_SWITCH_S)
    # Each trial opens some files, and the usual limit is 1,024.
    _, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        # Some systems have a lower limit than they report.
        resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
    _leave_imported_objects_alone()


@cache  # Once in a process: what later runs make is to be collected.
def _leave_imported_objects_alone() -> None:
    """Let the garbage collector leave out what exists now, mostly imported modules.

    A collection that looked at it would stop every trial.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS_BEFORE_COLLECTION)
