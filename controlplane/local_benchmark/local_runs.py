"""The runs of a benchmark whose worlds are in this process. Used from several threads."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from controlplane.benchmark import RunState
from controlplane.local_benchmark.local_run import LocalRun
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class LocalRuns:
    """The runs by their tokens, the random digits in their ids."""

    _by_token: defaultdict[str, LocalRun] = field(
        default_factory=lambda: defaultdict(LocalRun)
    )
    """A run that another process has started is added, without trials, when it is
    first looked up (hence `defaultdict`)."""
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def add(self, token: str, trial_ids: Iterable[str]) -> None:
        """Add a new run, and forget old ones that are closed."""
        with self._lock:
            self._forget_closed_runs()
            self._by_token[token] = LocalRun(dict.fromkeys(trial_ids))

    @contextmanager
    def locked(self, token: str) -> Iterator[LocalRun]:
        """Yield a run, which no other thread uses in the meantime."""
        with self._lock:
            yield self._by_token[token]

    def open_trials(self) -> list[str]:
        """Return the ids of the trials whose worlds are open."""
        with self._lock:
            open_trials: list[str] = []
            for run in self._by_token.values():
                open_trials += run.worlds
            return open_trials

    def release(self, trial_id: str) -> None:
        """Close the world of a trial, if it is open, without grading the trial."""
        with self._lock:
            for run in self._by_token.values():
                run.release(trial_id)

    def _forget_closed_runs(self) -> None:
        """Remove all but the latest closed runs, because a server may have many.

        A run with an open world stays, so that the world can be closed.
        """
        closed = []  # The earliest run comes first.
        for token, run in self._by_token.items():
            if run.state is not RunState.RUNNING and not run.worlds:
                closed.append(token)
        for token in closed[: -bounds.MOST_CLOSED_RUNS]:  # all but the latest
            del self._by_token[token]
