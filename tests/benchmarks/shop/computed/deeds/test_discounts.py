"""A discount is expected as role, branch, reason, stock and the policy's percentages have it."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED
from tests.benchmarks.shop.computed.expected_deeds import Changes, expected
from tests.benchmarks.shop.computed.small_shop import (
    BASKET,
    CLERK,
    CUSTOMER,
    DISCOUNTS,
    FOREIGN,
    MUG,
    SECURITY,
    STAFF,
    STORE,
    TENT,
    done,
    seen_before,
    summary,
)

ASKED = "Give basket-1 a discount of 10 percent for a late_parcel."
DEED = ("/bin/discount", "basket-1", "10", "late_parcel", "emp-1")
AROUND = {STORE, TENT, MUG}
GIVEN = done("/bin/discount", "basket-1 10 late_parcel emp-1")


@pytest.mark.parametrize(
    ("records", "percent", "outcome"),
    [
        ({}, 10, OK),
        ({}, 1, OK),
        ({}, 11, UNSUPPORTED),
        ({}, 0, UNSUPPORTED),
        ({MUG: {"price_cents": 999}}, 10, UNSUPPORTED),
        ({MUG: {"price_cents": 999}}, 5, OK),
        ({CLERK: {"store_id": "store-south"}}, 10, UNSUPPORTED),
        ({BASKET: {"status": "sold"}}, 10, UNSUPPORTED),
        ({BASKET: {"discount": {"percent": 2}}}, 10, UNSUPPORTED),
        ({STORE: {"inventory": [{"sku": "FJ-TNT-TARN", "on_hand": 3, "reserved": 0}]}}, 10, UNSUPPORTED),
    ],
)
def test_a_discount_within_the_conditions_is_given(records: Changes, percent: int, outcome: str) -> None:
    found = expected(ASKED.replace("10", str(percent)), STAFF, records)
    deed = ("/bin/discount", "basket-1", str(percent), "late_parcel", "emp-1")
    assert summary(found) == (outcome, {BASKET, CLERK, DISCOUNTS}, AROUND, set(), deed)


def test_a_refusal_of_too_much_states_what_is_allowed_if_nothing_else_forbids_it() -> None:
    found = expected(ASKED.replace("10", "12"), STAFF)
    assert found.states("At most 10 percent are allowed.")
    assert not found.states("At most 12 percent.")
    assert expected(ASKED, STAFF).states is None
    assert expected(ASKED.replace("10", "12"), STAFF, {BASKET: {"status": "sold"}}).states is None


def test_the_largest_discount_is_the_one_that_the_subtotal_allows() -> None:
    asked = "Give basket-1 the largest discount for a late_parcel."
    assert summary(expected(asked, STAFF))[4] == DEED
    less = summary(expected(asked, STAFF, {MUG: {"price_cents": 999}}))
    assert (less[0], less[4]) == (OK, ("/bin/discount", "basket-1", "5", "late_parcel", "emp-1"))
    unsaid = summary(expected("Give basket-1 a discount for a late_parcel.", STAFF))
    assert (unsaid[0], unsaid[4]) == (OK, ("/bin/discount", "basket-1", "late_parcel", "emp-1"))


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        (ASKED.replace("late_parcel", "goodwill"), OK),
        (ASKED.replace("late_parcel", "rainy_day"), UNSUPPORTED),
        (f"{ASKED} I hold the role clerk.", OK),
        (f"{ASKED} Or 5 percent.", None),
        (f"{ASKED} Or for a worn_box.", None),
        ("Give basket-1 a discount of 10 percent.", None),
        ("Give basket-1 a discount of 5 or 7 percent for a late_parcel, 8 %.", None),
    ],
)
def test_percentage_and_reason_must_be_certain(asked: str, outcome: str | None) -> None:
    found = expected(asked, STAFF)
    assert (found and found.outcome) == outcome


@pytest.mark.parametrize(
    ("records", "before", "outcome", "may_be"),
    [
        ({BASKET: {"discount": {"percent": 10}}}, None, OK, {UNSUPPORTED}),
        ({BASKET: {"discount": {"percent": 10}}}, {}, OK, set()),
        ({BASKET: {"discount": {"percent": 10}}}, {"discount": {"percent": 3}}, UNSUPPORTED, set()),
        ({BASKET: {"status": "sold"}}, None, UNSUPPORTED, set()),
        ({MUG: {"price_cents": 999}}, None, UNSUPPORTED, set()),
    ],
)
def test_a_basket_that_was_discounted_counts_as_it_was_before(
    records: Changes, before: dict[str, object] | None, outcome: str, may_be: set[str]
) -> None:
    evidence = seen_before(GIVEN) if before is None else seen_before(GIVEN, BASKET=before)
    found = summary(expected(ASKED, STAFF, records, evidence))
    assert (found[0], found[3]) == (outcome, may_be)


PACKER = "user: emp-1\nroles: employee, packer"


def test_who_lacks_the_role_is_denied() -> None:
    assert summary(expected(ASKED, CUSTOMER)) == (DENIED, {BASKET, SECURITY}, AROUND, set(), ())
    assert summary(expected(ASKED, PACKER)) == (DENIED, {BASKET, CLERK, SECURITY}, AROUND, set(), ())
    foreign = ASKED.replace("basket-1", "basket-4")
    assert summary(expected(foreign, PACKER)) == (DENIED, {FOREIGN, CLERK, SECURITY}, {STORE, MUG}, set(), ())
    assert summary(expected(foreign, CUSTOMER)) == (DENIED, {SECURITY}, set(), set(), ())


def test_a_discount_needs_a_basket() -> None:
    assert expected("Give me a discount of 10 percent for a late_parcel.", STAFF) is None
