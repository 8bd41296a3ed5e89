"""Gate 5."""

import pytest

from gates import Case, Submission, judge
from gates.types import Evidence
from tests.gates.sample_trials import Calls, Verify, judged, pad, verdict

BOOK = "/shelves/north side/b-104.json"
RULES = "/docs/Loans.md"


def calls_of_a_trial() -> Calls:
    calls = Calls()
    calls.read(RULES, BOOK, "/shelves/north side/b-105.json", "/logs/lent.tsv", "/empty.txt")
    calls.evidence_log.record("read", {"path": "/dull.txt"}, {"path": "/dull.txt", "content": "the data file"}, None)
    part = {"path": "/part.txt", "content": "the data file", "truncated": True}
    calls.evidence_log.record("read", {"path": "/part.txt"}, part, None)
    quagga = {"path": "/docs/quagga.md", "content": "A quagga is no zebra."}
    calls.evidence_log.record("read", {"path": "/docs/quagga.md"}, quagga, None)
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write("/exports/list.txt", "one line, see /logs/lent.tsv")
    calls.delete("/tmp/old.txt")
    return calls


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RULES, "a loan runs 21 days"),
        (RULES, "the rule on reserved books"),
        (RULES, "Loan policy"),
        (RULES, "pipes valves taps hoses wrenches gaskets elbows washers, then librarian"),
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
        ("/dull.txt", "it is the data file"),
        ("/bin/query", "gave 2031-05-04 for the book"),
        ("/bin/query", "query was executed to find it"),
        ("/bin/ship", "executed to ship the book"),
        ("/exports/list.txt", "written as the export"),
        ("/exports/list.txt", "file I created"),
        ("/exports/list.txt", "it cites /logs/lent.tsv"),
        ("/exports/list.txt", "list.txt cites /logs/lent.tsv"),
        ("/tmp/old.txt", "deleted on request"),
    ],
)
def test_a_reason_that_names_something_found_there_passes(path: str, reason: str) -> None:
    found = verdict(judged(pad(refs_why={path: reason}), calls_of_a_trial()), 5)
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
        (RULES, "invoice of the plumber"),
        (RULES, "pipes valves taps hoses wrenches gaskets elbows washers, then plumber"),
        (BOOK, "b-999 is on this shelf"),
        (BOOK, "supporting record 3"),
        (BOOK, "all in cents"),
        (BOOK, "no such thing here"),
        (BOOK, "b b b b b"),
        ("/logs/lent.tsv", "written by the script"),
        ("/empty.txt", "relevant file"),
        ("/dull.txt", "relevant evidence"),
        ("/tmp/old.txt", "relevant file"),
        ("/tmp/old.txt", "a quagga was there"),
        ("/part.txt", "a quagga was there"),
    ],
)
def test_a_reason_that_names_nothing_found_there_is_rejected(path: str, reason: str) -> None:
    found = verdict(judged(pad(refs_why={path: reason}), calls_of_a_trial()), 5)
    assert found.result == "reject"
    assert path in found.reason


@pytest.mark.parametrize(("path", "reason"), [("/nowhere.md", "a quagga was there"), (RULES, 21), ("/nowhere.md", 21)])
def test_what_was_not_read_and_what_is_no_text_is_left_to_other_gates(path: str, reason: object) -> None:
    found = judged(pad(refs_why={path: reason}), calls_of_a_trial())
    assert verdict(found, 5).result == "pass"
    assert "reject" in (verdict(found, 3).result, verdict(found, 4).result)


def test_what_is_absent_may_be_named_as_the_instruction_names_it() -> None:
    asked = {"instruction": "Is there a quagga in the log?"}
    reasons = {"/logs/lent.tsv": "no quagga among them"}
    assert verdict(judged(pad(refs_why=reasons), calls_of_a_trial(), **asked), 5).result == "pass"
    assert verdict(judged(pad(refs_why=reasons), calls_of_a_trial()), 5).result == "reject"
    reasons = {"/logs/lent.tsv": "a quagga among them"}
    assert verdict(judged(pad(refs_why=reasons), calls_of_a_trial(), **asked), 5).result == "reject"


def test_the_message_gives_words_that_would_pass() -> None:
    reason = verdict(judged(pad(refs_why={BOOK: "relevant record"}), calls_of_a_trial()), 5).reason
    assert "`b-104`" in reason
    assert verdict(judged(pad(refs_why={BOOK: "names b-104"}), calls_of_a_trial()), 5).result == "pass"


def test_where_nothing_was_seen_the_message_names_what_was_done() -> None:
    reason = verdict(judged(pad(refs_why={"/tmp/old.txt": "relevant file"}), calls_of_a_trial()), 5).reason
    assert "names nothing" in reason
    assert "for example `deleted`" in reason
    assert verdict(judged(pad(refs_why={"/tmp/old.txt": "it was deleted"}), calls_of_a_trial()), 5).result == "pass"


def test_where_nothing_was_there_and_nothing_was_done_the_message_gives_no_example() -> None:
    reason = verdict(judged(pad(refs_why={"/empty.txt": "relevant file"}), calls_of_a_trial()), 5).reason
    assert "names nothing" in reason
    assert "for example" not in reason


def test_a_dull_text_beside_a_telling_one_makes_boilerplate_no_reason() -> None:
    calls = Calls()
    for content in ("the data file", "for members of the house"):
        calls.evidence_log.record("read", {"path": "/notes.txt"}, {"path": "/notes.txt", "content": content}, None)
    assert verdict(judged(pad(refs_why={"/notes.txt": "evidence for this answer"}), calls), 5).result == "reject"
    assert verdict(judged(pad(refs_why={"/notes.txt": "evidence on members"}), calls), 5).result == "pass"


def test_it_applies_to_reasons_in_a_trial_with_a_trace() -> None:
    for reasons in ({}, [RULES], None):
        assert verdict(judged(pad(refs_why=reasons), calls_of_a_trial()), 5).result == "not_applicable"
    untraced = Submission.from_scratchpad(pad(), Verify())
    assert verdict(judge(untraced, Evidence(), Case("How long?")), 5).result == "not_applicable"


def test_one_reason_may_stand_on_many_records_that_each_hold_what_it_names() -> None:
    both = {BOOK: "number of copies", "/shelves/north side/b-105.json": "number of copies", RULES: "number of copies"}
    reason = verdict(judged(pad(refs_why=both), calls_of_a_trial()), 5).reason
    assert (RULES in reason, BOOK in reason) == (True, False)


def test_what_was_cut_from_turn_one_justifies_nothing() -> None:
    calls = Calls()
    calls.read(RULES, shown_chars=20)
    assert verdict(judged(pad(refs_why={RULES: "ask the librarian"}), calls), 5).result == "reject"
    assert verdict(judged(pad(refs_why={RULES: "a loan runs long"}), calls), 5).result == "pass"


def test_a_document_too_long_to_index_is_not_held_against_a_reason() -> None:
    calls = Calls()
    for text in ("filler " * 200_000 + "quagga", "filler filler"):
        calls.evidence_log.record("read", {"path": "/long.txt"}, {"path": "/long.txt", "content": text}, None)
    assert verdict(judged(pad(refs_why={"/long.txt": "it mentions a quagga"}), calls), 5).result == "pass"


def test_a_relative_path_in_a_reason_is_a_word_like_any_other() -> None:
    calls = Calls()
    own = {"path": "/docs/own.md", "content": "Listed as docs/own.md."}
    calls.evidence_log.record("read", {"path": "/docs/own.md"}, own, None)
    assert verdict(judged(pad(refs_why={"/docs/own.md": "quotes docs/own.md"}), calls), 5).result == "pass"
