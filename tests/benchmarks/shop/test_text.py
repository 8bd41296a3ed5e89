"""Words, numbers, dates, entries of documents, yes and no; marks of documents, tables, forms of values."""

import pytest

from benchmarks.shop.layout import (
    Shape,
    columns_called,
    every_row,
    keys_of,
    rows_of,
    shape_of,
    table_rows,
)
from benchmarks.shop.text import names_match, relative_date, yes_no_pair

CLOCK = "2027-03-01T10:00:00Z\n"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("the date in 10 days, YYYY-MM-DD", "2027-03-11"),
        ("the date in a week as DD-MM-YYYY", "08-03-2027"),
        ("which date was 3 days ago? MM/DD/YYYY", "02/26/2027"),
        ("2 weeks from today: YYYY-MM-DD", "2027-03-15"),
        ("one day ago, YYYY-MM-DD", "2027-02-28"),
        ("in two days, YYYY-MM-DD", "2027-03-03"),
        ("the date three weeks ago, DD.MM.YYYY", "08.02.2027"),
        ("tomorrow as DD-MM-YYYY or YYYY-MM-DD", None),
        ("in 10 days or in 11 days, YYYY-MM-DD", None),
        ("in some days, YYYY-MM-DD", None),
        ("in 10 days", None),
        ("twelve days from today, YYYY-MM-DD", "2027-03-13"),
        ("a fortnight from now, DD/MM/YYYY", "15/03/2027"),
        ("10 days back, YYYY-MM-DD", "2027-02-19"),
        ("one week hence, YYYY-MM-DD", "2027-03-08"),
        ("twenty-one days from today, YYYY-MM-DD", None),
        ("two months from today, YYYY-MM-DD", None),
        ("a week tomorrow, YYYY-MM-DD", None),
        ("3 days after tomorrow, YYYY-MM-DD", None),
        ("not tomorrow but the day after, YYYY-MM-DD", None),
    ],
)
def test_a_day_is_counted_from_the_clock(text, date):
    assert relative_date(text, CLOCK) == date


@pytest.mark.parametrize(
    ("rules", "pair"),
    [
        ("- Whether something is\n  so: `AYE`, or `NAY`.", None),
        ("- If it is so the message is `AYE`, if it\n  is not, `NAY`.\n- See `/docs/a.md`.", ("AYE", "NAY")),
        ("For yes write `1`, for no write `0`; `OUTCOME_OK` goes with both.", ("1", "0")),
        ("For no write `0` and for yes `1`.", None),
        ("Yes/no: `ja` (yes) or `nein` (no).\n\nYes/no: `si` (yes) or `no` (no).", None),
        ("Say yes or no.", None),
        ("1) Look in `/docs`.\n2) Yes is `ja`, no is `nee`.", ("ja", "nee")),
        ("**Where.** Look in `/docs`.\n**What.** Yes is `ja`,\n  no is `nee`.", ("ja", "nee")),
    ],
)
def test_the_words_for_yes_and_no_stand_in_one_paragraph(rules, pair):
    assert yes_no_pair(rules) == pair


@pytest.mark.parametrize(
    ("candidate", "query", "match"),
    [
        ("Zoë Müller", "Zoe Mueller", True),
        ("Zoe Muller", "Zoë Müller", True),
        ("Jörg Weiß", "Joerg Weiss", True),
        ("Åse Ødegård", "Ase Odegard", True),
        ("Łukasz Król", "Lukasz Krol", True),
        ("Berg Ada", "Ada", True),
        ("Ada Berg", "Ada Bergmann", False),
        ("Þóra Ýr", "Thora Yr", True),
        ("İpek Çağlar", "Ipek Caglar", True),
        ("Søren Ågård", "Soeren Aagaard", True),
        ("Jürgen Groß", "Juergen Gross", True),
        ("Anna Müller", "Anna Miller", False),
        ("Anna Müller", "Mrs. Mueller", True),
        ("Anna Müller", "Mrs", False),
        ("Jørgen Käld", "Jorgen Kaeld", True),
        ("Åse Bjørnstad", "Aase Bjornstad", True),
        ("Zoë Müller", "Frau Mueller", True),
        ("Zoë Müller", "Zoe Mueller's", True),
        ("Siobhán O'Brien", "Siobhan OBrien", True),
        ("Jean-Luc Moreau", "Jeanluc Moreau", True),
        ("Shop Graz-Süd", "the Graz Sued branch", True),
        ("Laura Bauer", "Laura Baur", False),
        ("", "Ada", False),
    ],
)
def test_names_match_in_any_order_with_and_without_marks(candidate, query, match):
    assert names_match(candidate, query) is match


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
