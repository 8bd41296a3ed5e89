"""Documents are ranked by the words that they share with a request.

`Who has my key?` fits `A key is lent once.` better than `A room is let.`: `ranked_texts(texts, words)`
returns the paths of fitting documents, the best first.
"""

import pytest

from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.files.word_ranking import TitledText, ranked_texts


@pytest.mark.parametrize(
    ("request_text", "shared_word"),
    [
        ("Hand me one as mislaid.", "mislaid"),
        ("Who is key_keeper here?", "key_keeper"),
    ],
)
def test_a_document_is_found_by_a_code_word_in_its_text(
    request_text: str, shared_word: str
) -> None:
    texts = {
        "/docs/copies.md": TitledText("", "The key is copied by a keeper."),
        "/docs/codes.md": TitledText("", f"The code is `{shared_word}`."),
    }

    scores = ranked_texts(texts, words_of(request_text))

    assert next(iter(scores)) == "/docs/codes.md"


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    """Two of three documents have the word `house`, and one has `Delft`."""
    texts = {
        "/docs/rooms.md": TitledText("", "A house has rooms. The house is let."),
        "/docs/noise.md": TitledText("", "The house is quiet."),
        "/docs/tales.md": TitledText("", "Somebody came from Delft."),
    }

    scores = ranked_texts(texts, words_of("Where did a house stand in Delft?"))

    assert next(iter(scores)) == "/docs/tales.md"


def test_words_of_a_request_are_not_read_as_a_query() -> None:
    """The search is made by SQLite, in whose query language `NEAR`, `*` and `-` mean something.
    The text has one of these words, `near`, so it is found like by this word alone."""
    texts = {"a": TitledText("", "near and far")}

    scores = ranked_texts(texts, words_of('NEAR(x, 2) AND "a* title: ^b - c:d b-7'))

    assert scores.keys() == {"a"}
    assert scores == ranked_texts(texts, ["near"])


def test_a_request_without_words_ranks_nothing() -> None:
    """There is nothing to compare documents with."""
    texts = {"a": TitledText("", "near and far")}

    assert ranked_texts(texts, []) == {}
