"""A payment that waits for the check of its card, in a shop with a page on such checks.

shop = verification_shop(waiting_payment(attempts=2, retry_after="2028-04-30T21:00:00Z"))
objection_to_run(shop, "payments", "restart", "payment-4")  # "": the check may be restarted
"""

from typing import Any

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.shop.functions.customer_records import payment
from tests.benchmarks.shop.functions.written_shop import written_shop

VERIFICATION_PAGE = """
A payment with the `status` `awaiting_verification` waits for the customer's bank.

Compare `attempts` with `max_attempts`. Run `/bin/payments restart <payment_id>`.

An open challenge, `challenge_open`, blocks until `/bin/date` has reached `retry_after`.
"""


def waiting_payment(
    *, attempts: int, retry_after: str, state: str = "challenge_open"
) -> dict[str, Any]:
    """Return payment-4, whose card has been verified this often, of at most three times."""
    verification = {
        "state": state,
        "attempts": attempts,
        "max_attempts": 3,
        "retry_after": retry_after,
    }
    return payment("payment-4", "awaiting_verification") | {
        "verification": verification
    }


def verification_shop(payment: dict[str, Any]) -> EcomEnvironment:
    """Return a shop with the page and this payment, for which `cust-7` is signed in."""
    return written_shop(
        {
            "/docs/verification.md": VERIFICATION_PAGE,
            "/proc/payments/payment-4.json": payment,
        }
    )
