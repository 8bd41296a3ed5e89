import time

import pytest

from gates.facts import compound_stem, mentions_in, stems_in
from gates.facts.word_stems import stem_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("checked_out", "checkout"),
        ("checked out", "Checkout"),
        ("approved", "approval"),
        ("closed", "closure"),
        ("cancelled", "cancel"),
        ("shipped", "ship"),
        ("refunds", "refunded"),
        ("in-progress", "in progress"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert compound_stem(one) == compound_stem(other)


@pytest.mark.parametrize(("one", "other"), [("open", "closed"), ("paid", "pending"), ("check", "checkout")])
def test_other_words_do_not(one: str, other: str) -> None:
    assert compound_stem(one) != compound_stem(other)


def test_a_mention_says_where_its_words_stand() -> None:
    text = "It was Checked  out."
    (found,) = (each for each in mentions_in(text) if each.stem == compound_stem("checkout"))
    assert text[found.start : found.end] == "Checked  out"


def test_the_stems_of_a_text_hold_its_compounds() -> None:
    assert {compound_stem("timed_out"), compound_stem("payment")} <= stems_in("The payments timed out.")


@pytest.mark.parametrize("text", ["a" * 1_000_000, "a " * 500_000, "ss" * 500_000, "_-" * 500_000])
def test_hostile_texts_take_bounded_time(text: str) -> None:
    began = time.process_time()
    stems_in(text)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("word", "stem"), [("ends", "end"), ("is", "is"), ("add", "add"), ("bamboo", "bamboo"), ("planned", "plan")]
)
def test_a_stem_keeps_three_letters_and_the_vowels_that_it_ends_in(word: str, stem: str) -> None:
    assert stem_of(word) == stem
