"""Words and values of a text: found in every inflection and format, and nothing else is taken for them."""

import time

import pytest

from gates.claims import Source
from gates.terms import MAX_VALUES, TextIndex, amount_of, fold_text, is_foreign, parts_of, values_in


@pytest.mark.parametrize(
    ("texts", "kind", "key"),
    [
        (
            (
                *("2031-05-04", "on 2031-05-04T10:00Z", "04.05.2031", "4/5/2031", "4 May 2031", "4th of May, 2031"),
                *("May 4, 2031", "4. Mai 2031", "le 4 mai 2031", "4 de mayo de 2031", "4 maggio 2031", "4 mei 2031"),
            ),
            "date",
            "2031-05-04",
        ),
        (("13/05/2031", "05/13/2031"), "date", "2031-05-13"),
        (("1er juillet 2031", "1 July 2031"), "date", "2031-07-01"),
        (("4 juin 2031", "4 giugno 2031"), "date", "2031-06-04"),
        (("4 May", "May 4"), "date", "--05-04"),
        (("09:30", "9:30", "9h30", "9.30 Uhr", "09:30:15", "at 9:30 am", "At 9:30.", "08:15-09:30"), "time", "09:30"),
        (("1,199.00", "1199", "1'199", "1.199,00", "1 199", "1\u00a0199", "1199.00 EUR"), "number", "1199"),
        (("0.5", "0,50", "0.50"), "number", "5"),
        (("+31 20 555-0134", "+31-20-555-0134"), "telephone", "31205550134"),
        (("b-104", "B-104", "see b-104.", "(b-104)"), "id", "b-104"),
        (
            ('"no later  than noon"', "“No later than noon”", "«no later than noon»", "„no later than noon“"),
            "quotation",
            "no later than noon",
        ),
    ],
)
def test_a_value_has_one_key_in_all_its_formats(texts: tuple[str, ...], kind: str, key: str) -> None:
    for text in texts:
        assert (kind, key) in {(value.kind, value.key) for value in values_in(text)}, text


@pytest.mark.parametrize(
    ("number", "amount"),
    [
        ("1,199.00", 1199),
        ("1.199,00", 1199),
        ("1'199", 1199),
        ("1,199", 1199),
        ("1.5", 1.5),
        ("1,5", 1.5),
        ("12,345,678", 12345678),
    ],
)
def test_an_amount_is_read_as_it_is_most_likely_meant(number: str, amount: float) -> None:
    assert amount_of(number) == amount


@pytest.mark.parametrize(
    ("said", "text", "is_held"),
    [
        ("4 May 2031", "due 2031-05-04", True),
        ("4 May", "due 2031-05-04", True),
        ("2031-05-04", "every 4 May", True),
        ("04/05/2031", "due 2031-04-05", True),
        ("04.05.2031", "due 2031-04-05", False),
        ("5 May 2031", "due 2031-05-04", False),
        ("+31 20 555 0134", "phone: +31-20-5550134", True),
        ("b_104", "the book B-104", True),
        ("b-105", "the book B-104", False),
        ('"No later than noon"', "It closes no later\nthan noon.", True),
        ('"no later than nine"', "It closes no later than noon.", False),
        ("14:00", "from 14:00 on", True),
        ("15:00", "from 14:00 on", False),
    ],
)
def test_a_text_states_a_value_in_any_format(said: str, text: str, is_held: bool) -> None:
    (value,) = values_in(said)
    assert bool(Source("", text).place_of(value)) is is_held


@pytest.mark.parametrize("piece", ["7 ", "2031-05-04 ", "a1-", '"', "1.", "+31 20 ", "„x", "10:00 ", "May 4, "])
def test_hostile_texts_take_bounded_time_and_give_so_many_values(piece: str) -> None:
    began = time.process_time()
    found = values_in(piece * (200_000 // len(piece)))
    Source("", piece * (80_000 // len(piece))).place_of(values_in("2031-05-05")[0])
    assert time.process_time() - began < 1.5
    assert len(found) <= MAX_VALUES


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


@pytest.mark.parametrize(
    ("token", "text", "is_held"),
    [
        ("b-104", "book B-104.", True),
        ("b_104", "book b-104", True),
        ("b-104", "shelf 104", False),
        ("b-1", "book b-104", False),
        ("2031-05-04", "on 2031/05/04", True),
        ("104", "b-104", True),
    ],
)
def test_an_id_is_held_as_a_whole_however_its_parts_are_joined(token: str, text: str, is_held: bool) -> None:
    assert TextIndex(text).holds_whole(token) is is_held


@pytest.mark.parametrize(
    ("words", "text", "is_other"),
    [
        ("die loan ist fällig", "A loan runs 21 days.", True),
        ("le prêt est de 21 jours", "A loan runs 21 days.", True),
        ("the loan is due", "A loan runs 21 days.", False),
        ("the loan is due", "Die Ausleihe ist fällig.", False),
        ("die Frist ist kurz", "Die Ausleihe ist fällig.", False),
    ],
)
def test_another_language_shows_in_everyday_words_that_a_text_never_uses(words: str, text: str, is_other: bool) -> None:
    assert is_foreign(parts_of(fold_text(words)), TextIndex(text)) is is_other
