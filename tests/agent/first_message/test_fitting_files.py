"""Which texts fit a request: by words in any form, by their titles, and by what the rules say of their paths."""

import pytest

from agent.fitting_files import scores_of, subjects_of, words_of

RULES = """# House rules

Where to look: lost keys, `/docs/keys.md`; bookings of rooms and
halls, `/docs/rooms.md`; complaints about noise,
`/docs/noise.md`.

Only `/docs/keys.md` may be shown to guests.
"""
PAGES = {
    "/docs/keys.md": "# Cabinet\nA copy is handed out by a `key_keeper` alone, with the reason `mislaid`.",
    "/docs/rooms.md": "# Cabinet of rooms\nA stay is paid as `/docs/noise.md` tells; the first stay is free.",
    "/docs/noise.md": "# Quiet\nAfter ten nobody plays.",
    "/docs/tales.md": "# Tales\nThe first house stood in Delft.",
}


@pytest.mark.parametrize(
    ("request_text", "best"),
    [
        ("A booking for the large hall, please.", "/docs/rooms.md"),
        ("My keys are gone.", "/docs/keys.md"),
        ("There is noise again, I complain.", "/docs/noise.md"),
        ("Hand me one as mislaid.", "/docs/keys.md"),
        ("Who is key_keeper here?", "/docs/keys.md"),
        ("Where did a house stand in Delft?", "/docs/tales.md"),
    ],
)
def test_the_page_for_the_subject_the_code_or_the_rarest_word_comes_first(request_text: str, best: str) -> None:
    subjects = subjects_of(RULES)
    texts = {path: (subjects.get(path, ""), text) for path, text in PAGES.items()}
    assert next(iter(scores_of(texts, words_of(request_text)))) == best


def test_no_word_of_a_request_is_read_as_a_query() -> None:
    texts = {"a": ("", "near and far")}
    assert scores_of(texts, words_of('NEAR(x, 2) AND "a* title: ^b - c:d')) == {"a": pytest.approx(0, abs=1)}
    assert scores_of(texts, []) == {}
