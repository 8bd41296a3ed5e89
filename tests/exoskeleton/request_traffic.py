"""How much of what trials send to a model is cached: what an earlier request began with, too.

A trial is given as its requests, in order. In `["abc", "abcd"]` beside the trial `["abx", "abxy"]`,
"ab" of the first request is cached, which the other trial has sent, and "abc" of the second one.
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


def common_start(text: str, other_text: str) -> int:
    """Return how many characters two texts have in common at their start."""
    prefix = os.path.commonprefix((text, other_text))  # noqa: RUF071 - characters are meant
    return len(prefix)


def traffic_of(
    requests: Sequence[str], other_trials: Sequence[Sequence[str]]
) -> Traffic:
    """Return what a trial has sent, and how much of it is cached.

    Its first request begins as those of other trials do, and each later one as the one before.
    `["abc", "abcd"]` beside the trial `["abx", "abxy"]` has 2 + 3 cached characters.
    """
    cached = 0
    for other_requests in other_trials:
        cached = max(cached, common_start(requests[0], other_requests[0]))
    for earlier, later in pairwise(requests):
        cached += common_start(earlier, later)
    sent = sum(len(request) for request in requests)
    return Traffic(sent, cached)


def traffic_of_all(trials: Sequence[Sequence[str]]) -> list[Traffic]:
    """Return the traffic of each trial, which is given as its requests.

    In a sorted list, texts with a long common start are neighbours. So a trial has to be compared
    only with the trials before and after it.
    """
    sorted_trials = sorted(trials)
    all_traffic: list[Traffic] = []
    for index, requests in enumerate(sorted_trials):
        trial_before = sorted_trials[max(index - 1, 0) : index]
        trial_after = sorted_trials[index + 1 : index + 2]
        all_traffic.append(traffic_of(requests, [*trial_before, *trial_after]))
    return all_traffic
