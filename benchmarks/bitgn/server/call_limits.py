"""How many calls about the same run or trial are handled at the same time.

Two calls that change the same trial must not overlap, and the calls of one run must leave
threads for other runs. Each run and each trial has a semaphore for this, by its id.
"""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class CallLimits:
    """The semaphores that limit the concurrent calls of each run and trial.

    A semaphore is removed when no call waits for it or holds it.
    """

    def __init__(self) -> None:
        self._semaphores: WeakValueDictionary[str, asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        """The semaphores by the id of their run or trial."""

    def semaphore_of(self, subject_id: str, *, at_a_time: int) -> asyncio.Semaphore:
        """Return the semaphore that limits the calls of a run or trial to `at_a_time`.

        A call without an id gets a semaphore of its own, so it does not wait for others.
        """
        if not subject_id:
            return asyncio.Semaphore(at_a_time)
        semaphore = self._semaphores.get(subject_id)
        if semaphore is None:
            semaphore = asyncio.Semaphore(at_a_time)
            self._semaphores[subject_id] = semaphore
        return semaphore
