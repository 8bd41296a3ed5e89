"""Words of a text: found in every inflection and number format, and nothing else is taken for them."""

import pytest

from gates.terms import TextIndex


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("harbour", "the Harbour lights"),
        ("kuste", "Die Küste"),
        ("renewals", "cannot be renewed"),
        ("loan", "all loans of May"),
        ("loans", "a loan"),
        ("lines", "every line"),
        ("b-104", "book B-104."),
        ("b-104", "shelf 104"),
        ("21", "runs 21 days"),
        ("1150", "EUR 11.50"),
        ("11.50", "fee_cents: 1150"),
        ("1,199.00", "1199"),
        ("007", "row 7"),
        ("0.00", "copies: 0"),
        ("side", "the north-side shelf"),
        ("cats", "one cat"),
        ("b-7", "row 7"),
        ("x-b7", "the b7"),
        ("big-dog", "a dog"),
        ("42-day", "row 042"),
        ("same-day", "the same day"),
        ("fee_cents", '"fee_cents": 3'),
        ("2031-05-04", "on 2031-05-04T10:00"),
    ],
)
def test_a_word_is_found_in_another_form(word: str, text: str) -> None:
    assert TextIndex(text).holds(word)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("boat", "the book"),
        ("load", "a loam"),
        ("22", "runs 21 days"),
        ("b-105", "book b-104"),
        ("lamp", "lantern"),
        ("shelf", "shell"),
        ("gas", "ga"),
        ("b-7", "row 70"),
        ("x-harbour7", "harbour"),
        ("a-go", "go on"),
        ("b-7", "row 007"),
        ("7-stock", "stocked"),
    ],
)
def test_another_word_is_not_found(word: str, text: str) -> None:
    assert not TextIndex(text).holds(word)
