"""The document that the rules name for the subject of a request fits the request best.

The rules say where to look: "lost keys, `/docs/keys.md`" -> this document is the first for the request
"My keys are gone.", though it has none of these words itself.
"""

import pytest

from controlplane.agent.retrieval.document_search import descriptions_in
from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.files.word_ranking import TitledText, ranked_texts


@pytest.mark.parametrize(
    ("request_text", "best_document"),
    [
        # "lost keys"
        ("My keys are gone.", "/docs/keys.md"),
        # "bookings of rooms and halls"
        ("A booking for the large hall, please.", "/docs/rooms.md"),
        # "complaints about noise"
        ("There is noise again, I complain.", "/docs/noise.md"),
    ],
)
def test_the_document_that_the_rules_name_for_a_subject_comes_first(
    request_text: str, best_document: str
) -> None:
    descriptions = descriptions_in(
        "Where to look: lost keys, `/docs/keys.md`; bookings of rooms and\n"
        "halls, `/docs/rooms.md`; complaints about noise,\n"
        "`/docs/noise.md`.\n"
        "\n"
        "Only `/docs/keys.md` may be shown to guests.\n"
    )
    texts = {
        "/docs/keys.md": TitledText(descriptions["/docs/keys.md"], "A copy is free."),
        "/docs/rooms.md": TitledText(
            descriptions["/docs/rooms.md"], "Pay as `/docs/noise.md` tells."
        ),
        "/docs/noise.md": TitledText(
            descriptions["/docs/noise.md"], "After ten nobody plays."
        ),
    }

    scores = ranked_texts(texts, words_of(request_text))

    assert next(iter(scores)) == best_document
