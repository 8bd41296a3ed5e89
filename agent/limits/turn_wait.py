"""Waits until a trial may send a request: the first request of a run goes alone.

What a request costs is known only when its reply arrives. Until then, two requests at once
might exceed the run's limit. With `--run-cost 10`, in a new run:

| the trial `t-1` | the trial `t-2` |
|---|---|
| waits for its turn: gets it at once | |
| sends its request | waits for its turn |
| gets the reply, which has cost $2 | the wait ends |
"""

from __future__ import annotations

import threading
from typing import Final

from controlplane.agent.limits.spending import Spending

TURN_POLL_S: Final = 0.02
"""Seconds between two checks whether a waiting request may be sent."""


def wait_for_turn(spending: Spending, trial_id: str, stop: threading.Event) -> bool:
    """Wait until a trial may send a request. Return False if `stop` was set meanwhile.

    The wait also ends if the run may spend nothing more. So check `spending.end` next.
    """
    if not spending.limits.has_amount_limit:
        return True
    while not spending.end.reason:
        if spending.take_turn(trial_id):
            return True
        if stop.wait(TURN_POLL_S):
            return False
    return True
