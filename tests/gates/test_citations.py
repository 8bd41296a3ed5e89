"""Gates 3 and 4."""

import time

import pytest

from gates import Case, Submission, judge
from gates.types import Evidence
from tests.gates.sample_trials import LEFT_OUT, Calls, judged, pad, verdict

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
        ({"/docs/Loans.md": object()}, "is no text: say in words"),
        ({"docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"nowhere/x.md#1": "a loan runs 21 days"}, "not an absolute canonical path: cite `/nowhere/x.md#1`"),
        ({"/nowhere/x/": "a loan runs 21 days"}, "a folder or a misspelt file: cite `/nowhere/x`"),
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


def test_the_nearest_path_that_was_read_is_named() -> None:
    refs = {"/shelves/north side/b-103.json": "b-103 has 3 copies"}
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 4)
    assert found.result == "reject"
    assert f"nearest that was read: `{BOOK}`" in found.reason


@pytest.mark.parametrize("path", ["/empty.txt", "/docs/Fees.md", "/bin/ship"])
def test_a_path_that_was_not_touched_is_rejected_though_it_may_be_listed(path: str) -> None:
    assert verdict(judged(pad(refs_why={path: "21 days of loan"}), calls_of_a_trial()), 4).result == "reject"


@pytest.mark.parametrize("path", ["/notes/c#.md", "/notes /c .md ", "/notes/c"])
def test_odd_names_are_names(path: str) -> None:
    calls = Calls()
    calls.read(path)
    found = judged(pad(refs_why={path: "text of the notes"}), calls)
    assert [verdict(found, gate).result for gate in (3, 4, 5)] == ["pass"] * 3


@pytest.mark.parametrize(
    ("instruction", "refs", "result"),
    [
        ("Which fee? Cite the record you used.", LEFT_OUT, "reject"),
        ("Which fee? Cite the record you used.", {}, "reject"),
        ("Which fee? Cite the record you used.", {"/docs/Loans.md": "a loan runs 21 days"}, "pass"),
        ("Which fee? Cite every record you used.", LEFT_OUT, "not_applicable"),
        ("Which fee? Do not cite anything.", LEFT_OUT, "not_applicable"),
        ("Make a list and name the source as a grounding ref.", LEFT_OUT, "reject"),
    ],
)
def test_a_citation_that_the_instruction_demands_must_be_there(instruction: str, refs: object, result: str) -> None:
    found = judged(pad(refs_why=refs), calls_of_a_trial(), instruction=instruction)
    assert verdict(found, 3).result == result


@pytest.mark.parametrize(
    ("answer", "result"), [("1", "pass"), ("2", "reject"), ("<COUNT:2>", "reject"), ("two", "pass")]
)
def test_a_count_cites_at_least_as_many_as_it_counts(answer: str, result: str) -> None:
    asked = "How many late loans? Cite every loan counted."
    found = judged(pad(answer=answer), calls_of_a_trial(), instruction=asked)
    assert verdict(found, 3).result == result


def test_a_folder_is_reported_once() -> None:
    found = judged(pad(refs_why={"/docs": "where the loan rules are"}), calls_of_a_trial())
    assert [verdict(found, gate).result for gate in (3, 4)] == ["reject", "pass"]


def test_a_thousand_bad_references_are_reported_by_a_few_and_a_count() -> None:
    refs = {f"/nowhere/{number}.md": "no such thing" for number in range(1_000)}
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 4)
    assert "and 992 more" in found.reason
    assert len(found.reason) < 4_001


def test_thousands_of_invented_paths_beside_thousands_of_read_ones_are_told_in_bounded_time() -> None:
    calls = Calls()
    calls.read(*(f"/shelf/{number}.json" for number in range(3_000)))
    paths = [f"/nowhere/{number}.md" for number in range(3_000)]
    facts = {path: {"value": 1, "description": "d", "source": path, "confidence": "verified"} for path in paths}
    submission = pad(refs_why=dict.fromkeys(paths, "no such thing"), facts=facts)
    started = time.process_time()
    found = judged(submission, calls)
    assert time.process_time() - started < 2
    for gate in (2, 4):
        lines = verdict(found, gate).reason.splitlines()
        assert sum("nearest that was read" in line for line in lines) == 8
        assert "and 2992 more" in lines[-1]


def test_where_nothing_was_read_no_nearest_path_is_named() -> None:
    reason = verdict(judged(pad(), Calls()), 4).reason
    assert "was not read" in reason
    assert "nearest" not in reason


def test_without_a_citation_there_is_nothing_to_have_been_read() -> None:
    assert verdict(judged(pad(refs_why={}), calls_of_a_trial()), 4).result == "not_applicable"


@pytest.mark.parametrize(
    ("refs", "named"),
    [("/docs/Loans.md", "it must be a list of paths"), (["/docs/Loans.md", 7], "the number `7` is no path"), ([], "")],
)
def test_citations_without_reasons_are_a_list_of_paths(refs: object, named: str) -> None:
    submission = Submission(answer="21 days", outcome="OUTCOME_OK", refs=refs)
    found = verdict(judge(submission, calls_of_a_trial().evidence, Case("How long?")), 3)
    assert named in found.reason
    assert (found.result == "reject") is bool(named)


ROWS = "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum."
SOURCE = "Read the log /logs/lent.tsv and tell how many. Look at the list in /nowhere/x.tsv as well."


@pytest.mark.parametrize(
    ("instruction", "answer", "refs", "named"),
    [
        (ROWS, "EUR 7.00", {"/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (ROWS, "EUR 7.00", {"/docs/Loans.md": "runs 21 days", "/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (ROWS, "EUR 7.00", {"/logs/lent.tsv": "the rows of b-104"}, "wants them as `/logs/lent.tsv#row=<RowID>`"),
        (ROWS, "EUR 0.00", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (SOURCE, "2", {"/docs/Loans.md": "a loan runs 21 days"}, "says to read `/logs/lent.tsv`"),
        ("How many loans?", "2 of 3", {"/docs/Loans.md": "a loan runs 21 days"}, ""),
    ],
)
def test_rows_and_sources_that_the_instruction_names_are_cited(
    instruction: str, answer: str, refs: dict[str, str], named: str
) -> None:
    found = verdict(judged(pad(answer=answer, refs_why=refs), calls_of_a_trial(), instruction=instruction), 3)
    assert named in found.reason
    assert (found.result == "reject") is bool(named)


def test_without_a_trace_a_named_source_counts_as_read() -> None:
    submission = Submission(answer="2", outcome="OUTCOME_OK", refs=("/docs/Loans.md",))
    assert verdict(judge(submission, Evidence(), Case(SOURCE)), 3).result == "reject"
    refused = Submission(answer="no", outcome="OUTCOME_DENIED_SECURITY", refs=())
    assert verdict(judge(refused, Evidence(), Case(SOURCE)), 3).result == "pass"
