"""Marks of documents, tables, forms of values."""

import pytest

from toolkit.layout import (
    Shape,
    columns_called,
    every_row,
    keys_of,
    rows_of,
    shape_of,
    table_rows,
)

TEXT = "Use `/bin/checkout <id>` (see `/docs/stock.md`) if `stage` is\n`current`, and only `current`.\n"


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (True, Shape.FLAG),
        (7, Shape.NUMBER),
        ("2027-01-04T08:00:00Z", Shape.INSTANT),
        ("2027-01-04", Shape.INSTANT),
        ("EUR", Shape.CURRENCY),
        ("a.b@c.example", Shape.MAIL),
        ("cust-0174", Shape.ID),
        ("step-a", Shape.WORD),
        ("3ds", Shape.TEXT),
        ("Mill Lane", Shape.TEXT),
        (["a"], Shape.WORDS),
        ([], Shape.ROWS),
        ([{"a": 1}], Shape.ROWS),
        ([1], Shape.NOTHING),
        ({}, Shape.MAPPING),
        (None, Shape.NOTHING),
    ],
)
def test_a_value_has_a_form(value, shape):
    assert shape_of(value) is shape


def test_fields_are_found_by_their_form():
    data = {"id": "a-1", "rows": [{"n": 1}, {"n": 2}], "none": []}
    assert keys_of(data, Shape.ROWS) == ["rows", "none"]
    assert rows_of(data, "rows") == [{"n": 1}, {"n": 2}]
    assert rows_of(data, "id") == rows_of(data, "absent") == []
    assert list(every_row([data])) == [("rows", {"n": 1}), ("rows", {"n": 2})]


def test_a_table_is_read_by_the_words_of_its_headers():
    rows = table_rows("Lane_ID, from ,cost cents\na,b,3\n\nc,d,4\n")
    assert rows == [{"lane id": "a", "from": "b", "cost cents": "3"}, {"lane id": "c", "from": "d", "cost cents": "4"}]
    assert columns_called(rows, {"cost": ("price", "cost"), "start": ("from",)}) == {
        "cost": "cost cents",
        "start": "from",
    }
