"""Fields are told by what they hold, whatever a shop calls them; what could be two fields keeps its name."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.shop.computed.record_fields import fields_by_name, renamed, stock_rows
from benchmarks.shop.language.record_kinds import Kind

BASKET = {
    "id": "basket_12",
    "shopper": "cust_3",
    "site": "store_bre_belcrum",
    "stage": "current",
    "begun": "2027-01-01T10:00:00Z",
    "rebate": {"rate": 3},
    "entries": [{"sku": "VH-A-1", "count": 2}],
}
CHECK = {"phase": "3ds-status1", "tries": 1, "tries_allowed": 3, "next_try_at": "2027-01-01T10:00:00Z"}
PAYMENT = {
    "id": "pay-1",
    "bag": "basket_12",
    "shopper": "cust_3",
    "total_ct": 100,
    "currency": "EUR",
    "stage": "requires_3ds_action",
    "bank_check": CHECK,
}
RETURN = {"id": "rma-1", "shopper": "cust_3", "charge": "pay-1", "stage": "raised", "grounds": "too_late"}
PRODUCT = {
    "id": 7,
    "sku": "VH-A-1",
    "name": "Osier & Oak Lea tarp",
    "maker": "Osier & Oak",
    "section": "cat-tarps",
    "range_id": "fam-lea",
    "unit_price_ct": 7669,
    "supply": "stocked",
    "attributes": {"size": "3x3"},
}


ROW = {"sku": "A", "physical": 5, "claimed": 2, "inbound": [{"count": 4, "days_out": 14}]}
STOCK_ROW = {"sku": "A", "on_hand": 5, "reserved": 2, "incoming": [{"quantity": 4, "arrives_in_days": 14}]}


@pytest.mark.parametrize(
    ("kind", "data", "wanted"),
    [
        (
            Kind.BASKET,
            BASKET,
            {
                "customer_id": "cust_3",
                "store_id": "store_bre_belcrum",
                "status": "current",
                "created_at": "2027-01-01T10:00:00Z",
                "discount": {"rate": 3},
                "lines": [{"sku": "VH-A-1", "quantity": 2}],
            },
        ),
        (
            Kind.PAYMENT,
            PAYMENT,
            {
                "basket_id": "basket_12",
                "status": "requires_3ds_action",
                "verification": {
                    "state": "3ds-status1",
                    "attempts": 1,
                    "max_attempts": 3,
                    "retry_after": "2027-01-01T10:00:00Z",
                },
            },
        ),
        (Kind.RETURN, RETURN, {"payment_id": "pay-1", "customer_id": "cust_3", "status": "raised"}),
        (Kind.EMPLOYEE, {"id": "emp-1", "site": "store-1", "powers": ["boss"]}, {"roles": ["boss"]}),
        (Kind.STORE, {"id": "store-1", "name": "Nord", "trading": False}, {"is_open": False}),
        (
            Kind.PRODUCT,
            PRODUCT,
            {
                "brand": "Osier & Oak",
                "family_id": "fam-lea",
                "price_cents": 7669,
                "fulfilment": "stocked",
                "properties": {"size": "3x3"},
            },
        ),
        (Kind.PRODUCT, {**PRODUCT, "supply": 2}, {"fulfilment": 2}),
        (Kind.PRODUCT, {**PRODUCT, "demo": True, "tags": ["x"], "old_ct": "9"}, {"fulfilment": "stocked"}),
        (Kind.PRODUCT, {**PRODUCT, "demo": True, "tags": ["x"], "old_ct": "9"}, {"price_cents": 7669}),
        (Kind.PRODUCT, {**PRODUCT, "id": "fam-lea-1"}, {"family_id": "fam-lea"}),
        (Kind.PRODUCT, {**PRODUCT, "id": 1, "name": "7 tarp", "maker": "7", "rank": 7}, {"brand": "7"}),
        (Kind.PAYMENT, PAYMENT, {"total_ct": 100}),
        (Kind.STORE, {"id": "store-1", "shelf": [ROW]}, {"inventory": [STOCK_ROW]}),
    ],
)
def test_fields_are_told_by_what_they_hold(kind: Kind, data: dict[str, Any], wanted: dict[str, Any]) -> None:
    found = renamed(kind, data, fields_by_name(kind, data, "stage"))
    assert {name: found.get(name) for name in wanted} == wanted
    assert found["id"] == data["id"]
    assert len(found) == len(data)


@pytest.mark.parametrize(
    ("kind", "data", "lost"),
    [
        (Kind.BASKET, {**BASKET, "mood": "happy"}, "status"),
        (Kind.BASKET, {**BASKET, "friend": "cust_4"}, "customer_id"),
        (Kind.BASKET, {**BASKET, "ended": "2027-01-02T10:00:00Z"}, "created_at"),
        (Kind.PRODUCT, {**PRODUCT, "old_price_ct": 9}, "price_cents"),
        (Kind.PRODUCT, {**PRODUCT, "rank": 9}, "fulfilment"),
        (None, BASKET, "customer_id"),
        (Kind.BASKET, {**BASKET, "entries": [*BASKET["entries"], 5]}, "lines"),
        (Kind.BASKET, {**BASKET, "entries": [{"count": 5}]}, "lines"),
        (Kind.EMPLOYEE, {"id": "emp-1", "powers": []}, "roles"),
        (Kind.EMPLOYEE, {"id": "emp-1", "powers": ["boss", 3]}, "roles"),
    ],
)
def test_what_could_be_two_fields_keeps_its_name(kind: Kind | None, data: dict[str, Any], lost: str) -> None:
    assert lost not in renamed(kind, data, fields_by_name(kind, data))


def test_a_return_needs_the_name_under_which_others_hold_their_state() -> None:
    assert "status" not in fields_by_name(Kind.RETURN, RETURN)
    assert "status" not in fields_by_name(Kind.RETURN, RETURN, "total")


def test_only_a_return_takes_the_name_of_a_state_from_elsewhere() -> None:
    assert "status" not in fields_by_name(Kind.BASKET, {**BASKET, "mood": "happy"}, "stage")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (Kind.PAYMENT, {"lines": [{"sku": "A", "count": 2}]}),
        (Kind.BASKET, {"lines": "none"}),
        (Kind.BASKET, {"lines": [{"sku": "A", "count": 2, "price": 3}]}),
        (Kind.BASKET, {"lines": [{"sku": "A", "count": 2, "note": "x"}]}),
        (Kind.BASKET, {"inventory": [ROW]}),
        (Kind.STORE, {"inventory": "none"}),
        (Kind.BASKET, {"verification": CHECK}),
        (Kind.PAYMENT, {"verification": "none"}),
        *(
            (Kind.PAYMENT, {"verification": {**CHECK, **more}})
            for more in ({"phase": 3}, {"last": "a"}, {"tries": "b"}, {"next_try_at": "c"}, {"open": True})
        ),
        (Kind.PAYMENT, {"verification": {**CHECK, "phase": "2027-01-01T10:00:00Z"}}),
        (Kind.PAYMENT, {"verification": {**CHECK, "tries": None}}),
        (Kind.PAYMENT, {"verification": {**CHECK, "next_try_at": None}}),
        (Kind.PAYMENT, {"verification": {**CHECK, "phase": None}}),
    ],
)
def test_what_has_another_form_stays_as_it_is(kind: Kind, data: dict[str, Any]) -> None:
    assert renamed(kind, data, {}) == data


def test_what_is_larger_in_nearly_all_rows_is_on_hand() -> None:
    rows = stock_rows([{"sku": "B", "physical": 3, "claimed": 3}, ROW])
    assert rows[0] == {"sku": "B", "on_hand": 3, "reserved": 3}
    turned = [{"sku": "A", "here": 5, "kept": 2}]
    assert stock_rows(turned) == [{"sku": "A", "on_hand": 5, "reserved": 2}]
    many = [ROW, ROW, ROW, ROW, ROW, {"sku": "C", "physical": 3, "claimed": 4}]
    assert stock_rows(many)[-1] == {"sku": "C", "on_hand": 3, "reserved": 4}
    assert rows[1] == {
        "sku": "A",
        "on_hand": 5,
        "reserved": 2,
        "incoming": [{"quantity": 4, "arrives_in_days": 14}],
    }


@pytest.mark.parametrize(
    "rows",
    [
        [{"sku": "B", "physical": 3, "claimed": 3}],
        [ROW, {"sku": "B", "physical": 1, "claimed": 3}],
        [ROW, {"sku": "B", "physical": 3}],
        [{**ROW, "broken": 1}],
        [{**ROW, "inbound": [{"count": 4, "later": 14}]}],
        [{**ROW, "note": "x"}],
        [{**ROW, "inbound": None}],
        [{**ROW, "inbound": []}],
        [{**ROW, "inbound": [4]}],
        [{**ROW, "inbound": [{"count": "4", "days_out": 14}]}],
        [{**ROW, "inbound": [{"count": 4}]}],
        [{**ROW, "inbound": [{"count": 4, "days_out": 14, "note": "x"}]}],
        [{**ROW, "inbound": [{"days_out": 14}]}],
        [{**ROW, "inbound": [{"count": 4, "more": 4, "days_out": 14}]}],
        [{**ROW, "inbound": [*ROW["inbound"], {"count": 4}]}],
    ],
)
def test_rows_that_can_be_read_in_two_ways_stay_as_they_are(rows: list[dict[str, Any]]) -> None:
    assert stock_rows(rows) == rows
