"""A restart of a payment's check is objected to without the time, if all attempts are spent.

`/bin/payments restart PAYMENT` has the card of a payment verified once more. Usually, the pre-call
check asks the tool `/bin/date` for the time, as a restart may be too early. Here the tool fails.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import CallError, Plain, error_codes
from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.objections.verifications.waiting_payments import (
    verification_shop,
    waiting_payment,
)


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
