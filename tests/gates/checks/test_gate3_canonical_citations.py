"""Gate 3: citations stand in one canonical form."""

import pytest

from gates import Case, Submission, judge
from gates.types import Evidence
from tests.gates.checks.cited_trial import BOOK, calls_of_a_trial
from tests.gates.sample_trials import Calls, judged, pad, verdict


@pytest.mark.parametrize(
    "refs",
    [
        {},
        {BOOK: "b-104 has 3 copies"},
        {"/docs/Loans.md": "21 days."},
        {"/logs/lent.tsv#row=7": "row 7 is b-104", "/logs/lent.tsv#row=8": "row 8 is b-105"},
        {"/bin/query": "query output b-104"},
        {"/bin/query": "ran the query for b-104", "/docs/Loans.md": "runs 21 days"},
    ],
)
def test_canonical_citations_of_what_was_read_pass(refs: dict[str, str]) -> None:
    found = judged(pad(refs_why=refs), calls_of_a_trial())
    assert [verdict(found, gate).result for gate in (3, 4, 5)].count("reject") == 0, found.message


@pytest.mark.parametrize(
    ("refs", "named"),
    [
        (["/docs/Loans.md"], "a map of paths to reasons"),
        ("/docs/Loans.md", "a map of paths to reasons"),
        ({"/docs/Loans.md": "rules"}, "under 8 characters"),
        ({"/docs/Loans.md": "   rules   "}, "under 8 characters"),
        ({"/docs/Loans.md": 21}, "the number `21`"),
        ({"/docs/Loans.md": None}, "`None`"),
        ({"/docs/Loans.md": object()}, "is no text: say in words"),
        ({"docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"nowhere/x.md#1": "a loan runs 21 days"}, "not an absolute canonical path: read and cite `/nowhere/x.md#1`"),
        ({"/nowhere/x/": "a loan runs 21 days"}, "a folder or a misspelt file: read and cite `/nowhere/x`"),
        ({"/docs//Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/docs/../docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/docs/loans.md": "a loan runs 21 days"}, "was read as `/docs/Loans.md`"),
        ({" /docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/LOGS/lent.tsv#row=7": "row 7 is b-104"}, "cite `/logs/lent.tsv#row=7`"),
        ({"/docs": "where the loan rules are"}, "is a folder"),
        ({"/docs/": "where the loan rules are"}, "is a folder"),
        ({"/": "where everything stands"}, "is no file"),
        ({"": "where everything stands"}, "is no file"),
        ({"/docs/Loans.md": "21 days", "/docs/loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/\ud800.md": "a loan runs 21 days"}, "lone surrogate"),
    ],
)
def test_citations_in_another_form_are_rejected_with_the_right_one(refs: object, named: str) -> None:
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 3)
    assert found.result == "reject"
    assert named in found.reason


def test_a_spelling_known_from_a_listing_alone_is_not_called_read() -> None:
    calls = Calls()
    calls.list("/docs", "/docs/Loans.md")
    found = judged(pad(refs_why={"/docs/loans.md": "a loan runs 21 days"}), calls)
    assert verdict(found, 3).reason == "`/docs/loans.md` is listed as `/docs/Loans.md`: cite `/docs/Loans.md`."
    assert "was not read" in verdict(found, 4).reason


@pytest.mark.parametrize(
    ("refs", "result"),
    [
        (("/docs/a.md", "/docs/a.md"), "reject"),
        (("/docs/a.md#row=1", "/docs/a.md#row=2", "/docs/a.md"), "pass"),
        (("/docs/a.md#row=1", "/docs/a.md#row=1"), "reject"),
        (("/docs/a/",), "reject"),
        (("/docs/a",), "pass"),
        ((7,), "reject"),
        ((), "pass"),
    ],
)
def test_bare_references_are_judged_by_their_form(refs: tuple[object, ...], result: str) -> None:
    submission = Submission(answer="x", outcome="OUTCOME_OK", refs=refs)
    assert verdict(judge(submission, Evidence(), Case("")), 3).result == result


@pytest.mark.parametrize("path", ["/notes/c#.md", "/notes /c .md ", "/notes/c"])
def test_odd_names_are_names(path: str) -> None:
    calls = Calls()
    calls.read(path)
    found = judged(pad(refs_why={path: "text of the notes"}), calls)
    assert [verdict(found, gate).result for gate in (3, 4, 5)] == ["pass"] * 3


def test_a_folder_is_reported_once() -> None:
    found = judged(pad(refs_why={"/docs": "where the loan rules are"}), calls_of_a_trial())
    assert [verdict(found, gate).result for gate in (3, 4)] == ["reject", "pass"]


@pytest.mark.parametrize(
    ("refs", "named"),
    [("/docs/Loans.md", "it must be a list of paths"), (["/docs/Loans.md", 7], "the number `7` is no path"), ([], "")],
)
def test_citations_without_reasons_are_a_list_of_paths(refs: object, named: str) -> None:
    submission = Submission(answer="21 days", outcome="OUTCOME_OK", refs=refs)
    found = verdict(judge(submission, calls_of_a_trial().evidence, Case("How long?")), 3)
    assert named in found.reason
    assert (found.result == "reject") is bool(named)
