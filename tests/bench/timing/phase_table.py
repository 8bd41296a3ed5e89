"""The table of phases of a trial, such as its gates, with the CPU time of each.

    gates                                                 1.20 ms    4.0%      3.0 calls a trial

A *trial* is one attempt at a task. The longest phase comes first.
"""

from collections import Counter

from tests.bench.timing.phases import CHILDREN, OUTSIDE
from tests.bench.timing.stopwatch import Stopwatch


def print_phases(
    stopwatch: Stopwatch, *, own_s: float, children_s: float, trials: int
) -> None:
    """Print a row for each phase, the longest first: `gates   1.20 ms   4.0%   3.0 calls a trial`.

    `own_s` and `children_s` are the CPU seconds of this process and of its children for all
    trials.
    """
    rows = Counter(stopwatch.seconds)
    rows[OUTSIDE] = own_s - sum(stopwatch.seconds.values())
    rows[CHILDREN] = children_s
    total_s = own_s + children_s
    for phase, seconds in rows.most_common():
        calls = stopwatch.calls[phase] / trials
        milliseconds = seconds / trials * 1000
        share = seconds / total_s
        print(
            f"{phase:<50}{milliseconds:8.2f} ms  {share:6.1%}  {calls:7.1f} calls a trial"
        )
    print(f"{'all processes':<50}{total_s / trials * 1000:8.2f} ms")
