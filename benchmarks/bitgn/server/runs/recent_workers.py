"""The worker processes of trials. Only those of the trials called last keep running.

A trial's tools run in a process of their own, which takes memory. A client may leave
hundreds of trials open, so the processes that were idle for longest are ended.
"""

from __future__ import annotations

import threading

from controlplane.benchmarks.bitgn.server.runs.served_run import ServedTrial
from controlplane.sandbox.interface import bounds


class RecentWorkers:
    """Ends the least recently used workers. Safe to use from many threads.

    An ended worker starts again at the next call of its trial.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trials: dict[str, ServedTrial] = {}
        """The trials whose workers may have a process, by id. The last one was called last."""

    def use(self, trial: ServedTrial) -> None:
        """Record that a trial was called, and end other workers if there are too many."""
        if trial.worker is None:
            return
        with self._lock:
            # Move the trial to the end of the dict.
            self._trials.pop(trial.trial_id, None)
            self._trials[trial.trial_id] = trial
            surplus = list(self._trials.values())[: -bounds.MOST_TRIAL_PROCESSES]
            for idle_trial in surplus:
                del self._trials[idle_trial.trial_id]
        for idle_trial in surplus:
            worker = idle_trial.worker
            if worker is not None:
                worker.close()
