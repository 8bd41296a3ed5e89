"""Which fields of a payment tell how the bank checks the card, found by their values.

A bank checks a card in a few attempts, with pauses between them. Each shop has other names for the
fields, but the check is always a mapping with a text, two whole numbers and a time:

    the state, a text           "3ds-status1"
    the attempts so far         1, the smaller number
    the most attempts           4, the larger number
    when to try again           "2027-03-04T12:20:30Z"
"""

from controlplane.benchmarks.shop.workspace.fields.check_fields import (
    CheckFields,
    check_fields,
)


def test_the_fields_of_the_check_of_a_payments_card() -> None:
    """The record has the fields of the public shop benchmark."""
    payment = {
        "id": "pay-12",
        "basket_id": "basket-7",
        "customer_id": "cust-4",
        "amount_cents": 2100,
        "status": "requires_3ds_action",
        "created_at": "2027-03-04T10:20:30Z",
        "observed_lat": 47.5,
        "lines": [{"sku": "T-12", "quantity": 1, "unit_price_cents": 2100}],
        "three_ds": {
            "status": "3ds-status1",
            "attempts": 1,
            "max_attempts": 4,
            "retry_after": "2027-03-04T12:20:30Z",
        },
    }

    fields = check_fields([payment])

    assert fields == CheckFields(
        check="three_ds",
        state="status",
        attempts="attempts",
        max_attempts="max_attempts",
        retry_at="retry_after",
    )
