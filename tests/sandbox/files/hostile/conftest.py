"""Workers whose calls are ended soon."""

import pytest

from controlplane.sandbox import Worker
from controlplane.sandbox.interface.limits import WorkerLimits


@pytest.fixture
def short_worker_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker kill a call after 0.4 s of CPU time instead of 2 s.

    The tests do not start the workers themselves, so the default of the class is changed.
    """
    worker_defaults = Worker.__init__.__kwdefaults__
    monkeypatch.setitem(worker_defaults, "limits", WorkerLimits(call_cpu_s=0.4))
