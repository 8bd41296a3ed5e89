"""A shop's task that asks for the checkout of a basket, and ways to check it out.

shop = written_shop({BASKET: basket_text(status="active")})
check_out(shop)                              # by the tool, /bin/checkout
write_basket(shop, status="checked_out")     # by hand: the same text, but it scores nothing
grade(CHECKOUT, shop)
"""

import json

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth

BASKET = "/proc/carts/basket-4.json"


def basket_text(*, status: str) -> str:
    """Return the text of the basket's file, as the tool writes it: `{"id": "basket-4", ...}`."""
    return json.dumps({"id": "basket-4", "status": status}, indent=2) + "\n"


CHECKOUT = TaskTruth(
    instruction="Buy it.",
    message="Done.",
    changes={BASKET: basket_text(status="checked_out")},
    calls=(("checkout", "basket-4"),),
)
"""The task, with what its right answer says and changes, and the tool that must be run."""


def check_out(shop: EcomEnvironment, argument: str = "basket-4") -> None:
    """Run `/bin/checkout` with an argument."""
    shop.call("exec", {"path": "/bin/checkout", "args": [argument]})


def write_basket(shop: EcomEnvironment, *, status: str) -> None:
    """Write the basket's file by hand, with this status."""
    shop.call("write", {"path": BASKET, "content": basket_text(status=status)})
