"""Which fields of rows of stock count what."""

import pytest

from toolkit.stock import CountFields, DeliveryFields, count_fields, delivery_fields

ROWS = [{"sku": f"S-{at}", "claimed": at % 3, "in_house": at} for at in range(10)]


@pytest.mark.parametrize("turned", [False, True])
def test_what_lies_there_is_in_nearly_all_rows_no_less_than_what_is_reserved(turned):
    rows = [{"in_house": each["in_house"], **each} for each in ROWS] if turned else ROWS
    assert count_fields([*rows, {"sku": "T", "claimed": 4, "in_house": 3}]) == CountFields("in_house", "claimed")


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
    assert count_fields(rows) is None


@pytest.mark.parametrize(
    ("delivery", "marked", "fields"),
    [
        ({"units": 3, "due_days": 2}, (), DeliveryFields("units", "due_days")),
        ({"arrives_in_days": 2, "quantity": 3}, (), DeliveryFields("quantity", "arrives_in_days")),
        ({"units": 3, "wait": 2}, {"wait"}, DeliveryFields("units", "wait")),
        ({"units": 3, "wait": 2}, (), None),
        ({"units": 3, "due_days": 2, "late_days": 1}, (), None),
        ({"due_days": 2}, (), None),
    ],
)
def test_the_days_of_a_delivery_are_told_by_the_policy_or_by_their_unit(delivery, marked, fields):
    assert delivery_fields(delivery, marked) == fields
