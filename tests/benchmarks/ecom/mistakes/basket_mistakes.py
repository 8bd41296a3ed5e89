"""Wrong answers to requests for the checkout of a basket.

    basket_checkout_mistakes(truth)  # {"checked out all the same": runs_tool("checkout", ...), ...}

A basket may be another customer's, or cannot be checked out. `truth.for_tests` has details of the
request, under keys that depend on the family of the task.
"""

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface.outcomes import OK, UNSUPPORTED
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    cites_only,
    cites_too,
    runs_tool,
)


def basket_checkout_mistakes(truth: TaskTruth) -> Mistakes:
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


def foreign_basket_mistakes(truth: TaskTruth) -> Mistakes:
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


def unnamed_basket_mistakes(truth: TaskTruth) -> Mistakes:
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
