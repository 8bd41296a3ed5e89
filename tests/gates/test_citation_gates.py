"""Gates 3 to 5: citations are canonical, were read, and carry reasons that name what was found, or a quotation."""

import time

import pytest

from gates.judging import judge
from gates.submission import Case, Submission
from tests.gates.sample_trials import Calls, fault, judged, pad, verdict

BOOK = "/shelves/north side/b-104.json"
RULES = "/docs/Loans.md"


def calls_of_a_trial() -> Calls:
    calls = Calls()
    calls.list("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", BOOK, "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


# Gate 3 --------------------------------------------------------------------------------------------------------------


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
        ({"/docs/Loans.md": object()}, "is `None`: say in words"),
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
        ({"/": "where everything stands"}, "is not a file"),
        ({"": "where everything stands"}, "is not a file"),
        ({"/docs/Loans.md": "21 days", "/docs/loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/\ud800.md": "a loan runs 21 days"}, "lone surrogate"),
    ],
)
def test_citations_in_another_form_are_rejected_with_the_right_one(refs: object, named: str) -> None:
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 3)
    assert found.result == "reject"
    assert named in found.reason


@pytest.mark.parametrize(
    ("refs", "named"),
    [
        ("/docs/Loans.md", "it must be a list of paths"),
        (["/docs/Loans.md", 7], "the number `7` is not a path"),
        ([], ""),
    ],
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
        (ROWS, "EUR 7.00", {"/logs/lent.tsv": "the rows of b-104"}, "rows are cited as `/logs/lent.tsv#row=<RowID>`"),
        (ROWS, "EUR 0.00", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (SOURCE, "2", {"/docs/Loans.md": "a loan runs 21 days"}, "`/logs/lent.tsv` is what the request is about"),
        ("How many loans?", "2 of 3", {"/docs/Loans.md": "a loan runs 21 days"}, ""),
    ],
)
def test_rows_and_sources_that_the_instruction_names_are_cited(
    instruction: str, answer: str, refs: dict[str, str], named: str
) -> None:
    submission = pad(answer=answer, refs_why=refs)
    found = fault(judged(submission, calls_of_a_trial(), instruction=instruction), "3/demanded-citation")
    assert named in found
    assert bool(found) is bool(named)


# Gate 4 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/empty.txt", "/docs/Fees.md", "/bin/ship"])
def test_a_path_that_was_not_touched_is_rejected_though_it_may_be_listed(path: str) -> None:
    assert verdict(judged(pad(refs_why={path: "21 days of loan"}), calls_of_a_trial()), 4).result == "reject"


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


# Gate 5 --------------------------------------------------------------------------------------------------------------


def calls_with_reasons() -> Calls:
    calls = Calls()
    calls.read(RULES, BOOK, "/shelves/north side/b-105.json", "/logs/lent.tsv", "/empty.txt")
    calls.evidence_log.record("read", {"path": "/dull.txt"}, {"path": "/dull.txt", "content": "the data file"}, None)
    part = {"path": "/part.txt", "content": "the data file", "truncated": True}
    calls.evidence_log.record("read", {"path": "/part.txt"}, part, None)
    quagga = {"path": "/docs/quagga.md", "content": "A quagga is no zebra."}
    calls.evidence_log.record("read", {"path": "/docs/quagga.md"}, quagga, None)
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write("/exports/list.txt", "one line for the librarian, see /logs/lent.tsv")
    calls.delete("/tmp/old.txt")
    return calls


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RULES, "a loan runs 21 days"),
        (RULES, "the rule on reserved books"),
        (RULES, "Loan policy"),
        (RULES, "pipes valves taps hoses wrenches gaskets elbows washers, then 21"),
        (RULES, "see 21 there"),
        (RULES, "RENEWALS of reservations"),
        (RULES, "wer Bücher renewed haben will: 21"),
        (BOOK, "b-104"),
        (BOOK, "id `B-104` of the book"),
        (BOOK, "title Die Kuste, as asked for"),
        (BOOK, "the fee is EUR 11.50"),
        (BOOK, "has 3 copies left"),
        (BOOK, "still 3 left"),
        (BOOK, "3 remain"),
        (BOOK, "evidence: 1150"),
        (BOOK, "evidence: 104"),
        ("/logs/lent.tsv#row=7", "row 7 was cited"),
        ("/logs/lent.tsv", "no row for b-999 in this log"),
        ("/logs/lent.tsv", "nothing about b-999"),
        ("/logs/lent.tsv", "Die Küste does not appear, nothing about `Harbour`"),
        ("/empty.txt", "is empty, no lines"),
        ("/dull.txt", "it holds data"),
        ("/dull.txt", "a quagga would be here"),
        ("/bin/query", "gave 2031-05-04 for the book"),
        ("/bin/query", "query was executed to find it"),
        ("/bin/ship", "executed to ship the book"),
        ("/exports/list.txt", "written as the export"),
        ("/exports/list.txt", "file I created"),
        ("/exports/list.txt", "a fresh file for the librarian"),
        ("/tmp/old.txt", "deleted on request"),
        ("/part.txt", "a quagga was there"),
        (RULES, "die Ausleihe ist auf drei Wochen begrenzt"),
        (RULES, "la durée du prêt est fixée ici"),
    ],
)
def test_a_reason_that_names_something_found_there_passes(path: str, reason: str) -> None:
    found = verdict(judged(pad(refs_why={path: reason}), calls_with_reasons()), 5)
    assert (found.result, found.reason) == ("pass", "")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RULES, RULES),
        (RULES, "see /docs/Loans.md"),
        (RULES, "Loans.md, Loans.md"),
        (RULES, "/docs/./Loans.md"),
        (RULES, "//docs//Loans.md, //docs//Loans.md"),
        ("/docs/quagga.md", "/docs/./quagga.md"),
        ("/docs/quagga.md", "quagga.md, see (quagga.md)"),
        (RULES, "relevant document for this answer"),
        (RULES, "used as evidence"),
        (RULES, "invoice 4711 of the plumber"),
        (RULES, "order 4711-x of the plumber"),
        (BOOK, "b-999 is on this shelf"),
        (BOOK, "supporting record 3"),
        (BOOK, "no such thing here"),
        (BOOK, "b b b b b"),
        ("/empty.txt", "relevant file"),
        ("/dull.txt", "relevant evidence"),
        ("/tmp/old.txt", "relevant file"),
        ("/exports/list.txt", "see the list.txt"),
    ],
)
def test_a_reason_that_names_nothing_found_there_is_rejected(path: str, reason: str) -> None:
    found = verdict(judged(pad(refs_why={path: reason}), calls_with_reasons()), 5)
    assert found.result == "reject"
    assert path in found.reason


@pytest.mark.parametrize(
    "reason", ["warum auch immer es zählt", "relevant document here", "raison quelconque", "根拠となる規則の文書です"]
)
def test_a_quotation_that_was_found_satisfies_it_in_any_language(reason: str) -> None:
    calls = calls_of_a_trial()
    calls.see("/docs/fr.md", "Un prêt dure\n21  jours, sauf avis contraire.")
    spelling, line = calls.evidence_log.check_citation("/docs/fr.md", reason, "dure 21 JOURS")
    assert (spelling, line) == ("/docs/fr.md", 1)
    assert not fault(judged(pad(refs_why={spelling: reason}), calls), 5)


def test_a_reason_of_no_substance_passes_with_a_quotation_alone() -> None:
    calls = calls_of_a_trial()
    assert fault(judged(pad(refs_why={RULES: "relevant document"}), calls), 5)
    calls.evidence_log.check_citation(RULES, "relevant document", "Books marked reserved")
    assert not fault(judged(pad(refs_why={RULES: "relevant document"}), calls), 5)


@pytest.mark.parametrize("quotation", ["Books marked as reserved", "b-104", "xy"])
def test_a_quotation_that_is_not_there_is_refused_where_it_is_given(quotation: str) -> None:
    with pytest.raises(ValueError, match="quot"):
        calls_of_a_trial().evidence_log.check_citation(RULES, "a loan runs 21 days", quotation)


@pytest.mark.parametrize(
    ("reason", "is_justified"),
    [
        ("all results of week 7", True),
        ("the latest of the week", True),
        ("four games were played", True),
        ("4 games were played", True),
        ("14 games were played", False),
        ("the dates of signing", True),
    ],
)
def test_a_reason_may_count_or_compare_what_is_there(reason: str, is_justified: bool) -> None:
    path = "/results/week-07.csv"
    calls = Calls().see(path, "home,guest,score\nAjo,Bel,3:1\nCor,Dax,0:0\nEsk,Fio,2:2\nGil,Hub,1:4\n")
    found = fault(judged(pad(refs_why={path: reason}), calls, instruction="Who won?"), 5)
    assert (found == "") is is_justified
