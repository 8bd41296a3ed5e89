"""Gates 3 and 4."""

import pytest

from gates import Case, Evidence, Submission, judge
from tests.gates.trials import Calls, judged, pad, verdict

BOOK = "/shelves/north side/b-104.json"


def calls_of_a_trial() -> Calls:
    calls = Calls()
    calls.list("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", BOOK, "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


@pytest.mark.parametrize(
    "refs",
    [
        {},
        {BOOK: "b-104 has 3 copies"},
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
        ({"docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
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


def test_the_nearest_path_that_was_read_is_named() -> None:
    refs = {"/shelves/north side/b-103.json": "b-103 has 3 copies"}
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 4)
    assert found.result == "reject"
    assert f"nearest that was read: `{BOOK}`" in found.reason


@pytest.mark.parametrize("path", ["/empty.txt", "/docs/Fees.md", "/bin/ship"])
def test_a_path_that_was_not_touched_is_rejected_though_it_may_be_listed(path: str) -> None:
    assert verdict(judged(pad(refs_why={path: "21 days of loan"}), calls_of_a_trial()), 4).result == "reject"


def test_a_name_with_a_hash_sign_is_no_fragment() -> None:
    calls = Calls()
    calls.read("/notes/c#.md")
    assert verdict(judged(pad(refs_why={"/notes/c#.md": "text of the notes"}), calls), 4).result == "pass"


def test_a_thousand_bad_references_are_reported_by_a_few_and_a_count() -> None:
    refs = {f"/nowhere/{number}.md": "no such thing" for number in range(1_000)}
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 4)
    assert "and 992 more" in found.reason
    assert len(found.reason) < 4_001
