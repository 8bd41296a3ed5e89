"""Gates 3 to 5: citations are canonical, were read, and carry reasons that name what was found, or a quotation."""

import time

import pytest

from gates.evidence import Evidence, canonical, nearest, spelling_key, split_fragment
from gates.judging import judge
from gates.submission import Case, Submission
from tests.gates.sample_trials import LEFT_OUT, Calls, fault, judged, pad, verdict

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


@pytest.mark.parametrize(
    ("instruction", "refs", "is_missed"),
    [
        ("Which fee? Cite the record you used.", LEFT_OUT, True),
        ("Which fee? Cite the record you used.", {}, True),
        ("Which fee? Cite the record you used.", {RULES: "a loan runs 21 days"}, False),
        ("Which fee? Cite every record you used.", LEFT_OUT, False),
        ("Which fee? Do not cite anything.", LEFT_OUT, False),
        ("Make a list and name the source as a grounding ref.", LEFT_OUT, True),
    ],
)
def test_a_citation_that_the_instruction_demands_is_missed(instruction: str, refs: object, is_missed: bool) -> None:
    for outcome in ("OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED"):
        found = judged(pad(refs_why=refs, outcome=outcome), calls_of_a_trial(), instruction=instruction)
        assert bool(fault(found, "3/demanded-citation")) is (is_missed and outcome == "OUTCOME_OK")


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


def test_the_nearest_path_that_was_read_is_named() -> None:
    refs = {"/shelves/north side/b-103.json": "b-103 has 3 copies"}
    found = verdict(judged(pad(refs_why=refs), calls_of_a_trial()), 4)
    assert found.result == "reject"
    assert f"nearest that was read: `{BOOK}`" in found.reason


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


@pytest.mark.parametrize(("path", "reason"), [("/nowhere.md", "a quagga was there"), (RULES, 21), ("/nowhere.md", 21)])
def test_unread_paths_and_reasons_without_text_are_left_to_other_gates(path: str, reason: object) -> None:
    found = judged(pad(refs_why={path: reason}), calls_with_reasons())
    assert verdict(found, 5).result == "pass"
    assert "reject" in (verdict(found, 3).result, verdict(found, 4).result)


def test_a_document_too_long_to_index_is_not_held_against_a_reason() -> None:
    for text, result in (("filler " * 200_000, "pass"), ("filler filler", "reject")):
        calls = Calls()
        calls.evidence_log.record("read", {"path": "/long.txt"}, {"path": "/long.txt", "content": text}, None)
        assert verdict(judged(pad(refs_why={"/long.txt": "it mentions b-104"}), calls), 5).result == result


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


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("/docs/a.md", "/docs/a.md"),
        ("docs/a.md", "/docs/a.md"),
        ("//docs///a.md/", "/docs/a.md"),
        ("/docs/./a.md", "/docs/a.md"),
        ("/docs/x/../a.md", "/docs/a.md"),
        ("/../../a.md", "/a.md"),
        ("/docs/.hidden", "/docs/.hidden"),
        ("/docs/..a", "/docs/..a"),
        ("/a b/c d.md", "/a b/c d.md"),
        ("", "/"),
        ("/", "/"),
        (".", "/"),
    ],
)
def test_a_path_has_one_spelling(path: str, right: str) -> None:
    assert canonical(path) == right


@pytest.mark.parametrize(
    ("reference", "parts"),
    [("/a.tsv#row=7", ("/a.tsv", "#row=7")), ("/a.tsv", ("/a.tsv", "")), ("/a#b#c", ("/a", "#b#c"))],
)
def test_a_fragment_begins_at_the_first_hash(reference: str, parts: tuple[str, str]) -> None:
    assert split_fragment(reference) == parts


def test_composed_and_decomposed_letters_fold_together() -> None:
    assert spelling_key("/K\u00fcste.md") == spelling_key("/Ku\u0308ste.md") != spelling_key("/Kuste.md")


@pytest.mark.parametrize(
    ("path", "known", "near"),
    [
        ("/x/b-104.json", ["/shelf/b-104.json", "/x/c.json"], "/shelf/b-104.json"),
        ("/x/b-104.json", ["/x/b-105.json", "/y/zzz.txt"], "/x/b-105.json"),
        ("/docs/loan.md", ["/docs/fees.md", "/docs/Loans.md"], "/docs/Loans.md"),
        ("/x/b104.json", ["/x/b.txt", "/x/a104.json"], "/x/a104.json"),
        ("/docs/loan.md", ["/docs/l", "/docs/loans.md"], "/docs/loans.md"),
        ("/x/c.md", ["/x/a.md", "/x/b.md"], "/x/a.md"),
        ("/x", [], ""),
        ("/docs/ab.md", ["/docs/b.md"], "/docs/b.md"),
        ("/x/b-104.json", ["/y/b-105.json", "/x/deep/b-104b.json", "/y/x.json"], ""),
        ("/x/b-104.json", ["/y/B-104.md"], "/y/B-104.md"),
        ("/x/b-104.json#row=7", ["/y/b-104", "/y/b-104.x.json"], "/y/b-104"),
        ("loans.md", ["/docs/Loans.md"], "/docs/Loans.md"),
        ("/loans", ["/fees.md", "/docs/fees.md"], "/fees.md"),
    ],
)
def test_the_nearest_path_goes_by_its_last_name_first(path: str, known: list[str], near: str) -> None:
    assert nearest(path, known) == near
