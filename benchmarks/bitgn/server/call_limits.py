"""How many calls about the same run or trial are handled at the same time.

Two calls that change the same trial must not overlap, and the calls of one run must leave
threads for other runs. Each run and each trial has a semaphore for this, by its id.
"""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class CallLimits:
    """The semaphores that limit the concurrent calls of each run and trial.

    A semaphore is removed when no call waits for it or holds it: the dict is weak.
    """

    def __init__(self) -> None:
        self._semaphores: WeakValueDictionary[str, asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        """The semaphores by the id of their run or trial."""

    def semaphore_of(
        self, run_or_trial_id: str, *, at_a_time: int
    ) -> asyncio.Semaphore:
        """Return the semaphore that limits the calls of a run or trial to `at_a_time`.

        All calls with the same id share it.
        """
        semaphore = self._semaphores.get(run_or_trial_id)
        if semaphore is None:
            semaphore = asyncio.Semaphore(at_a_time)
            self._semaphores[run_or_trial_id] = semaphore
        return semaphore
