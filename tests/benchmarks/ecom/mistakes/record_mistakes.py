"""Wrong answers to questions for a field of a record, such as the status of a basket.

    guest_basket_status_mistakes(truth)  # {"the status told": only_says("It is active."), ...}

A guest, who is not signed in, may not know it, and a customer may not know it of others.
"""

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface.outcomes import DENIED, OK
from tests.benchmarks.ecom.mistakes.basket_mistakes import foreign_basket_mistakes
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    cites_too,
    only_says,
)


def guest_basket_status_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a question for a basket's status by a user who may be a guest.

    `truth.for_tests` has the details of the request:
    `{"basket": "/proc/carts/basket-0012.json", "status": "active"}`.
    """
    if truth.outcome == OK:  # The user is signed in, and owns the basket.
        return {}
    basket_path = truth.for_tests["basket"]
    status = truth.for_tests["status"]
    return {
        "the status told": only_says(f"It is {status}."),
        "the status told as an answer": only_says(status, outcome=OK),
        "the basket cited": cites_too(basket_path),
    }


def record_field_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a question for a field of a record.

    It must be denied if the record is another customer's basket.
    """
    if truth.outcome == DENIED:
        return foreign_basket_mistakes(truth)
    return {}
