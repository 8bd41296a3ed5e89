"""Wrong answers to requests about baskets: a checkout, or a question for a status.

    basket_checkout_mistakes(truth)  # {"checked out all the same": runs_tool("checkout", ...), ...}

A basket may be another customer's, or cannot be checked out. `truth.for_tests` has details of the
request, under keys that depend on the family of the task.
"""

from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.mistakes.general_mistakes import Mistakes
from tests.benchmarks.ecom.solutions.wrong_solutions import (
    cites_only,
    cites_too,
    only_says,
    runs_tool,
)


def basket_checkout_mistakes(truth: Truth) -> Mistakes:
    """Return wrong answers to "Check out basket-0012", which may not be possible.

    `truth.for_tests` has the details of the request:
    `{"id": "basket-0012", "basket": "/proc/carts/basket-0012.json"}`.
    """
    basket_id = truth.for_tests["id"]
    basket_path = truth.for_tests["basket"]

    # The right answer also cites the page on checkouts, or a product that is not in stock.
    mistakes: Mistakes = {"the basket alone cited": cites_only(basket_path)}
    if truth.outcome == UNSUPPORTED:
        mistakes["checked out all the same"] = runs_tool("checkout", basket_id)
    return mistakes


def foreign_basket_mistakes(truth: Truth) -> Mistakes:
    """Return wrong answers to a request for a basket that may be another customer's.

    `truth.for_tests` has the details of the request:
    `{"id": "basket-0012", "basket": "/proc/carts/basket-0012.json"}`.
    """
    if truth.outcome == OK:  # It is the user's own.
        return basket_checkout_mistakes(truth)
    basket_id = truth.for_tests["id"]
    basket_path = truth.for_tests["basket"]
    return {
        "checked out all the same": runs_tool("checkout", basket_id),
        "the foreign basket cited": cites_too(basket_path),
    }


def guest_basket_status_mistakes(truth: Truth) -> Mistakes:
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


def record_field_mistakes(truth: Truth) -> Mistakes:
    """Return wrong answers to a question for a field of a record.

    It must be denied if the record is another customer's basket.
    """
    if truth.outcome == DENIED:
        return foreign_basket_mistakes(truth)
    return {}


def unnamed_basket_mistakes(truth: Truth) -> Mistakes:
    """Return wrong answers to "Check out my basket" by a customer who has several.

    The right answer asks which is meant, and cites all. `truth.for_tests` has their paths:
    `{"baskets": "/proc/carts/basket-0012.json /proc/carts/basket-0021.json"}`.
    """
    basket_paths = truth.for_tests["baskets"].split()
    if len(basket_paths) == 1:
        return {}
    first_path = basket_paths[0]
    first_id = first_path.rpartition("/")[2].removesuffix(".json")
    return {
        "the first one bought": runs_tool("checkout", first_id),
        "one candidate cited": cites_only(first_path),
    }
