"""Tells which trials of a run are stuck, by the time since their last sign of life."""

from __future__ import annotations

import time
from dataclasses import dataclass

from controlplane.configuration.run_settings import RunSettings
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class _SignOfLife:
    """The latest proof that a trial is not stuck: one of its events, or a notice of a retry."""

    at: float
    """Its time, by `time.monotonic`."""
    asks_model: bool = False
    """True if it is a request to a model, so that the trial now waits for the reply."""


class TrialWatch:
    """The signs of life of a run's trials, and the trials that were given up.

    Threads of trials call `note` for each event. The run's own thread asks `stuck_for_s` from time
    to time, and calls `give_up` for a trial that is stuck, so that the run can end without it.
    """

    def __init__(
        self, settings: RunSettings, slow_call_s: float, *, may_wait_for_user: bool
    ) -> None:
        """Watch the trials of a run.

        - `slow_call_s`: by how many seconds the longest call of this benchmark may exceed
          the usual limit; 0 unless the benchmark is slow.
        - `may_wait_for_user`: True if trials ask the user to approve calls. The user
          may take any time to answer.
        """
        self._settings = settings
        self._slow_call_s = slow_call_s
        self._may_wait_for_user = may_wait_for_user
        self._signs: dict[str, _SignOfLife] = {}
        """The last sign of life of each trial, by its id."""
        self._given_up: set[str] = set()
        """The ids of the trials that were given up because they were stuck."""

    def note(self, trial_id: str, *, asks_model: bool = False) -> None:
        """Note a sign of life of a trial."""
        self._signs[trial_id] = _SignOfLife(time.monotonic(), asks_model)

    def give_up(self, trial_id: str) -> None:
        """Give up a trial that is stuck. Its thread may still come back."""
        self._given_up.add(trial_id)

    def has_given_up(self, trial_id: str) -> bool:
        return trial_id in self._given_up

    def stuck_for_s(
        self, trial_id: str, began_at: float, *, run_stops: bool
    ) -> float | None:
        """Return for how many seconds a stuck trial has been silent; None if it is not stuck.

        It is stuck if it was silent for too long, and its time is over or the run
        stops. A trial that may be waiting for the user is never stuck.

        `began_at` is the time of its start, by `time.monotonic`.
        """
        now = time.monotonic()
        sign = self._signs.get(trial_id, _SignOfLife(began_at))
        silence_s = now - max(sign.at, began_at)
        max_silence_s = self._max_silence_s(sign)
        if silence_s < max_silence_s or self._may_wait_for_user:
            return None
        is_time_over = now - began_at > self._settings.trial_time + max_silence_s
        if run_stops or is_time_over:
            return silence_s
        return None

    def _max_silence_s(self, sign: _SignOfLife) -> float:
        """Return the seconds for which a healthy trial may be silent after a sign of life.

        They suffice for a script of a whole step, and for the longest call.
        """
        settings = self._settings
        silence_s = bounds.TRIAL_SILENCE_S + settings.step_time + self._slow_call_s
        if sign.asks_model:
            silence_s += settings.model_timeout
        return silence_s
