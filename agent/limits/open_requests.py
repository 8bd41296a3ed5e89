"""The requests to models that are open: sent, but without a reply so far."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class OpenRequests:
    """The open requests of a run. Each trial has at most one at a time.

    Until the first reply has shown what a reply may cost, only one trial may ask.
    """

    has_reply: bool = False
    """True once there was a reply."""
    _trial_ids: set[str] = field(default_factory=set)
    """The trials with an open request."""

    @property
    def count(self) -> int:
        """The number of open requests."""
        return len(self._trial_ids)

    def take_turn(self, trial_id: str) -> bool:
        """Open a request, and return True, if the trial may ask now; else return False."""
        other_trials = self._trial_ids - {trial_id}
        if other_trials and not self.has_reply:
            return False
        self.open(trial_id)
        return True

    def open(self, trial_id: str) -> None:
        """Add a trial's request."""
        self._trial_ids.add(trial_id)

    def drop(self, trial_id: str) -> None:
        """Remove a trial's request, because it has ended. Without one, do nothing."""
        self._trial_ids.discard(trial_id)
