"""The names in a task of ours that take the place of names in a recorded message.

names_of(task)
-> OwnNames(user="cust-0121", basket="basket-0412", store="Veerhaven Noord", ...)
"""

from dataclasses import dataclass

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Basket
from tests.benchmarks.ecom.recorded.demanded_words import is_time
from tests.benchmarks.ecom.recorded.records_of_tasks import (
    basket_of,
    basket_of_user,
    payment_of,
)


@dataclass(frozen=True, slots=True)
class OwnNames:
    """What a task is about. A name is empty if the task is not about such a thing."""

    user: str
    """The user who asks: `cust-0121` or `emp-0004`; `guest` if nobody is logged in."""
    basket: str = ""
    payment: str = ""
    returned: str = ""
    """The id of a return: `return-0412`."""
    product: str = ""
    """The product of which the branch has too few, or that the request names."""
    time: str = ""
    """The time that a right message has: `2027-03-04T10:20:30Z`."""
    store: str = ""
    """The name of the basket's branch: `Veerhaven Noord`."""
    store_of_user: str = ""
    """The branch of the user's own basket, if another one's is asked about."""


def names_of(task: Task) -> OwnNames:
    """Return the names of what a task is about."""
    details = task.truth.for_tests
    payment = payment_of(task)
    basket = basket_of(task)

    time = ""
    for word in task.truth.required_words:
        if is_time(word):
            time = word

    return OwnNames(
        user=task.world.session.user,
        basket=basket.id if basket else "",
        payment=payment.id if payment else "",
        returned=details.get("return", ""),
        product=details.get("short") or details.get("sku", ""),
        time=time,
        store=store_name(task, basket),
        store_of_user=store_name(task, basket_of_user(task) or basket),
    )


def store_name(task: Task, basket: Basket | None) -> str:
    """Return the name of a basket's branch; empty without a basket."""
    if basket is None:
        return ""
    return task.world.stores[basket.store_id].name
