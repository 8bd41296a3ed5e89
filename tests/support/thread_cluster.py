"""A cluster of one worker on threads of this process: all but Dask is real."""

import json
from collections.abc import Callable

from pydantic_core import to_json

from controlplane.journal.journal_lines import EncodedEvent
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.run_lifecycle import Record, Workers
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.workers.dask_workers import DaskWorkers, enlist

PLACE = "tcp://127.0.0.1:8787"


class ThreadCluster:
    """What `DaskWorkers` use of Dask's client, with what a test may do to it."""

    cluster = None

    def __init__(self, **changes: object) -> None:
        """`changes` are made to what a worker is told of the run."""
        self.status = "running"
        self.info: object = {"address": "tcp://127.0.0.1:8786", "workers": {PLACE: {"nthreads": 4}}}
        self.enlisted = 0
        self.before: Callable[[JournalEvent], None] = lambda event: None
        """Called with every event before it is written."""
        self.after: Callable[[JournalEvent], None] = lambda event: None
        """Called with every event once it is written."""
        self.before_enlisting: Callable[[], object] = lambda: None
        self.told = ""
        """What the worker was told of the run."""
        self._changes = changes

    def scheduler_info(self, n_workers: int) -> object:
        return self.info

    def run(self, function: object, text: str, *told: object, **how: object) -> dict[str, str]:
        self.enlisted += 1
        self.told = json.dumps(json.loads(text) | json.loads(to_json(self._changes)))
        self.before_enlisting()
        return {PLACE: enlist(self.told)}

    def submit(self, function: object, *told: object, **how: object) -> None:
        """The task that keeps a worker busy is for Dask alone."""

    def close(self, timeout: float) -> None:
        self.status = "closed"

    def open_workers(self, resources: RunResources, emit: Record, controls: RunControls) -> Workers:
        def watched(event: JournalEvent | EncodedEvent) -> None:
            told = event.noted if isinstance(event, EncodedEvent) else event
            self.before(told)
            emit(event)
            self.after(told)

        self.dispatcher = DaskWorkers(self, resources, watched, controls).dispatcher
        return self.dispatcher

    def cut(self) -> None:
        """End the connections of all workers."""
        self.dispatcher.wait_for_leaving(0)
