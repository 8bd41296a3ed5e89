"""A reason for a document names what sets it apart from the others that were read."""

from __future__ import annotations

import pytest

from gates import Case, Submission
from gates.checks.gate5_justification import judge_justification
from gates.claims import telling_words
from gates.facts import facts_of
from gates.types import Evidence
from tests.gates.facts.read_texts import evidence_with

PAGE, RULES = "/docs/loans.md", "/AGENTS.MD"
PAGES = {
    RULES: "This is what the rule for every answer says. Quiet please.",
    "/docs/fees.md": "What a rule for fees says about quiet readers.",
    "/docs/rooms.md": "A page about rooms. Member cards open them.",
    PAGE: "The rule for loans: quiet readers, member cards, 14 days, `renewal`. About this.",
}


def told(*words: str, without: str = "", more: dict[str, str] | None = None) -> list[str]:
    texts = {path: text for path, text in {**PAGES, **(more or {})}.items() if path != without}
    return telling_words(words, PAGE, facts_of(evidence_with(dict(texts))))


@pytest.mark.parametrize("word", ["the", "rule", "this", "quiet"])
def test_a_word_of_other_documents_tells_nothing(word: str) -> None:
    assert told(word) == []


@pytest.mark.parametrize("word", ["loans", "renewal", "14", "member", "nowhere"])
def test_a_word_of_one_document_tells_something_and_so_does_a_longer_one_of_two(word: str) -> None:
    assert told(word) == [word]


def test_a_word_with_figures_tells_something_wherever_it_stands() -> None:
    assert told("14", "a4", more={"/docs/a.md": "14 days, a4", "/docs/b.md": "14 days, a4"}) == ["14", "a4"]


def test_fewer_than_three_other_documents_make_no_word_common() -> None:
    assert told("the", "quiet", without="/docs/rooms.md") == ["the", "quiet"]


def test_files_of_another_form_are_no_other_documents() -> None:
    assert told("the", without="/docs/rooms.md", more={"/exports/a.csv": "the"}) == ["the"]
    assert told("the", without="/docs/rooms.md", more={"/docs/A.MD": "Hours."}) == []


def test_of_many_documents_the_first_twelve_are_looked_at() -> None:
    first = {f"/docs/a{number:02}.md": "Hours." for number in range(9)}
    assert told("fourteen", more={**first, "/docs/x.md": "fourteen", "/docs/y.md": "fourteen"}) == ["fourteen"]
    assert told("renewal", more={"/docs/x.md": "renewal", "/docs/y.md": "renewal"}) == []


def test_every_word_tells_of_what_is_no_document() -> None:
    facts = facts_of(evidence_with({**PAGES, "/proc/loans/loan-1.json": {"id": "loan-1", "note": "the rule"}}))
    assert telling_words(["the"], "/proc/loans/loan-1.json", facts) == ["the"]
    noted = facts_of(evidence_with({**PAGES, "/desk/loan-1.md": "id: loan-1\nnote: the rule"}))
    assert telling_words(["the"], "/desk/loan-1.md", noted) == ["the"]


@pytest.mark.parametrize(("reason", "is_rejected"), [("quiet readers, as ruled", False), ("quiet, quiet", True)])
def test_a_reason_of_common_words_names_nothing(reason: str, is_rejected: bool) -> None:
    evidence: Evidence = evidence_with(dict(PAGES))
    verdict = judge_justification(Submission(answer="Yes.", refs_why={PAGE: reason}), evidence, Case("May I?"))
    assert verdict.rejects is is_rejected
