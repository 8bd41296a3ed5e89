"""How long one request to an endpoint may take: not longer than its trial lasts.

With a time-out of 180 s, and a trial that ends in 60 s:

    time_limits(settings, deadline)   -> Timeout(60, connect=10)
    the same 60 s later               raises `OutOfTime`
"""

from __future__ import annotations

import time

import httpx2

from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import OutOfTime
from controlplane.sandbox.interface import bounds


def time_limits(settings: EndpointSettings, deadline: float) -> httpx2.Timeout:
    """Return how long a request may take, until the deadline, a moment of `time.monotonic`.

    Raises `OutOfTime` if the deadline has passed.
    """
    limit_s = min(settings.timeout_s, deadline - time.monotonic())
    if limit_s <= 0:
        raise out_of_time(settings)
    connect_s = min(limit_s, bounds.LONGEST_CONNECT_S)
    return httpx2.Timeout(limit_s, connect=connect_s)


def out_of_time(settings: EndpointSettings) -> OutOfTime:
    """Return the error of a request that was not answered while the trial lasted."""
    msg = f"{settings.shown_name} had not answered when the trial's time was over (--trial-time)"
    return OutOfTime(msg)
