"""Documents are ranked by the words that they share with a request.

"Who has my key?" shares a word with "A key is lent once.", and none with "A room is let.".
`ranked_texts(texts, words)` returns a score for each fitting document, the best first. The documents here
have no titles.
"""

import pytest

from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.files.word_ranking import TitledText, ranked_texts


def scores_of(documents: dict[str, str], words: list[str]) -> dict[str, float]:
    """Return the fitting documents, such as `{"/a.md": "near and far"}`, with their scores."""
    texts = {path: TitledText(title="", text=text) for path, text in documents.items()}
    return ranked_texts(texts, words)


@pytest.mark.parametrize(
    ("request_text", "shared_word"),
    [
        ("Hand me one as mislaid.", "mislaid"),
        ("Who is key_keeper here?", "key_keeper"),
    ],
)
def test_a_document_is_found_by_a_word_in_backticks(
    request_text: str, shared_word: str
) -> None:
    documents = {
        "/docs/copies.md": "The key is copied by a keeper.",
        "/docs/codes.md": f"The code is `{shared_word}`.",
    }

    best_path, *_ = scores_of(documents, words_of(request_text))

    assert best_path == "/docs/codes.md"


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    """Two of three documents have the word `house`, and one has `Delft`."""
    documents = {
        "/docs/rooms.md": "A house has rooms. The house is let.",
        "/docs/noise.md": "The house is quiet.",
        "/docs/tales.md": "Somebody came from Delft.",
    }

    best_path, *_ = scores_of(documents, words_of("Where did a house stand in Delft?"))

    assert best_path == "/docs/tales.md"


def test_words_of_a_request_are_not_read_as_a_query() -> None:
    """The search is made by SQLite, in whose query language `NEAR`, `*` and `-` mean something.
    The document has only the word `near` of this request."""
    documents = {"/a.md": "near and far"}
    request_words = words_of('NEAR(x, 2) AND "a* title: ^b - c:d b-7')

    scores = scores_of(documents, request_words)

    assert scores.keys() == {"/a.md"}
    assert scores == scores_of(documents, ["near"])


def test_a_request_without_words_ranks_nothing() -> None:
    assert scores_of({"/a.md": "near and far"}, []) == {}
