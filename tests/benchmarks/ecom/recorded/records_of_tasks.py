"""The records that a task of the shop is about: a payment, or a basket.

    payment_of(task)         # Payment(id="pay-0031", basket_id="basket-0412", ...)
    basket_of(task)          # Basket(id="basket-0412", ...)
    basket_of_user(task)     # Basket(id="basket-0007", ...), of the user who asks

A task is a request in a world, a generated shop. The function returns None if there is no such record.
"""

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Basket, Payment


def payment_of(task: Task) -> Payment | None:
    """Return the payment that a task is about, if any.

    The answer must cite it, or it is a detail of the request: `{"payment": "/proc/payments/…"}`.
    """
    paths = [*task.truth.must_cite, task.truth.for_tests.get("payment")]
    for payment in task.world.payments.values():
        if task.world.path(payment) in paths:
            return payment
    return None


def basket_of(task: Task) -> Basket | None:
    """Return the basket that a task is about, if any, or else the basket of its payment."""
    paths = [*task.truth.must_cite, task.truth.for_tests.get("basket")]
    for basket in task.world.baskets.values():
        if task.world.path(basket) in paths:
            return basket
    payment = payment_of(task)
    if payment is not None:
        return task.world.baskets[payment.basket_id]
    return None


def basket_of_user(task: Task) -> Basket | None:
    """Return the first basket of the user who asks."""
    for basket in task.world.baskets.values():
        if basket.customer_id == task.world.session.user:
            return basket
    return None
