"""The signals between a run and its trials: to stop, to pause, and signs of life."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from controlplane.lifecycle.benchmark_health import HealthMonitor


def _ignore_error(error: Exception) -> None:
    """Do nothing: nobody listens for a pause."""


def _ignore_trial(trial_id: str) -> None:
    """Do nothing: nobody listens for signs of life."""


@dataclass(slots=True)
class RunControls:
    """Signals between a run and its trials."""

    stop: threading.Event = field(default_factory=threading.Event)
    """Set: no further trial starts, and running trials are left open after their step."""
    interrupted: threading.Event = field(default_factory=threading.Event)
    """Set if a signal of the user asked for the stop. Otherwise the run stops by itself."""
    pause: Callable[[Exception], None] = _ignore_error
    """Called if every further trial would fail in the same way:
    the model, the benchmark or the sandbox is down, or a key is wrong."""
    health: HealthMonitor = field(default_factory=HealthMonitor)
    note_sign_of_life: Callable[[str], None] = _ignore_trial
    """Called with the id of a trial that waits without emitting events, but is not stuck."""
