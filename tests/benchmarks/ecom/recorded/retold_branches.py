"""Replaces the names of branches in a recorded message by those of a generated task.

The message was recorded in the public shop benchmark, whose branches the generated shop does not have.
Here the task's basket belongs to the branch Veerhaven Noord, and the user's own to Veerhaven Haven:

    "basket-0412 is at PowerTools Graz Lend, and your own at PowerTools Linz Sued"
    -> "basket-0412 is at Veerhaven Noord, and your own at Veerhaven Haven"
"""

import re
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.benchmarks.ecom.recorded.task_records import (
    basket_of,
    basket_of_user,
    store_name,
)

STORE: Final = re.compile(
    r"PowerTools (?:Vienna|Graz|Linz|Salzburg|Innsbruck) \w+"
    r"|store-(?:vie|graz|linz|salzburg|innsbruck)-\w+"
)
"""The name or the id of a branch in the public worlds: `PowerTools Graz Lend`."""


def with_own_stores(message: str, task: Task) -> str:
    """Return the message with the branch of the task's basket in place of each branch.

    From the words "your own" on, each is replaced by the branch of the user's basket instead. So a
    message that comes back to the task's basket after these words would be retold wrongly.
    """
    basket = basket_of(task)
    store = store_name(task, basket)
    store_of_user = store_name(task, basket_of_user(task) or basket)

    def replacement(match: re.Match[str]) -> str:
        text_before = message[: match.start()].lower()
        return store_of_user if "your own" in text_before else store

    return STORE.sub(replacement, message)
