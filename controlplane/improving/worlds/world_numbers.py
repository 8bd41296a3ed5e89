"""Worlds that are named by numbers: `1-20,25`.

A benchmark generates the data of a task from a number, so each number gives another world.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import re2

from controlplane.errors import UsageError
from controlplane.gates.surrogates import encodable
from controlplane.improving.loop_lines import Instance

MAX_NUMBERS: Final = 100_000
"""The most worlds in one part."""
_NUMBERS: Final = re2.compile(r"\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*")
"""Numbers of worlds: `1-20,25`."""


def world_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as `1-20,25`, each once.

    The same options may name tasks: for `orders.3,returns`, there are no numbers. Raises `UsageError` for a range of too many numbers.
    """
    if not _NUMBERS.fullmatch(encodable(text)):
        return []
    numbers: list[int] = []
    for range_text in text.split(","):
        first, _, last = range_text.partition("-")
        span = range(int(first), int(last or first) + 1)
        if len(span) > MAX_NUMBERS:
            msg = f"{text}: a part has at most {MAX_NUMBERS:,} worlds"
            raise UsageError(msg)
        numbers += span
    return list(dict.fromkeys(numbers))


def with_tasks_in_turn(numbers: Sequence[int], tasks: Sequence[str]) -> list[Instance]:
    """Return an instance for each number of a world. After the last task, the first one follows.

    `[1, 2, 3]`, `["a", "b"]` -> `[(1, "a"), (2, "b"), (3, "a")]`
    """
    instances = []
    for number, task in zip(numbers, itertools.cycle(tasks), strict=False):
        instances.append((number, task))
    return instances
