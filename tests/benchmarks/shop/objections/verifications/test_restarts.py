"""`/bin/payments restart PAYMENT` has the card of a payment verified once more by its bank.

That may be done a few times, by the customer who pays, with pauses between. The pre-call check
objects to a restart that is too early, or one too many. It is 2028-05-01T00:00:00Z.
"""

from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.objections.verifications.waiting_payments import (
    verification_shop,
    waiting_payment,
)


def test_a_restart_after_the_pause_is_not_objected_to() -> None:
    payment = waiting_payment(attempts=2, retry_after="2028-04-30T21:00:00Z")
    shop = verification_shop(payment)

    assert objection_to_run(shop, "payments", "restart", "payment-4") == ""


def test_a_restart_before_the_end_of_the_pause_is_objected_to() -> None:
    payment = waiting_payment(attempts=2, retry_after="2028-05-01T07:00:00Z")
    shop = verification_shop(payment)

    assert (
        "its check is `challenge_open` until 2028-05-01T07:00:00Z, and it is 2028-05-01T00:00:00Z"
    ) in objection_to_run(shop, "payments", "restart", "payment-4")


def test_a_restart_after_the_last_attempt_is_objected_to() -> None:
    payment = waiting_payment(attempts=3, retry_after="2028-04-30T21:00:00Z")
    shop = verification_shop(payment)

    objection = objection_to_run(shop, "payments", "restart", "payment-4")

    assert "payment-4 has had 3 of 3 attempts" in objection


def test_a_restart_for_another_customer_is_objected_to() -> None:
    foreign_payment = waiting_payment(attempts=2, retry_after="2028-04-30T21:00:00Z")
    foreign_payment["customer_id"] = "cust-21"
    shop = verification_shop(foreign_payment)

    objection = objection_to_run(shop, "payments", "restart", "payment-4")

    assert "the payment payment-4 does not belong to whoever is signed in" in objection
