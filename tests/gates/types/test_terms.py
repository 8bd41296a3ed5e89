"""Words in the form in which reasons and documents are compared."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gates.types import seen_text
from gates.types.evidence import MAX_INDEXED_CHARS
from gates.types.term_index import TermIndex
from gates.types.terms import (
    distinctive_words,
    fold_text,
    has_distinctive_word,
    is_boilerplate,
    lookup_terms,
    parts_of,
    reason_tokens,
    stem,
)


def named(word: str, text: str) -> bool:
    return any(map(TermIndex(text).holds, lookup_terms(word)))


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
        ("7", "row 007"),
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
    assert named(word, text)


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
        ("harbour", "harbour7"),
        ("x-harbour7", "harbour"),
        ("a-go", "go on"),
        ("b-7", "row 007"),
        ("7-stock", "stocked"),
    ],
)
def test_another_word_is_not_found(word: str, text: str) -> None:
    assert not named(word, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("relevant b-104 and quagga", ("b-104", "quagga")),
        ("so we go", ("go",)),
        ("the file data", ()),
        ("", ()),
        ("x y 7", ()),
        (". " * 3_000 + "quagga", ("quagga",)),
        ("quagga" + ". " * 1_500 + "b-104", ("quagga",)),
        ("q" * 60 + " quagga", ("q" * 60, "quagga")),
        ("q" * 61 + " quagga", ("quagga",)),
        ("lions in same-day quagga", ("quagga",)),
        ("lamp quagga b-104", ("b-104", "quagga")),
        ("b7 quagga", ("b7", "quagga")),
        ("b-7 b-8 b-9 quagga", ("b-7", "b-8")),
        ("cafe\u0301te\u0301ria", ("caf\u00e9t\u00e9ria",)),
    ],
)
def test_the_telling_words_of_a_text_tell_it_from_others(text: str, words: tuple[str, ...]) -> None:
    assert distinctive_words(text, 2) == words


@pytest.mark.parametrize(("text", "is_telling"), [("the quagga", True), ("the file data", False), ("", False)])
def test_a_text_is_telling_if_any_of_its_words_is(text: str, *, is_telling: bool) -> None:
    assert has_distinctive_word(text) is is_telling


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ABC", "abc"),
        ("Ca\u0301fE", "cafe"),
        ("K\u00fcste \U0001f600", "kuste \U0001f600"),
        ("A\U00011046b \u0301", "ab "),
    ],
)
def test_a_text_is_folded_to_lower_case_without_marks(text: str, folded: str) -> None:
    assert fold_text(text) == folded


@pytest.mark.parametrize(
    ("folded", "parts"), [("a-b c1_d.", ["a", "b", "c1", "d"]), ("\u00e4\u2013b_c", ["\u00e4", "b", "c"]), ("", [])]
)
def test_the_parts_of_a_text_are_its_letters_and_digits(folded: str, parts: list[str]) -> None:
    assert parts_of(folded) == parts


@given(st.text(max_size=200))
@example("0A\u094d0")
@example("0A\u24b6")
@example("0\U0001d5d4")
@settings(deadline=None)
def test_every_telling_word_is_found_by_its_own_text(text: str) -> None:
    for word in distinctive_words(text, 4):
        tokens = [each for each in reason_tokens(word) if not is_boilerplate(each)]
        assert tokens
        assert any(named(token, text) for token in tokens)


def test_a_text_is_indexed_up_to_a_bound_and_says_so() -> None:
    whole, cut = seen_text("a" * MAX_INDEXED_CHARS), seen_text("a" * (MAX_INDEXED_CHARS + 1))
    assert (whole.is_whole, cut.is_whole) == (True, False)
    assert whole.text == cut.text


@pytest.mark.parametrize(("token", "is_one"), [("x", True), ("7", False), ("the", True), ("quagga", False)])
def test_single_letters_and_everyday_words_identify_nothing(token: str, is_one: bool) -> None:
    assert is_boilerplate(token) is is_one


@pytest.mark.parametrize(("word", "prefix"), [("loan", "loan*"), ("loans", "loan*"), ("gas", "gas*")])
def test_a_short_word_loses_the_s_of_its_plural_alone(word: str, prefix: str) -> None:
    assert stem(word) == prefix
