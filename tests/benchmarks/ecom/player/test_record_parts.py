"""The parts of a record are told by what they hold, whatever a workspace calls them."""

from typing import Any

import pytest

from benchmarks.ecom.player.record_parts import by_shape

BASKET = {
    "id": "basket-1",
    "owner": "cust-2",
    "house": "store-x-y",
    "phase": "filling",
    "since": "2027-01-02T03:04:05Z",
    "off": {"pc": 5, "why": "kindness", "by": "emp-7"},
    "rows": [{"sku": "A-B-1", "n": 2}],
}
PAYMENT = {
    "id": "pay-1",
    "bag": "basket-1",
    "owner": "cust-2",
    "sum": 300,
    "check": {"step": "step-b", "rounds": 1, "limit": 3, "locked": "2027-01-02T03:04:05Z"},
}
STORE = {
    "id": "store-1",
    "name": "North",
    "city": "Leiden",
    "open": False,
    "held": [{"sku": "A-B-1", "here": 4, "kept": 1, "due": [{"n": 2, "days_out": 3}]}],
}
PRODUCT = {"id": 3, "sku": "A-B-1", "name": "Kettle", "unit_price_ct": 990, "features": {"litres": 2}}
STAFF = {"id": "emp-7", "called": "Ada B", "mail": "a@b.example", "job": "Clerk", "duties": ["employee", "lead"]}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (BASKET, {"customer_id": "cust-2", "store_id": "store-x-y", "status": "filling"}),
        (BASKET, {"lines": [{"sku": "A-B-1", "quantity": 2}], "created_at": "2027-01-02T03:04:05Z"}),
        (BASKET, {"discount": {"percent": 5, "status": "kindness", "issuer_id": "emp-7"}}),
        (PAYMENT, {"basket_id": "basket-1", "customer_id": "cust-2", "sum": 300}),
        (
            PAYMENT,
            {
                "verification": {
                    "status": "step-b",
                    "attempts": 1,
                    "max_attempts": 3,
                    "retry_after": "2027-01-02T03:04:05Z",
                }
            },
        ),
        (STORE, {"is_open": False}),
        (
            STORE,
            {
                "inventory": [
                    {
                        "sku": "A-B-1",
                        "on_hand": 4,
                        "reserved": 1,
                        "incoming": [{"quantity": 2, "arrives_in_days": 3}],
                    }
                ]
            },
        ),
        (PRODUCT, {"price_cents": 990, "properties": {"litres": 2}, "id": 3}),
        (STAFF, {"email": "a@b.example", "roles": ["employee", "lead"], "called": "Ada B"}),
    ],
)
def test_a_part_has_one_name_wherever_it_comes_from(record: dict[str, Any], expected: dict[str, Any]) -> None:
    found = by_shape(record)
    assert {name: found.get(name) for name in expected} == expected


def test_names_that_are_right_stay_and_nothing_is_lost() -> None:
    assert by_shape(by_shape(STORE)) == by_shape(STORE)
    assert all(len(by_shape(each)) == len(each) for each in (BASKET, PAYMENT, STORE, PRODUCT, STAFF))
