"""Retells a message of the public shop benchmark for a task of ours of the same kind.

The message answers a public request, and names records of that shop. Each name is replaced by that
of our task, here one on basket-0412 at Veerhaven Noord, asked by the customer cust-0121:

    "basket-0021 of cust-0004 is not at PowerTools Graz Lend"
    -> "basket-0412 of another customer is not at Veerhaven Noord"
"""

import re
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.benchmarks.ecom.recorded.demanded_words import WORD_KINDS
from tests.benchmarks.ecom.recorded.retold_branches import with_own_stores
from tests.benchmarks.ecom.recorded.retold_customers import with_own_customers
from tests.benchmarks.ecom.recorded.task_records import basket_of, payment_of

ROLE: Final = re.compile(r"Role[A-Z]\w+|\bnot a store manager")
"""Finds the name of a role, `RoleStoreManager`, or "not a store manager"."""


def retold_for(task: Task, message: str, request: str) -> str:
    """Return a recorded message with the names of a task. `request` is what it answers.

    as recorded    "cust-0012 has RoleClerk: basket-0021 is at PowerTools Graz Lend"
    the role       "cust-0012 has not of the staff: basket-0021 is at PowerTools Graz Lend"
    customers      "another customer has not of the staff: basket-0021 is at ..."
    ids            "another customer has not of the staff: basket-0412 is at ..."
    the branch     "another customer has not of the staff: basket-0412 is at Veerhaven Noord"

    The result need not be good English, since the grader looks for names, ids and numbers only.
    """
    # The request names the role of the user already, so a message need not.
    message = ROLE.sub("not of the staff", message)
    message = with_own_customers(message, request, task.world.session.user)
    message = with_own_ids(message, task)
    message = with_own_stores(message, task)
    return with_own_time(message, task)


def with_own_ids(message: str, task: Task) -> str:
    """Replace the ids of all other records by those of the task: "pay-0007" -> "pay-0412".

    If the task is not about such a record, the id is dropped: "pay-0007 is open" -> " is open".
    """
    user = task.world.session.user
    payment = payment_of(task)
    basket = basket_of(task)
    details = task.truth.for_tests
    ids_by_pattern = {
        r"emp-\d+": user if user.startswith("emp") else "",
        r"(?i)basket-\d+": basket.id if basket else "",
        r"pay-\d+": payment.id if payment else "",
        r"return-\d+": details.get("return", ""),
        # A product: the one of which the branch has too few, or that the request names
        r"PT-[A-Z0-9-]+": details.get("short") or details.get("sku", ""),
    }
    for pattern, own_id in ids_by_pattern.items():
        message = re.sub(pattern, own_id, message)
    return message


def with_own_time(message: str, task: Task) -> str:
    """Replace times by the one that the task's message must have, if any."""
    for word in task.truth.required_words:
        if is_time(word):
            message = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", word, message)
    return message


def is_time(word: str) -> bool:
    """Return True for a time as in records: `2027-03-04T10:20:30Z`."""
    return re.match(WORD_KINDS["time"], word) is not None
