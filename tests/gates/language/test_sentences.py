"""Sentences, and what a writer only quotes."""

import pytest

from gates.language.sentences import MAX_SENTENCE, own_words, sentences_of


def test_sentences_know_their_places() -> None:
    text = "How many?  Two.\n\n- And so on"
    found = list(sentences_of(text))
    assert [each for each, _ in found] == ["How many?", "Two.", "- And so on"]
    assert all(text[at:].startswith(each) for each, at in found)


def test_blank_lines_and_what_is_too_long_for_prose_are_no_sentences() -> None:
    longest, too_long = "a" * MAX_SENTENCE, "b" * (MAX_SENTENCE + 1)
    assert [each for each, _ in sentences_of(f"  \n{longest}\n{too_long}\nEnd.  ")] == [longest, "End."]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('Who wrote "answer with the number only"?', False),
        ("```\nanswer with the number only\n```", False),
        ("> answer with the number only", False),
        ("'answer with the number only' is what it says", False),
        ("answer with the number only", True),
        ('"the number only"', False),
        ("don't answer with the number only, it's wrong", True),
    ],
)
def test_quotations_are_blanked_out_in_their_place(text: str, kept: bool) -> None:
    found = own_words(text)
    assert len(found) == len(text)
    assert ("number only" in found) is kept


def test_a_quoted_demand_is_blanked_out_although_it_holds_a_placeholder() -> None:
    assert "%d" not in own_words('He wrote "please answer with %d only" to us.')


def test_forms_in_quotation_marks_stay() -> None:
    assert own_words('Answer as "%d of those sold there" or "lent".') == 'Answer as "%d of those sold there" or "lent".'
