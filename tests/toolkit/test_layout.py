"""Marks of documents, tables, forms of values."""

import pytest

from toolkit import CannotRead
from toolkit.layout import (
    Shape,
    columns_called,
    every_row,
    keys_of,
    marked_behind,
    marked_words,
    most_marked,
    named_paths,
    rows_of,
    shape_of,
    table_rows,
)

TEXT = "Use `/bin/checkout <id>` (see `/docs/stock.md`) if `stage` is\n`current`, and only `current`.\n"


def test_what_is_marked_is_returned_in_order():
    assert marked_words(TEXT) == ["/bin/checkout <id>", "/docs/stock.md", "stage", "current", "current"]
    assert named_paths(TEXT) == ["/bin/checkout", "/docs/stock.md"]


def test_paths_are_found_without_marks_too():
    assert named_paths("See /docs/a.md, (/docs/b.md) or /proc/x. Say yes/no, 1/2 or TRUE(1)/FALSE(0).") == [
        "/docs/a.md",
        "/docs/b.md",
        "/proc/x",
    ]


def test_the_word_marked_most_often_is_the_one_meant():
    assert most_marked(TEXT, {"current", "stage"}) == "current"
    assert most_marked(TEXT, {"none"}) == ""


def test_a_state_stands_behind_its_field():
    assert marked_behind(TEXT, "stage") == "current"
    assert marked_behind("`stage`. And `current`", "stage") == ""


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


@pytest.mark.parametrize("text", ["a\tb\n1\n", "a\ta\n1\t2\n"])
def test_an_uneven_table_is_refused(text):
    with pytest.raises(CannotRead, match="headers twice, or a row"):
        table_rows(text)


def test_no_column_and_several_are_refused():
    rows = table_rows("from a,from b\n1,2\n")
    for words in (("to",), ("from",)):
        with pytest.raises(CannotRead, match="no single column for place"):
            columns_called(rows, {"place": words})
