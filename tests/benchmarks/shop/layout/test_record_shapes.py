"""Kinds and fields of records as the recorded shop has them. They are read from outside the project."""

import json
from pathlib import Path

import pytest

from benchmarks.shop.layout.record_shapes import (
    CheckFields,
    LineFields,
    StockFields,
    check_fields,
    kind_of_record,
    line_fields,
    product_fields,
    stock_fields,
)

SAMPLES = Path(__file__).parents[5] / "shared" / "ecom1" / "samples"
NUMBERED = {"id": "a-1", "at": "2027-01-04T08:00:00Z"}


def sample(name):
    path = SAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip("the recorded samples are not here")
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("product_physical", "product"),
        ("product_digital", "product"),
        ("store_with_inventory", "branch"),
        ("cart_active", "basket"),
        ("cart_discounted", "basket"),
        ("payment_paid", "payment"),
        ("payment_3ds_retry_window", "payment"),
        ("return", "return"),
        ("employee", "employee"),
    ],
)
def test_a_recorded_record_has_its_kind(name, kind):
    data = sample(name)
    assert kind_of_record(data, data.get("sku") or data["id"]) == kind


def test_the_fields_of_recorded_records_are_told():
    product = sample("product_physical")
    fields = product_fields([product], [product["sku"]], {"price_cents", "fulfillment_type"})
    assert (fields.code, fields.name, fields.price, fields.properties) == ("sku", "name", "price_cents", "properties")
    stock = StockFields("inventory", "sku", "on_hand", "reserved", "incoming", "quantity", "arrival_in_days")
    assert stock_fields(sample("store_with_inventory"), {"arrival_in_days"}) == stock
    assert line_fields([sample("cart_active")]) == LineFields("lines", "sku", "quantity")
    check = CheckFields("three_ds", "status", "attempts", "max_attempts", "retry_after")
    assert check_fields([sample("payment_3ds_retry_window")]) == check


@pytest.mark.parametrize(
    "data",
    [{}, {"id": "a-1"}, {"mail": "a@b.example"}, NUMBERED, {**NUMBERED, "other": "b-2"}, {"id": "a-1", "rows": [1]}],
)
def test_what_has_no_kind_is_none(data):
    assert kind_of_record(data, "a-1") is None


@pytest.mark.parametrize("rows", [[], [{"sku": "a", "n": 1}], [{"sku": "a", "n": 1, "m": 2, "k": 3}]])
def test_stock_of_other_counts_than_two_is_not_guessed(rows):
    assert stock_fields({"rows": rows}, ()) is None
