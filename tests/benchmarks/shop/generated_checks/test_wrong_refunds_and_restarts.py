"""The pre-call check objects to a refund, or a new check of a card, that is not allowed.

A script is about to run `/bin/payments restart pay-12`, and the check says: "... until ...". The
shops are generated, and may have words of their own for subcommands, such as `accept` for `approve`.
"""

import pytest

from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection_to_run, shop_of


def test_an_approval_of_a_refund_in_another_status_is_objected_to() -> None:
    task = generate_variant("refund-approval: status forbids it", "seed 1")
    approve = task.truth.names.verb("approve")
    return_id = task.truth.for_tests["return"]

    text = objection_to_run(shop_of(task), "refund", approve, return_id)

    assert "and the page asks for" in text


@pytest.mark.parametrize(
    ("variant", "reason"),
    [
        pytest.param("verification-restart: too early", "until", id="too early"),
        pytest.param(
            "verification-restart: spent or paid",
            "of 3 attempts",
            id="all attempts used",
        ),
        pytest.param(
            "verification-restart: another customer's",
            "does not belong",
            id="another customer's payment",
        ),
    ],
)
def test_a_wrong_restart_of_a_verification_is_objected_to(
    variant: str, reason: str
) -> None:
    task = generate_variant(variant, "seed 1")
    restart = task.truth.names.verb("restart")
    payment_id = task.truth.for_tests["id"]

    text = objection_to_run(shop_of(task), "payments", restart, payment_id)

    assert reason in text
