"""Frees the memory of trials that were run again.

So a long journal takes no more memory than a short one.
"""

from __future__ import annotations

import gc
from typing import Final

from controlplane.journal.journal_reader import Journal

BYTES_BETWEEN_COLLECTIONS: Final = 2_000_000
"""After this many bytes of a journal, memory is freed. That takes 20 to
40 ms, as long as about 1 MB of a journal takes to run again."""


class TrialMemory:
    """Frees the trials of a journal that were run again, each time a few megabytes were read.

    A trial's session, recorder and sandbox refer to each other, so only Python's
    garbage collector frees them. It starts by itself after many new objects, however
    large they are. Trials have few objects with long texts, so it would start too late.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._freed_at_bytes = 0

    def free(self) -> None:
        """Free unused trials if enough was read since the last time."""
        read_bytes = self._journal.read_bytes
        if read_bytes - self._freed_at_bytes >= BYTES_BETWEEN_COLLECTIONS:
            gc.collect()
            self._freed_at_bytes = read_bytes
