"""The trials that workers of a cluster play, as the run's process knows them.

A worker sends each event of its trial to the run's process, which writes the journal.
So this process knows whether a trial has begun, and whether it has ended, even if its
worker is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from controlplane.journal.run_events import (
    JournalEvent,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)

_LAST_EVENTS: Final = (TrialEnded, TrialFailed, TrialLeftOpen)
"""The kinds of a trial's last event. A trial whose worker is lost may have none of them."""


@dataclass(eq=False, slots=True)
class RemoteTrial:
    """A trial that a worker plays."""

    address: str
    """The address of the worker."""
    last_event: JournalEvent | None = None
    """The trial's latest event that is written to the journal."""
    failure: Exception | None = None
    """The error that ends the whole run; None if there is none."""

    @property
    def has_started(self) -> bool:
        """True if the worker has sent an event of the trial, and the journal has it.

        Before its first event, a trial changes nothing, so it may be played anew.
        """
        return self.last_event is not None

    @property
    def has_ended(self) -> bool:
        """True if the worker has reported that the trial has ended, failed or been left open."""
        return isinstance(self.last_event, _LAST_EVENTS)


@dataclass(slots=True)
class RemoteTrials:
    """The trials that are being played. Used from several threads."""

    _by_key: dict[str, RemoteTrial] = field(default_factory=dict)
    """The trials by the keys of their Dask tasks."""

    def add(self, key: str, trial: RemoteTrial) -> None:
        self._by_key[key] = trial

    def remove(self, key: str) -> None:
        del self._by_key[key]

    def at(self, key: str) -> RemoteTrial | None:
        """Return the trial of a task; None if the run no longer waits for it."""
        return self._by_key.get(key)

    def least_busy(self, addresses: Iterable[str]) -> str:
        """Return the one of these addresses at which the fewest trials are played."""
        busy_addresses = [trial.address for trial in self._by_key.copy().values()]
        return min(addresses, key=busy_addresses.count)
