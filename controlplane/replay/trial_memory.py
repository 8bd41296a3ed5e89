"""Frees the memory of trials that were run again, so that a long journal takes no more than a short one."""

from __future__ import annotations

import gc
from typing import Final

from controlplane.journal.journal_reader import Journal

BYTES_BETWEEN_COLLECTIONS: Final = 2_000_000
"""Bytes of a journal after which memory is freed. A collection takes 20 to 40 ms, as long as about
1 MB of a journal takes to run again."""


class TrialMemory:
    """Frees the trials of a journal that were run again, each time a few megabytes were read.

    A trial's session, recorder and sandbox refer to each other, so only Python's garbage collector
    frees them. The collector counts objects, not bytes: some hundred objects with long texts would
    wait for thousands of others.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._freed_at_bytes = 0

    def free(self) -> None:
        """Free the trials that are no longer referred to, if enough was read since the last time."""
        read_bytes = self._journal.read_bytes
        if read_bytes - self._freed_at_bytes >= BYTES_BETWEEN_COLLECTIONS:
            gc.collect()
            self._freed_at_bytes = read_bytes
