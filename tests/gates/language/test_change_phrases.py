"""Words that order a change, or claim one."""

import pytest

from gates.language.change_phrases import asks_for_value, claimed_change, is_bare_value, requested_change


@pytest.mark.parametrize(
    ("instruction", "deed"),
    [
        ("Delete the old loans.", "Delete the old loans"),
        ("Under /tmp/x, delete only files.", "delete only files"),
        ("I am in a hurry; please check out b-104.", "check out b-104"),
        ("Could you approve it?", "approve it"),
        ("Read it and create a list at /exports/a.tsv.", "create a list at"),
        ("Write the names to /exports/a.txt.", "Write the names to /exports/a.txt"),
        ("Finish the loan workflow of b-104.", "Finish the loan workflow of b-104"),
        ("Hello there, delete the old loans.", "delete the old loans"),
        ("Delete\u00a0the  old\r\nloans.", "Delete the old loans"),
    ],
)
def test_an_order_is_named_by_its_words(instruction: str, deed: str) -> None:
    assert requested_change(instruction) == deed


@pytest.mark.parametrize(
    "instruction",
    [
        "Create an answer of one line.",
        "Read it and create a summary.",
        "Remove: nothing.",
        "I issue books.",
        "Checkout was quick last time. How long does a loan run?",
        "Where is it? Export is what I call it.",
        "Tell me which loans nobody may ever\ndelete by hand.",
        "",
    ],
)
def test_what_is_about_the_answer_or_no_imperative_orders_nothing(instruction: str) -> None:
    assert requested_change(instruction) == ""


@pytest.mark.parametrize(
    ("instruction", "asks"),
    [("Tell me its state.", True), ("Delete it and report the sum.", True), ("Delete it.", False), ("", False)],
)
def test_some_words_want_something_told(instruction: str, *, asks: bool) -> None:
    assert asks_for_value(instruction) is asks


@pytest.mark.parametrize("answer", ["ja", " <NO> ", "TRUE(1)", "7", "[3]", "none", "n/a", "0.", "7" * 80])
def test_bare_values(answer: str) -> None:
    assert is_bare_value(answer)


@pytest.mark.parametrize("answer", ["no loans", "7 days", "b-104", "x" * 100, "7" * 81, " " * 90 + "7 or 8"])
def test_what_says_more_is_no_bare_value(answer: str) -> None:
    assert not is_bare_value(answer)


@pytest.mark.parametrize(
    ("answer", "deed"),
    [("I have deleted it.", "I have deleted"), ("It has now been approved", "has now been approved"), ("deleted", "")],
)
def test_claims(answer: str, deed: str) -> None:
    assert claimed_change(answer) == deed
