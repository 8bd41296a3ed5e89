"""Sentences, and what a writer only quotes."""

import pytest

from gates.language.sentences import own_words, sentences_of


def test_sentences_know_their_places() -> None:
    text = "How many?  Two.\n\n- And so on"
    found = list(sentences_of(text))
    assert [each for each, _ in found] == ["How many?", "Two.", "- And so on"]
    assert all(text[at:].startswith(each) for each, at in found)


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


def test_forms_in_quotation_marks_stay() -> None:
    assert own_words('Answer as "%d of %d" or "lent".') == 'Answer as "%d of %d" or "lent".'
