"""A placeholder tells which kind of value is wanted, in any words."""

import pytest

from gates.language import wanted_kinds
from gates.language.placeholders import placeholder_kinds


@pytest.mark.parametrize(
    ("instruction", "kinds"),
    [
        ("Zählen, bitte: <COUNT:%d>", {"number"}),
        ("The count as count=%d.", {"number"}),
        ('In der Form "%d".', {"number"}),
        ("As #%04d, so many of them", {"number"}),
        ("So: EUR %.2f", {"amount"}),
        ("So: %08.2f EUR", {"amount"}),
        ("So: EUR %d.%02d", {"amount"}),
        ("%d of them for EUR %.2f", {"number", "amount"}),
        ("Morgen, DD-MM-YYYY", {"date"}),
        ("Morgen, YYYY/MM/DD.", {"date"}),
        ("Morgen, MM.DD.YYYY", {"date"}),
        ("Morgen, `YYYY MM DD`", {"date"}),
    ],
)
def test_a_placeholder_tells_what_is_wanted(instruction: str, kinds: set[str]) -> None:
    assert placeholder_kinds(instruction) == kinds


@pytest.mark.parametrize(
    "instruction",
    [
        "Give 5 % off",
        "5%discount",
        "%dirs and %data",
        "a%d",
        "%d%d",
        "%s",
        "%.2fx",
        "a%.2f",
        "Write /exports/DD-MM-YYYY.csv",
        "Write stock-YYYY-MM-DD",
        "Write DD-MM-YYYY.csv",
        "Write YYYY-MM-DD.csv",
        "Write YYYY-MM-DDs or DD-MM-YYYYs",
        "The year YYYY, MM-DD or DD",
        'They wrote: "please answer me with the number of them as %d"',
        "> %d\nThat was it.",
        " " * 20_000 + "%d",
    ],
)
def test_what_is_a_part_of_something_else_is_none(instruction: str) -> None:
    assert placeholder_kinds(instruction) == frozenset()


@pytest.mark.parametrize(
    ("instruction", "kinds"),
    [
        ("How many? (%d)", {"number"}),
        ("How many? Answer with the number only.", {"number"}),
        ("How many (%d)? Answer with the code only.", {"token"}),
        ("How many (%d)? Answer with the number only. Reply as YYYY-MM-DD only.", set()),
        ("How many?", set()),
    ],
)
def test_placeholders_count_where_the_contract_demands_nothing(instruction: str, kinds: set[str]) -> None:
    assert wanted_kinds(instruction, "") == kinds
