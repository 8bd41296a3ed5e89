"""Which pages a request is about: what the rules route it to, and what the pages say."""

import pytest

from agent.opening.ranking import (
    Query,
    best_texts,
    codes_in,
    ranked_documents,
    subjects_of,
    whole_texts,
)

SUBJECT_FIRST = """# House rules

Where to look: lost keys, `/docs/keys.md`; bookings of rooms and
halls, `/docs/rooms.md`; complaints about noise,
`/docs/noise.md`.

Only `/docs/keys.md` may be shown to guests.
"""


def test_words_that_several_paths_share_say_nothing_about_any() -> None:
    rules = "Records: guest records under `/in/guests`, room records under `/in/rooms`, key records under `/in/keys`."
    assert [said.split()[-1] for said in subjects_of(rules).values()] == ["guest", "room", "key"]


def test_parts_of_a_code_are_no_words_of_a_request() -> None:
    words = Query("Are PAN-SUN-20 and POT-LONG-BAG with basket-0789 still short-term?").own_terms
    assert words == ["basket", "still", "short", "term"]


def test_names_that_differ_in_their_endings_are_told_apart() -> None:
    texts = {name: f"a {name} lock" for name in ("bastioholm", "bastioelt", "bastiomere")}
    assert best_texts("the bastiomere lock", texts, 1) == ["bastiomere"]


def fitting(request, texts, room, *, rules="", folders=(), means_records=False):
    query = Query(
        request,
        folders=folders,
        codes=codes_in(request),
        means_records=means_records,
        rules=rules,
        subjects=subjects_of(rules),
    )
    return whole_texts(ranked_documents(query, texts, to_show=texts), texts, room)


def padded(text: str) -> str:
    return f"{text}\n{'It is so and stays so. ' * 20}"


PAGES = {
    "/docs/keys.md": padded("# Cabinet\nA copy is handed out by a `key_keeper` alone, with the reason `mislaid`."),
    "/docs/rooms.md": padded("# Cabinet of rooms\nA stay is paid as `/docs/noise.md` tells; the first stay is free."),
    "/docs/noise.md": padded("# Quiet\nAfter ten nobody plays."),
    "/docs/tales.md": padded("# Tales\nThe first house stood in Delft."),
    "/docs/news/2031-05-01-late.md": "From 2031-05-01 on `/docs/noise.md` begins at nine.",
    "/docs/other/late.md": "Somebody said that `/docs/noise.md` is wrong.",
}
RULES = SUBJECT_FIRST + "\nNotices in `/docs/news` override a page.\n"


@pytest.mark.parametrize(
    ("request_text", "best"),
    [
        ("A booking for the large hall, please.", "/docs/rooms.md"),
        ("My keys are gone.", "/docs/keys.md"),
        ("There is noise again, I complain.", "/docs/noise.md"),
        ("Hand me one as mislaid.", "/docs/keys.md"),
        ("Who is key_keeper here?", "/docs/keys.md"),
        ("Where was the very first house?", "/docs/tales.md"),
        ("See to /inbox/lost_keys_form/7f3a.txt.", "/docs/keys.md"),
        ("Not what I was told, by the way: my keys are gone.", "/docs/keys.md"),
        ("That is not what I am after when I want my keys", "/docs/keys.md"),
    ],
)
def test_the_page_for_the_subject_the_code_or_the_pair_of_words_comes_first(request_text: str, best: str) -> None:
    assert fitting(request_text, PAGES, 600, rules=RULES)[0] == best


@pytest.mark.parametrize(
    ("request_text", "means_records", "is_shown"),
    [
        ("Where was the very first house?", False, True),
        ("Where was the very first house of guest-07?", True, False),
        ("Tales, please.", False, True),
    ],
)
def test_a_page_beside_the_rules_is_shown_unless_the_request_means_a_record(
    request_text: str, means_records: bool, is_shown: bool
) -> None:
    chosen = fitting(request_text, PAGES, 2_000, rules=RULES, means_records=means_records)
    assert ("/docs/tales.md" in chosen) == is_shown


def test_a_notice_follows_the_page_that_it_overrides_and_a_rumour_does_not() -> None:
    chosen = fitting("There is noise again, I complain.", PAGES, 1_200, rules=RULES, means_records=True)
    assert chosen[:2] == ["/docs/noise.md", "/docs/news/2031-05-01-late.md"]
    assert "/docs/other/late.md" not in chosen


def test_a_notice_that_a_tool_of_the_page_is_down_follows_the_page() -> None:
    down = {"/docs/news/2031-06-01-down.md": "Until 2031-06-04 `/bin/cut_key` is down; tell the person so."}
    page = {"/docs/keys.md": PAGES["/docs/keys.md"] + "Copies: `/bin/cut_key NUMBER`."}
    chosen = fitting("My keys are gone.", PAGES | page | down, 900, rules=RULES)
    assert chosen[:2] == ["/docs/keys.md", *down]


def test_a_page_that_fits_almost_as_well_comes_before_one_that_the_best_names() -> None:
    chosen = fitting("Lost keys, and bookings of rooms.", PAGES, 1_200, rules=RULES)
    assert {*chosen[:2]} == {"/docs/keys.md", "/docs/rooms.md"}


@pytest.mark.parametrize("quoted", ["'bookings of rooms'", '"bookings of rooms"', "(not bookings of rooms)"])
def test_quoted_words_of_a_request_count_little(quoted: str) -> None:
    assert fitting(f"My keys hang beside the sign {quoted}.", PAGES, 900, rules=RULES)[0] == "/docs/keys.md"
    assert fitting(f"My keys hang beside the sign {quoted[1:-1]}.", PAGES, 900, rules=RULES)[0] == "/docs/rooms.md"


TEXTS = {
    "/docs/returns.md": "# Returns\nA refund is approved for a return. Refunds are closed." + "." * 40,
    "/docs/stock.md": "# Stock\nUnits available today." + "." * 40,
    "/docs/checkout.md": "# Checkout\nA basket is checked out; see /docs/stock.md. Baskets lie in /proc/carts."
    + "." * 40,
    "/docs/history.md": "# History\nThe harbour, long ago." + "." * 40,
}


def test_the_text_that_shares_the_rarer_words_is_shown() -> None:
    assert fitting("Please close the refund of pay-3.", TEXTS, 120) == ["/docs/returns.md"]


def test_a_text_that_a_fitting_one_names_comes_next() -> None:
    assert fitting("Check out my basket.", TEXTS, 220) == ["/docs/checkout.md", "/docs/stock.md"]


def test_no_text_is_cut_unless_there_is_room_for_none() -> None:
    assert fitting("refund", TEXTS, 5) == ["/docs/returns.md"]
    assert sum(len(TEXTS[each]) for each in fitting("refund basket", TEXTS, 230)) <= 230
    assert fitting("refund", {}, 100) == []
