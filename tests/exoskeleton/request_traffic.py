"""How many characters of a trial's requests to a model are cached, and so cost less.

A request is cached as far as it begins like an earlier one. A trial is given as its requests, in order:

    traffic_of(["abc", "abcd"], other_trials=[["abx", "abxy"]])  # Traffic(sent=7, cached=5)

The first request begins with "ab", as another trial's did, and the second one with all of the first.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Traffic:
    """The characters of the requests that a trial has sent to the model."""

    sent: int
    cached: int
    """Those that a cache knows, because an earlier request begins with them."""


def traffic_of(
    requests: Sequence[str], other_trials: Sequence[Sequence[str]]
) -> Traffic:
    """Return what a trial has sent, and how much of it is cached.

    Its first request may begin as those of other trials do, and each later one as the one before.
    """
    cached = 0
    for other_requests in other_trials:
        cached = max(cached, common_start(requests[0], other_requests[0]))
    for earlier, later in pairwise(requests):
        cached += common_start(earlier, later)
    sent = sum(len(request) for request in requests)
    return Traffic(sent, cached)


def common_start(text: str, other_text: str) -> int:
    """Return how many characters two texts have in common at their start: 2 of "abc" and "abx"."""
    prefix = os.path.commonprefix((text, other_text))  # noqa: RUF071 - characters are meant
    return len(prefix)


def traffic_of_all(trials: Sequence[Sequence[str]]) -> list[Traffic]:
    """Return the traffic of each trial, in the order of their sorted requests.

    In a sorted list, texts with a long common start are neighbours. So a trial has to be compared
    only with the trials before and after it.
    """
    sorted_trials = sorted(trials)
    all_traffic: list[Traffic] = []
    for index, requests in enumerate(sorted_trials):
        neighbours: list[Sequence[str]] = []
        if index > 0:
            neighbours.append(sorted_trials[index - 1])
        if index + 1 < len(sorted_trials):
            neighbours.append(sorted_trials[index + 1])
        all_traffic.append(traffic_of(requests, neighbours))
    return all_traffic
