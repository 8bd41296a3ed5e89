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

# Files of the workspace
RULES = "/docs/Loans.md"
"""It says: "A loan runs 21 days. Books marked reserved cannot be renewed. Ask the librarian
for data." """
BOOK = "/shelves/north side/b-104.json"
"""`{"id": "b-104", "title": "Die Küste", "copies": 3, "fee_cents": 1150}`"""
LOG = "/logs/lent.tsv"
"""A table of loans: row 7 is book b-104, row 8 is book b-105."""
EMPTY_FILE = "/empty.txt"

# Other files that the trial read
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
QUAGGA_TEXT = "A quagga is no zebra."

# Files that the trial changed
OWN_EXPORT = "/exports/list.txt"
OWN_TEXT = "one line for the librarian, see /logs/lent.tsv"
"""What the trial wrote into the export. Its own words prove nothing."""
DELETED_FILE = "/tmp/old.txt"


def calls_with_all_files() -> CallsOfTrial:
    """Return the calls of a trial that read, wrote or deleted each file above, and ran two tools."""
    calls = CallsOfTrial()
    calls.read(RULES, BOOK, "/shelves/north side/b-105.json", LOG, EMPTY_FILE)
    calls.read_text(DULL_FILE, DULL_TEXT)
    calls.read_text(DULL_PART, DULL_TEXT, truncated=True)
    calls.read_text(QUAGGA, QUAGGA_TEXT)
    calls.read_text(RESULTS, RESULTS_TEXT)
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write(OWN_EXPORT, OWN_TEXT)
    calls.delete(DELETED_FILE)
    return calls


def verdict_on_reason(path: str, reason: str) -> Verdict:
    """Return gate 5's verdict on an answer that cites `path` with this reason."""
    scratchpad = valid_scratchpad(refs_why={path: reason})
    judgement = judge_scratchpad(scratchpad, calls_with_all_files())
    return verdict_of(judgement, REASON_GATE)


def assert_accepted(path: str, reason: str) -> None:
    """Assert that gate 5 accepts a citation of `path` with this reason."""
    reason_verdict = verdict_on_reason(path, reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


# Reasons that name something of their file
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RULES, "a loan runs 21 days"),
        (RULES, "see 21 there"),
        (RULES, "pipes valves taps hoses wrenches gaskets elbows washers, then 21"),
        (RULES, "wer Bücher renewed haben will: 21"),
        (BOOK, "b-104"),
        (BOOK, "id `B-104` of the book"),
        (BOOK, "evidence: 104"),  # the number of b-104
        (BOOK, "has 3 copies left"),
        (BOOK, "still 3 left"),
        (BOOK, "3 remain"),
        (BOOK, "supporting record 3"),
        (BOOK, "evidence: 1150"),
        (BOOK, "the fee is EUR 11.50"),
        (f"{LOG}#row=7", "row 7 was cited"),
        ("/bin/query", "gave 2031-05-04 for the book"),
    ],
)
def test_a_value_of_the_file_justifies_its_citation(path: str, reason: str) -> None:
    """One number, date or id of the file is enough, in any spelling and beside any other words.

    `RULES` says "A loan runs 21 days", and `BOOK` is the record of b-104 with 3 copies and a fee
    of 1150 cents. The tool `/bin/query` printed "b-104 lent on 2031-05-04".
    """
    assert_accepted(path, reason)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RULES, "the rule on reserved books"),
        (RULES, "RENEWALS of reservations"),
        (RULES, "Loan policy"),
        (BOOK, "title Die Kuste, as asked for"),
    ],
)
def test_a_word_of_the_file_justifies_its_citation_in_any_form(
    path: str, reason: str
) -> None:
    """`RULES`, the file `Loans.md`, says "Books marked reserved cannot be renewed." The title of
    `BOOK` is "Die Küste"."""
    assert_accepted(path, reason)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RESULTS, "4 games were played"),
        (EMPTY_FILE, "is empty, no lines"),
    ],
)
def test_the_count_of_its_rows_or_lines_justifies_a_citation(
    path: str, reason: str
) -> None:
    """`RESULTS` is a table with one row for each of four games."""
    assert_accepted(path, reason)


@pytest.mark.parametrize(
    "reason",
    [
        "no row for b-999 in this log",
        "nothing about b-999",
        "Die Küste does not appear, nothing about `Harbour`",
    ],
)
def test_what_the_file_really_does_not_contain_justifies_its_citation(
    reason: str,
) -> None:
    """The log of loans has the books b-104 and b-105, and no titles."""
    assert_accepted(LOG, reason)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/bin/query", "query was executed to find it"),
        ("/bin/ship", "executed to ship the book"),
        (OWN_EXPORT, "written as the export"),
        (OWN_EXPORT, "file I created"),
        (DELETED_FILE, "deleted on request"),
    ],
)
def test_what_the_trial_did_justifies_a_citation(path: str, reason: str) -> None:
    """The trial ran both tools, wrote `OWN_EXPORT` and deleted `DELETED_FILE`."""
    assert_accepted(path, reason)


# Reasons that name nothing of their file
# --------------------------------------------------------------------------------------------------------------


def assert_rejected(path: str, reason: str) -> None:
    """Assert that gate 5 rejects a citation of `path` with this reason, and names the path."""
    reason_verdict = verdict_on_reason(path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RULES, "relevant document"),
        (RULES, "relevant document for this answer"),
        (RULES, "used as evidence"),
        (RULES, "cited from memory without having read it"),
        (EMPTY_FILE, "relevant file"),
        (DULL_FILE, "relevant evidence"),
        (DULL_FILE, "it holds data"),
        (DELETED_FILE, "relevant file"),
        (BOOK, "no such thing here"),
    ],
)
def test_words_that_could_be_said_of_any_file_are_rejected(
    path: str, reason: str
) -> None:
    """The word "data" of `DULL_FILE`, which says "the data file", is such a word, too."""
    assert_rejected(path, reason)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (RULES, RULES),
        (RULES, "see /docs/Loans.md"),
        (RULES, "Loans.md, Loans.md"),
        (RULES, "/docs/./Loans.md"),
        (RULES, "//docs//Loans.md, //docs//Loans.md"),
        (QUAGGA, "/docs/./quagga.md"),
        (QUAGGA, "quagga.md, see (quagga.md)"),
        (OWN_EXPORT, "see the list.txt"),
        (RESULTS, "all results of week 7"),
    ],
)
def test_the_path_of_the_file_alone_is_rejected(path: str, reason: str) -> None:
    """The reasons are the path or a part of it, such as the week of `/results/week-07.csv`.

    `QUAGGA`, the file `/docs/quagga.md`, says "A quagga is no zebra." Its name in the reason does
    not show that the file was read.
    """
    assert_rejected(path, reason)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        # Values
        (RULES, "invoice 4711 of the plumber"),
        (RULES, "order 4711-x of the plumber"),
        (BOOK, "b-999 is on this shelf"),
        (BOOK, "b b b b b"),
        (RESULTS, "14 games were played"),
        # Words
        (DULL_FILE, "a quagga would be here"),
        (DULL_PART, "a quagga was there"),
        (RESULTS, "four games were played"),
        (RESULTS, "the latest of the week"),
        (RESULTS, "the dates of signing"),
        # Words of another language than the file's
        (RULES, "die Ausleihe ist auf drei Wochen begrenzt"),
        (RULES, "la durée du prêt est fixée ici"),
    ],
)
def test_values_and_words_that_the_file_does_not_contain_are_rejected(
    path: str, reason: str
) -> None:
    """`RULES` says "A loan runs 21 days. Books marked reserved cannot be renewed.", `BOOK` is the
    record of b-104, `DULL_FILE` and the part of `DULL_PART` that was read say "the data file", and
    `RESULTS` is a table of games with the columns home, guest and score."""
    assert_rejected(path, reason)


def test_words_that_the_trial_wrote_into_the_file_itself_are_rejected() -> None:
    """The trial wrote "one line for the librarian" into the file that it cites."""
    assert_rejected(OWN_EXPORT, "a fresh file for the librarian")


# Citations with a quotation
# --------------------------------------------------------------------------------------------------------------


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
    judgement = judge_scratchpad(valid_scratchpad(refs_why={path: reason}), calls)

    assert canonical_path == path
    assert line_number == 1
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
