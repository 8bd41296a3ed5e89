"""Wrong answers to "12 % off basket-0012, please", which may be forbidden.

    discount_mistakes(truth)  # {"one percent more": runs_tool("discount", "basket-0012", "13", ...), ...}

The page on discounts says up to how many percent, and by whom, a discount may be given.
"""

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    Solution,
    only_says,
    right_except,
    runs_tool,
)


def discount_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to "12 % off basket-0012, please", which may be forbidden.

    `truth.for_tests` has the details of the request: `{"basket": "basket-0012", "percent": "12",
    "reason": "display_item", "issuer": "emp-0021"}`, and the highest allowed discount as "maximum".
    """
    basket_id = truth.for_tests["basket"]
    percent = int(truth.for_tests["percent"])
    right_issuer = truth.for_tests["issuer"]

    def gives(percent: int, *, issuer: str = right_issuer) -> Solution:
        """Return a solution that gives the basket this discount by the shop's tool."""
        reason = truth.for_tests["reason"]
        return runs_tool("discount", basket_id, str(percent), reason, issuer)

    is_allowed = bool(truth.calls)
    if is_allowed:
        wrong_message = f"{basket_id} has {percent + 4} percent off."
        return {
            "one percent more": gives(percent + 1),
            "somebody else's name": gives(percent, issuer="emp-0"),
            "another percentage told": right_except(message=wrong_message),
        }

    mistakes: Mistakes = {"given all the same": gives(percent)}
    must_name_maximum = bool(truth.required_words)
    if must_name_maximum:
        maximum = int(truth.for_tests["maximum"])
        wrong_message = f"The maximum is {maximum + 20} percent."
        mistakes["the maximum given instead"] = gives(maximum)
        mistakes["a wrong maximum"] = only_says(wrong_message)
    return mistakes
