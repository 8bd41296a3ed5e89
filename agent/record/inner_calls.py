"""The calls that functions of a benchmark make, such as `total_fee()`, which reads two files.

A script calls the function, and the function makes *inner* calls. A step has all of them in one
list, in which an inner call has the number of its function's call in `outer`:

    0  total_fee()
    1  read("/a.md")    outer 0
    2  read("/b.md")    outer 0
    3  read("/c.md")                  -> {0: [read("/a.md"), read("/b.md")]}
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallRecord


def calls_by_function(calls: Iterable[CallRecord]) -> dict[int, list[CallRecord]]:
    """Return the inner calls of a step, by the number of their function's call."""
    inner_calls: dict[int, list[CallRecord]] = {}
    for call in calls:
        if call.outer is not None:
            inner_calls.setdefault(call.outer, []).append(call)
    return inner_calls
