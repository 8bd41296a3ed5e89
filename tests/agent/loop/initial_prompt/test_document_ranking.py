"""Which document fits a request best.

Documents are ranked by the words that they share with the request, rare words first. The rules of
the workspace may say which document is on which subject ("lost keys, `/docs/keys.md`"). These
words count for the document as well.
"""

from __future__ import annotations

import pytest

from controlplane.agent.retrieval.rules_routing import descriptions_in
from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.files.word_ranking import TitledText, ranked_texts

RULES = """# House rules

Where to look: lost keys, `/docs/keys.md`; bookings of rooms and
halls, `/docs/rooms.md`; complaints about noise,
`/docs/noise.md`.

Only `/docs/keys.md` may be shown to guests.
"""


@pytest.mark.parametrize(
    ("request_text", "best_document"),
    [
        # by the subject that the rules name
        ("A booking for the large hall, please.", "/docs/rooms.md"),
        ("My keys are gone.", "/docs/keys.md"),
        ("There is noise again, I complain.", "/docs/noise.md"),
        # by a code word of the document
        ("Hand me one as mislaid.", "/docs/keys.md"),
        ("Who is key_keeper here?", "/docs/keys.md"),
        # by its rarest words
        ("Where did a house stand in Delft?", "/docs/tales.md"),
    ],
)
def test_the_document_on_the_subject_of_a_request_comes_first(
    request_text: str, best_document: str
) -> None:
    """The rules say that `/docs/rooms.md` is on bookings of rooms and halls, and so on. The
    documents themselves hardly have the words of the requests."""
    descriptions = descriptions_in(RULES)
    texts: dict[str, TitledText] = {}
    documents = {
        "/docs/keys.md": "# Cabinet\nA copy is handed out by a `key_keeper` alone, with the reason `mislaid`.",
        "/docs/rooms.md": "# Cabinet of rooms\nA stay is paid as `/docs/noise.md` tells; the first stay is free.",
        "/docs/noise.md": "# Quiet\nAfter ten nobody plays.",
        "/docs/tales.md": "# Tales\nThe first house stood in Delft.",
    }

    for path, text in documents.items():
        texts[path] = TitledText(descriptions.get(path, ""), text)

    ranked_paths = list(ranked_texts(texts, words_of(request_text)))

    assert ranked_paths[0] == best_document


def test_words_of_a_request_are_not_read_as_a_query() -> None:
    """The search is made by SQLite, in whose query language `NEAR`, `AND` and `*` mean something.
    With a syntax error, or with these meanings, the text would not be found or score higher."""
    texts = {"a": TitledText("", "near and far")}

    scores = ranked_texts(texts, words_of('NEAR(x, 2) AND "a* title: ^b - c:d'))

    # The text is found, but shares only common words with the request.
    assert scores == {"a": pytest.approx(0, abs=1)}


def test_a_request_without_words_ranks_nothing() -> None:
    """There is nothing to compare documents with."""
    texts = {"a": TitledText("", "near and far")}

    assert ranked_texts(texts, []) == {}
