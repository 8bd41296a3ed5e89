"""How a shop names things, as a function finds it out."""

import json
from pathlib import Path

import pytest

from benchmarks.shop.workspace import (
    StockFields,
    check_fields,
    line_fields,
    possible_tools,
    product_fields,
    stock_fields,
)

SAMPLES = Path(__file__).parents[4] / "shared" / "ecom1" / "samples"


def sample(name):
    path = SAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip("the recorded samples are not here")
    return json.loads(path.read_text())


def test_the_fields_of_recorded_records_are_told():
    product = sample("product_physical")
    fields = product_fields([product], [product["sku"]], {"price_cents", "fulfillment_type"})
    assert (fields.code, fields.name, fields.price, fields.properties) == ("sku", "name", "price_cents", "properties")
    stock = StockFields("inventory", "sku", "on_hand", "reserved", "incoming", "quantity", "arrival_in_days")
    assert stock_fields(sample("store_with_inventory"), {"arrival_in_days"}) == stock
    assert line_fields([sample("cart_active")]) == ("lines", "sku", "quantity")
    check = {"state": "status", "attempts": "attempts", "max_attempts": "max_attempts", "retry_at": "retry_after"}
    assert check_fields([sample("payment_3ds_retry_window")]) == ("three_ds", check)


ROWS = [{"sku": f"S-{at}", "claimed": at % 3, "in_house": at} for at in range(10)]


def counted(rows):
    fields = stock_fields({"stock": rows}, frozenset())
    return fields and (fields.on_hand, fields.reserved)


@pytest.mark.parametrize("turned", [False, True])
def test_the_count_on_hand_is_mostly_no_less_than_the_reserved_one(turned):
    rows = [{"in_house": row["in_house"], **row} for row in ROWS] if turned else ROWS
    assert counted([*rows, {"sku": "T", "claimed": 4, "in_house": 3}]) == ("in_house", "claimed")


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"sku": "S", "n": 2}],
        [{"sku": "S", "n": 2, "m": 1, "k": 1}],
        [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 2}],
        [{"sku": "S", "n": 2, "m": 2}],
        [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 1, "m": 2}],
        [{"sku": "S", "n": True, "m": 1}],
    ],
)
def test_where_both_readings_are_left_none_is_taken(rows):
    assert counted(rows) is None


def test_without_a_declaration_what_has_no_ending_and_nothing_below_can_be_a_tool():
    assert possible_tools(["/bin/id", "/docs/a.md", "/docs", "/proc/x/b.json", "/proc"]) == {"/bin/id": ""}
