"""Gate 5: the reason for a citation names something that the cited file contains.

`{"/docs/Loans.md": "a loan runs 21 days"}` passes, because the file has the 21. "relevant
document" is rejected: it could be said of any file. A citation with a quotation that was found
in the file passes whatever its reason says.
"""

from __future__ import annotations

import pytest

from controlplane.gates.verdicts import Verdict
from tests.gates.sample_trials import (
    CallsOfTrial,
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)

REASON_GATE = 5

RULES = "/docs/Loans.md"
"""It says: "A loan runs 21 days. Books marked reserved cannot be renewed. Ask the librarian
for data." """
BOOK = "/shelves/north side/b-104.json"
"""`{"id": "b-104", "title": "Die Küste", "copies": 3, "fee_cents": 1150}`"""
LOG = "/logs/lent.tsv"
"""A table of loans: row 7 is book b-104, row 8 is book b-105."""
EMPTY_FILE = "/empty.txt"
RESULTS = "/results/week-07.csv"
RESULTS_TEXT = """\
home,guest,score
Ajo,Bel,3:1
Cor,Dax,0:0
Esk,Fio,2:2
Gil,Hub,1:4
"""
DULL_FILE = "/dull.txt"
DULL_PART = "/part.txt"
"""Only the first part of this file was read."""
DULL_TEXT = "the data file"
QUAGGA = "/docs/quagga.md"
OWN_EXPORT = "/exports/list.txt"
"""A file that the trial wrote. What it wrote there proves nothing."""
DELETED_FILE = "/tmp/old.txt"


def calls_with_all_files() -> CallsOfTrial:
    """Return the calls of a trial that read, ran, wrote or deleted each file above."""
    calls = CallsOfTrial()
    calls.read(RULES, BOOK, "/shelves/north side/b-105.json", LOG, EMPTY_FILE)
    calls.read_text(DULL_FILE, DULL_TEXT)
    calls.read_text(DULL_PART, DULL_TEXT, truncated=True)
    calls.read_text(QUAGGA, "A quagga is no zebra.")
    calls.read_text(RESULTS, RESULTS_TEXT)
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write(OWN_EXPORT, "one line for the librarian, see /logs/lent.tsv")
    calls.delete(DELETED_FILE)
    return calls


def verdict_on_reason(path: str, reason: str) -> Verdict:
    """Return the verdict on a citation of `path` with this reason."""
    scratchpad = valid_scratchpad(refs_why={path: reason})
    judgement = judge_scratchpad(scratchpad, calls_with_all_files())
    return verdict_of(judgement, REASON_GATE)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        # A number or an id that the file contains, in any spelling and beside any other words
        (RULES, "a loan runs 21 days"),
        (RULES, "see 21 there"),
        (RULES, "pipes valves taps hoses wrenches gaskets elbows washers, then 21"),
        (RULES, "wer Bücher renewed haben will: 21"),
        (BOOK, "b-104"),
        (BOOK, "id `B-104` of the book"),
        (BOOK, "the fee is EUR 11.50"),  # "fee_cents": 1150
        (BOOK, "has 3 copies left"),
        (BOOK, "still 3 left"),
        (BOOK, "3 remain"),
        (BOOK, "supporting record 3"),
        (BOOK, "evidence: 1150"),
        (BOOK, "evidence: 104"),  # the number of b-104
        (f"{LOG}#row=7", "row 7 was cited"),
        ("/bin/query", "gave 2031-05-04 for the book"),
        # Words of the file in any form, or of its name
        (RULES, "the rule on reserved books"),
        (RULES, "RENEWALS of reservations"),  # "renewed", "reserved"
        (RULES, "Loan policy"),
        (BOOK, "title Die Kuste, as asked for"),  # "Die Küste"
        # A count of its rows or lines
        (RESULTS, "4 games were played"),
        (EMPTY_FILE, "is empty, no lines"),
        # That the file does not contain something, which is true
        (LOG, "no row for b-999 in this log"),
        (LOG, "nothing about b-999"),
        (LOG, "Die Küste does not appear, nothing about `Harbour`"),
        # What the trial did
        ("/bin/query", "query was executed to find it"),
        ("/bin/ship", "executed to ship the book"),
        (OWN_EXPORT, "written as the export"),
        (OWN_EXPORT, "file I created"),
        (DELETED_FILE, "deleted on request"),
    ],
)
def test_a_reason_that_names_something_of_its_file_passes(
    path: str, reason: str
) -> None:
    """`RULES` says "A loan runs 21 days. Books marked reserved cannot be renewed.", `BOOK` is the
    record of b-104 with 3 copies and a fee of 1150 cents, and `RESULTS` has four games."""
    reason_verdict = verdict_on_reason(path, reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        # Words that could be said of any file
        (RULES, "relevant document"),
        (RULES, "relevant document for this answer"),
        (RULES, "used as evidence"),
        (RULES, "cited from memory without having read it"),
        (EMPTY_FILE, "relevant file"),
        (DULL_FILE, "relevant evidence"),
        (DULL_FILE, "it holds data"),
        (DELETED_FILE, "relevant file"),
        (BOOK, "no such thing here"),
        # Nothing but the path of the file, or a part of it
        (RULES, RULES),
        (RULES, "see /docs/Loans.md"),
        (RULES, "Loans.md, Loans.md"),
        (RULES, "/docs/./Loans.md"),
        (RULES, "//docs//Loans.md, //docs//Loans.md"),
        (QUAGGA, "/docs/./quagga.md"),
        (QUAGGA, "quagga.md, see (quagga.md)"),
        (OWN_EXPORT, "see the list.txt"),
        (RESULTS, "all results of week 7"),  # week-07.csv
        # Values that the file does not contain
        (RULES, "invoice 4711 of the plumber"),
        (RULES, "order 4711-x of the plumber"),
        (BOOK, "b-999 is on this shelf"),
        (BOOK, "b b b b b"),
        (RESULTS, "14 games were played"),
        # Words that the file does not contain
        (DULL_FILE, "a quagga would be here"),
        (DULL_PART, "a quagga was there"),
        (RESULTS, "four games were played"),
        (RESULTS, "the latest of the week"),
        (RESULTS, "the dates of signing"),
        # Another language than the file's
        (RULES, "die Ausleihe ist auf drei Wochen begrenzt"),
        (RULES, "la durée du prêt est fixée ici"),
        # Words that the trial wrote into the file itself
        (OWN_EXPORT, "a fresh file for the librarian"),
    ],
)
def test_a_reason_that_names_nothing_of_its_file_is_rejected(
    path: str, reason: str
) -> None:
    """`RULES` says "A loan runs 21 days. Books marked reserved cannot be renewed.", `BOOK` is the
    record of b-104, `DULL_FILE` says "the data file", and `RESULTS` is a table of four games."""
    reason_verdict = verdict_on_reason(path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param("relevant document here", id="English"),
        pytest.param("warum auch immer es zählt", id="German"),
        pytest.param("raison quelconque", id="French"),
        pytest.param("根拠となる規則の文書です", id="Japanese"),
    ],
)
def test_a_found_quotation_justifies_a_citation_with_any_reason(reason: str) -> None:
    """A script may quote the file: `cite(path, reason, quote)`. The quotation is found although
    its case and its blanks differ from the file's, and the gate then accepts the reason."""
    path = "/docs/fr.md"
    calls = CallsOfTrial()
    calls.read_text(path, "Un prêt dure\n21  jours, sauf avis contraire.")
    canonical_path, line_number = calls.cite(path, reason, "dure 21 JOURS")
    assert canonical_path == path
    assert line_number == 1

    judgement = judge_scratchpad(valid_scratchpad(refs_why={path: reason}), calls)

    assert not objection_of(judgement, REASON_GATE)


@pytest.mark.parametrize(
    "quotation",
    [
        pytest.param("Books marked as reserved", id="one word more than the file"),
        pytest.param("b-104", id="stands in another file"),
        pytest.param("xy", id="stands in no file"),
    ],
)
def test_citing_with_a_quotation_that_is_not_in_the_file_raises(
    quotation: str,
) -> None:
    """The file says "Books marked reserved". The script's function `cite` calls this check, so
    that the script learns of the mistake at once."""
    calls = CallsOfTrial()
    calls.read(RULES, BOOK)

    with pytest.raises(ValueError, match="quot"):
        calls.cite(RULES, "a loan runs 21 days", quotation)
