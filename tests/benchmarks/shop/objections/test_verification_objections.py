"""`/bin/payments restart PAYMENT` has the card of a payment verified once more by its bank.

That may be done a few times, by the customer who pays, with pauses between. The pre-call check
objects to a restart that is too early, or one too many. Today is 2028-05-01, and it is 00:00.
"""

from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import CallError, Plain, error_codes
from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.functions.customer_records import payment
from tests.benchmarks.shop.functions.written_shop import written_shop

VERIFICATION_PAGE = """
A payment with the `status` `awaiting_verification` waits for the customer's bank.

Compare `attempts` with `max_attempts`. Run `/bin/payments restart <payment_id>`.

An open challenge, `challenge_open`, blocks until `/bin/date` has reached `retry_after`.
"""


def verification_shop(payment: dict[str, Any]) -> EcomEnvironment:
    """Return a shop with the page and this payment, for which `cust-7` is signed in."""
    return written_shop(
        {
            "/docs/verification.md": VERIFICATION_PAGE,
            "/proc/payments/payment-4.json": payment,
        }
    )


def waiting_payment(
    *, attempts: int, retry_after: str, state: str = "challenge_open"
) -> dict[str, Any]:
    """Return a payment whose card has been verified this often, of at most three times."""
    verification = {
        "state": state,
        "attempts": attempts,
        "max_attempts": 3,
        "retry_after": retry_after,
    }
    return payment("payment-4", "awaiting_verification") | {
        "verification": verification
    }


def test_a_restart_after_the_pause_is_not_objected_to() -> None:
    shop = verification_shop(
        waiting_payment(attempts=2, retry_after="2028-04-30T21:00:00Z")
    )

    assert objection_to_run(shop, "payments", "restart", "payment-4") == ""


def test_a_restart_before_the_end_of_the_pause_is_objected_to() -> None:
    shop = verification_shop(
        waiting_payment(attempts=2, retry_after="2028-05-01T07:00:00Z")
    )

    assert (
        "its check is `challenge_open` until 2028-05-01T07:00:00Z, and it is 2028-05-01T00:00:00Z"
    ) in objection_to_run(shop, "payments", "restart", "payment-4")


def test_a_restart_after_the_last_attempt_is_objected_to() -> None:
    shop = verification_shop(
        waiting_payment(attempts=3, retry_after="2028-04-30T21:00:00Z")
    )

    assert ("payment-4 has had 3 of 3 attempts") in objection_to_run(
        shop, "payments", "restart", "payment-4"
    )


def test_a_restart_for_another_customer_is_objected_to() -> None:
    foreign_payment = waiting_payment(attempts=2, retry_after="2028-04-30T21:00:00Z")
    foreign_payment["customer_id"] = "cust-21"
    shop = verification_shop(foreign_payment)

    assert (
        "the payment payment-4 does not belong to whoever is signed in"
    ) in objection_to_run(shop, "payments", "restart", "payment-4")


class ShopWithoutClock(EcomEnvironment):
    """A shop in which the tool `/bin/date`, which prints the time, fails."""

    def call(self, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if arguments.get("path") == "/bin/date":
            raise CallError(error_codes.UNAVAILABLE, "the clock stands still")
        return super().call(operation, arguments)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param("challenge_open", id="in a state that blocks for a time"),
        pytest.param("timed_out", id="in a state that does not block"),
    ],
)
def test_the_time_is_not_needed_if_all_attempts_are_spent(state: str) -> None:
    """No attempt is left, so a restart is wrong, whether it is too early or not."""
    spent_payment = waiting_payment(
        attempts=3, retry_after="2028-05-01T07:00:00Z", state=state
    )
    shop = ShopWithoutClock(verification_shop(spent_payment).workspace)

    assert objection_to_run(shop, "payments", "restart", "payment-4") == (
        "`/bin/payments restart payment-4` was not sent. "
        "payment-4 has had 3 of 3 attempts "
        "(see /proc/payments/payment-4.json and /docs/verification.md). "
        "If the call is right, make the same call again."
    )
