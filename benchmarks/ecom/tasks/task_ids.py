"""The ids of tasks: a family and a number, such as `sku-lookup.3`.

A default run plays 100 tasks. Each family has more: every number from 1 to 9999 is the
number of a task, which a user can name to play it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.tasks.families import FAMILIES

TASK_ID: Final = re.compile(r"([a-z]+(?:-[a-z]+)*)\.([1-9]\d{0,3})")
"""A family and a number, such as `sku-lookup.3`."""


def is_task_id(text: str) -> bool:
    """Return True if this is the id of a task, even if default runs do not include it.

    `sku-lookup.3` -> True, `sku-lookup.03` -> False, `unknown-family.1` -> False
    """
    match = TASK_ID.fullmatch(text)
    return match is not None and match[1] in FAMILIES


@cache
def task_ids() -> tuple[str, ...]:
    """Return the ids of a default run's tasks: `archive-fraud.1`, `basket-addition.1`, ...

    The first task of each family comes first, then the second ones, and so on, so that a
    run that plays only the first 30 still has many families.
    """
    numbers_and_families = []
    for name, family in FAMILIES.items():
        for number in range(1, family.task_count + 1):
            numbers_and_families.append((number, name))
    return tuple(f"{name}.{number}" for number, name in sorted(numbers_and_families))
