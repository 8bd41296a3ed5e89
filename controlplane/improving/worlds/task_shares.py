"""Divides tasks by shares such as `50/25/25`, in per cent."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Final

import re2

from controlplane.errors import UsageError
from controlplane.gates.surrogates import encodable

_SHARES: Final = re2.compile(r"(\d{1,3})/(\d{1,3})/(\d{1,3})")
"""Three shares in per cent: `50/25/25`."""


def split_tasks(tasks: Sequence[str], split: str, seed: int) -> list[list[str]]:
    """Return the tasks, shuffled by the seed, in three parts.

    `split` gives the share of each part in per cent: `50/25/25`. Raises `UsageError`.
    """
    match = _SHARES.fullmatch(encodable(split))
    shares = []  # a text of another form is refused below, as one whose shares do not add up
    if match:
        shares = [int(share) for share in match.groups()]
    shuffled = random.Random(seed).sample(list(tasks), len(tasks))
    # Each end is rounded, not each size: rounded sizes may not add up to all tasks.
    parts = []
    start = 0
    for share_to_end in itertools.accumulate(shares):
        end = round(len(shuffled) * share_to_end / 100)
        parts.append(shuffled[start:end])
        start = end
    if sum(shares) != 100 or not all(parts):
        msg = (
            f"{len(shuffled)} tasks cannot be split {split}: name three shares such as 50/25/25; "
            "no part may be empty"
        )
        raise UsageError(msg)
    return parts
