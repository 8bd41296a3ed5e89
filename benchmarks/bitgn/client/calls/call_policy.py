"""How long and how often one kind of call of the platform is repeated after failures.

    read a file                      for 40 seconds
    start a run                      for 60 seconds, but after a lost reply only once
    run a tool that places an order  for 40 seconds, but never after a lost reply

After a lost reply, nobody knows whether the platform has carried out the call: the call is
"in doubt". Reading a file twice does no harm; placing an order twice does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

NO_LIMIT: Final = 1_000_000
"""A number of attempts or repeats that no call reaches."""


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How long and how often one kind of call is repeated."""

    deadline_s: float
    """The time limit of one attempt in seconds, including the body of the reply."""
    retry_s: float
    """The retry time: seconds after which a failure is final.

    Pauses that the server requests do not count.
    """
    ends_at: float = math.inf
    """The time, by `time.monotonic`, after which the call is not repeated."""
    max_repeats_in_doubt: int = NO_LIMIT
    """How often the call is repeated after lost replies; 0 if it must not happen twice."""
    retries_foreign_replies: bool = True
    """True to repeat the call after a reply of another sender, such as a proxy's page.

    False for the first calls: if the platform has never replied, its address is probably
    wrong.
    """
    trusts_plain_503: bool = False
    """True to assume that a call had no effect after a 503 that may come from a proxy.

    The platform's own replies have a code such as `unavailable`; a plain 503 has none.
    Usually a proxy sends it instead of passing the call on. But some proxies have passed
    it on, so set this only for calls that may happen twice.
    """
    accepts_already_done: bool = False
    """True if a repeated call that is refused as "already done" counts as successful.

    Then an earlier attempt did the work, and only its reply was lost.
    """
