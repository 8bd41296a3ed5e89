import json

import pytest

from gates import Case, Submission, judge
from gates.claims import words_that_tell
from gates.types import SeenText, Touch
from tests.gates.facts.read_texts import evidence_with

PATH = "/desk/loans/loan-1.json"
LOAN = {
    "id": "loan-1",
    "book_id": "book-3",
    "title": "The Grey Heron",
    "state": "handed_over",
    "desk": "north-hall",
    "roles": ["desk_clerk"],
    "on_shelf": 2,
    "code": "vault-7b",
}


def touch(*texts: str, **how: bool) -> Touch:
    return Touch(PATH, frozenset({"read"}), tuple(SeenText(each, **how) for each in texts))


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["loan", "book"], []),
        (["hall"], []),
        (["shelf", "hall"], ["shelf"]),
        (["loan-1"], ["loan-1"]),
        (["heron"], ["heron"]),
        (["herons"], ["herons"]),
        (["state"], ["state"]),
        (["handed", "book"], ["handed"]),
        (["north", "hall"], ["north", "hall"]),
        (["clerk", "desk"], ["clerk", "desk"]),
        (["1", "17"], ["1", "17"]),
        (["weather"], []),
        (["vault", "7b"], ["7b"]),
    ],
)
def test_parts_of_longer_names_tell_nothing_of_a_record(words: list[str], telling: list[str]) -> None:
    assert words_that_tell(words, touch(json.dumps(LOAN))) == telling


@pytest.mark.parametrize(
    "seen",
    [
        touch(),
        touch("A loan of a book."),
        touch(json.dumps(LOAN), "A loan of a book."),
        touch(json.dumps(LOAN), is_excerpt=True),
        touch(json.dumps(LOAN), is_whole=False),
        Touch(PATH, frozenset({"read"}), (SeenText(json.dumps(LOAN)), SeenText(json.dumps(LOAN), is_excerpt=True))),
    ],
)
def test_of_other_texts_every_word_counts(seen: Touch) -> None:
    assert words_that_tell(["loan", "weather"], seen) == ["loan", "weather"]


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        ("the loan of this book", "reject"),
        ("the book of the hall", "reject"),
        ("loan-1, the loan of this book", "pass"),
        ("the loan of The Grey Heron", "pass"),
        ("it has been handed over", "pass"),
        ("its title", "pass"),
    ],
)
def test_a_reason_of_such_parts_alone_names_nothing(reason: str, result: str) -> None:
    submission = Submission(answer="yes", outcome="OUTCOME_OK", refs_why={PATH: reason})
    verdicts = judge(submission, evidence_with({PATH: LOAN}), Case("Is it out?")).verdicts
    assert next(each.result for each in verdicts if each.gate == 5) == result
