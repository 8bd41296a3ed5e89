"""Gate 5: the reason for a citation names something that the cited file contains.

`{"/docs/Loans.md": "a loan runs 21 days"}` passes, because the file has the 21. "relevant
document" is rejected: it could be said of any file. A citation with a quotation that was found
in the file passes whatever its reason says.
"""

from __future__ import annotations

import pytest

from controlplane.gates.verdicts import Verdict
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.recorded_calls import CallsOfTrial

REASON_GATE = 5


def verdict_on_reason(path: str, reason: str) -> Verdict:
    """Return gate 5's verdict on an answer that cites `path` with this reason.

    The trial has read the files of the library, and some others. It has also run two tools,
    written a file and deleted one. Each test says what stands in the file that it cites.
    """
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv", "/empty.txt")
    calls.read("/shelves/north side/b-104.json", "/shelves/north side/b-105.json")
    calls.read_text("/dull.txt", "the data file")
    calls.read_text("/part.txt", "the data file", truncated=True)
    calls.read_text("/docs/quagga.md", "A quagga is no zebra.")
    calls.read_text(
        "/results/week-07.csv",
        "home,guest,score\nAjo,Bel,3:1\nCor,Dax,0:0\nEsk,Fio,2:2\nGil,Hub,1:4\n",
    )
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write("/exports/list.txt", "one line for the librarian, see /logs/lent.tsv")
    calls.delete("/tmp/old.txt")
    judgement = judge_scratchpad(valid_scratchpad(refs_why={path: reason}), calls)
    return verdict_of(judgement, REASON_GATE)


def assert_accepted(path: str, reason: str) -> None:
    """Assert that gate 5 accepts a citation of `path` with this reason."""
    reason_verdict = verdict_on_reason(path, reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


class TestValuesInReasons:
    """A reason passes if it has a value that the cited file states.

    The trial has read `/docs/Loans.md`, "A loan runs 21 days. ...", and the record `{"id":
    "b-104", "title": "Die Küste", "copies": 3, "fee_cents": 1150}`. One value of the file is
    enough, in any spelling and beside any other words.
    """

    @pytest.mark.parametrize(
        "reason",
        [
            "a loan runs 21 days",
            "see 21 there",
            "pipes valves taps hoses wrenches gaskets elbows washers, then 21",
            "wer Bücher renewed haben will: 21",
        ],
    )
    def test_a_number_of_a_text_justifies_its_citation(self, reason: str) -> None:
        """The number in the file "A loan runs 21 days." is enough."""
        assert_accepted("/docs/Loans.md", reason)

    @pytest.mark.parametrize(
        "reason",
        [
            "b-104",
            "id `B-104` of the book",
            "evidence: 104",  # the number of b-104
            "has 3 copies left",
            "still 3 left",
            "3 remain",
            "supporting record 3",
            "evidence: 1150",
            "the fee is EUR 11.50",
        ],
    )
    def test_a_value_of_a_record_justifies_its_citation(self, reason: str) -> None:
        """The book's record has an id, a title, 3 copies and a fee of 1150 cents."""
        assert_accepted("/shelves/north side/b-104.json", reason)

    def test_the_number_of_a_cited_row_justifies_its_citation(self) -> None:
        """The log is a table whose first column, `row`, has the 7."""
        assert_accepted("/logs/lent.tsv#row=7", "row 7 was cited")

    def test_a_value_that_a_tool_printed_justifies_its_citation(self) -> None:
        """The tool printed "b-104 lent on 2031-05-04"."""
        assert_accepted("/bin/query", "gave 2031-05-04 for the book")


class TestWordsInReasons:
    """A reason passes if it has a word that is typical of the cited file.

    "A loan runs 21 days. Books marked reserved cannot be renewed." is the text of
    `/docs/Loans.md`. Upper case, accents and endings of words do not matter.
    """

    @pytest.mark.parametrize(
        "reason",
        ["the rule on reserved books", "RENEWALS of reservations", "Loan policy"],
    )
    def test_a_word_of_a_text_justifies_its_citation_in_any_form(
        self, reason: str
    ) -> None:
        """`reservations` has the stem of `reserved`, and `RENEWALS` that of `renewed`."""
        assert_accepted("/docs/Loans.md", reason)

    def test_a_word_of_a_record_justifies_its_citation_without_its_accents(
        self,
    ) -> None:
        """The record has the title "Die Küste"."""
        assert_accepted(
            "/shelves/north side/b-104.json", "title Die Kuste, as asked for"
        )


class TestObservationsInReasons:
    """A reason may say how a file is as a whole, or what was done to it.

    It may count rows, name something that the file does not have, or say that the trial ran,
    wrote or deleted it. The gate checks whether that is so.
    """

    def test_the_count_of_its_rows_justifies_the_citation_of_a_table(self) -> None:
        """The table has one row for each of four games, such as `Ajo,Bel,3:1`."""
        assert_accepted("/results/week-07.csv", "4 games were played")

    def test_that_a_file_has_no_lines_justifies_its_citation(self) -> None:
        assert_accepted("/empty.txt", "is empty, no lines")

    @pytest.mark.parametrize(
        "reason",
        [
            "no row for b-999 in this log",
            "nothing about b-999",
            "Die Küste does not appear, nothing about `Harbour`",
        ],
    )
    def test_what_the_file_really_does_not_contain_justifies_its_citation(
        self, reason: str
    ) -> None:
        """The log of loans has the books b-104 and b-105, and no titles."""
        assert_accepted("/logs/lent.tsv", reason)

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("/bin/query", "query was executed to find it"),
            ("/bin/ship", "executed to ship the book"),
            ("/exports/list.txt", "written as the export"),
            ("/exports/list.txt", "file I created"),
            ("/tmp/old.txt", "deleted on request"),
        ],
    )
    def test_what_the_trial_did_justifies_a_citation(
        self, path: str, reason: str
    ) -> None:
        """The trial ran both tools, wrote `/exports/list.txt` and deleted `/tmp/old.txt`."""
        assert_accepted(path, reason)


def assert_rejected(path: str, reason: str) -> None:
    """Assert that gate 5 rejects a citation of `path` with this reason, and names the path."""
    reason_verdict = verdict_on_reason(path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


class TestReasonsForAnyFile:
    """A reason that could be given for any file is rejected.

    "relevant document" or the file's own path does not show that the file was read.
    """

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("/docs/Loans.md", "relevant document"),
            ("/docs/Loans.md", "relevant document for this answer"),
            ("/docs/Loans.md", "used as evidence"),
            ("/docs/Loans.md", "cited from memory without having read it"),
            ("/empty.txt", "relevant file"),
            ("/dull.txt", "relevant evidence"),
            ("/tmp/old.txt", "relevant file"),
            ("/shelves/north side/b-104.json", "no such thing here"),
        ],
    )
    def test_words_that_could_be_said_of_any_file_are_rejected(
        self, path: str, reason: str
    ) -> None:
        assert_rejected(path, reason)

    def test_such_a_word_is_rejected_even_if_the_file_contains_it(self) -> None:
        """The file says "the data file". But "data" could be said of any file."""
        assert_rejected("/dull.txt", "it holds data")

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("/docs/Loans.md", "/docs/Loans.md"),
            ("/docs/Loans.md", "see /docs/Loans.md"),
            ("/docs/Loans.md", "Loans.md, Loans.md"),
            ("/docs/Loans.md", "/docs/./Loans.md"),
            ("/docs/Loans.md", "//docs//Loans.md, //docs//Loans.md"),
            ("/exports/list.txt", "see the list.txt"),
            ("/results/week-07.csv", "all results of week 7"),
        ],
    )
    def test_the_path_of_the_file_alone_is_rejected(
        self, path: str, reason: str
    ) -> None:
        """The reasons are the path or a part of it, such as the week of `/results/week-07.csv`.
        They do not show that the file was read."""
        assert_rejected(path, reason)

    @pytest.mark.parametrize(
        "reason", ["/docs/./quagga.md", "quagga.md, see (quagga.md)"]
    )
    def test_the_path_alone_is_rejected_even_if_the_file_contains_a_word_of_it(
        self, reason: str
    ) -> None:
        """The file `quagga.md` says "A quagga is no zebra." The word may come from its name."""
        assert_rejected("/docs/quagga.md", reason)


class TestReasonsThatDoNotFit:
    """A reason is rejected if its values and words are not in the file.

    The trial has read the loan rules, a book's record, a table of games and some other files;
    each test says what stands in the file that it cites. A model that has not read the file can
    only guess, in other words or in another language.
    """

    @pytest.mark.parametrize(
        "reason",
        [
            pytest.param("invoice 4711 of the plumber", id="another number"),
            pytest.param("order 4711-x of the plumber", id="another id"),
            pytest.param("die Ausleihe ist auf drei Wochen begrenzt", id="German"),
            pytest.param("la durée du prêt est fixée ici", id="French"),
        ],
    )
    def test_what_a_text_does_not_contain_is_rejected(self, reason: str) -> None:
        """The file says "A loan runs 21 days. Books marked reserved cannot be renewed." The last
        two reasons translate this, but have no word of it."""
        assert_rejected("/docs/Loans.md", reason)

    @pytest.mark.parametrize("reason", ["b-999 is on this shelf", "b b b b b"])
    def test_another_id_than_that_of_the_record_is_rejected(self, reason: str) -> None:
        """The record has the id b-104. A single letter of it is not enough."""
        assert_rejected("/shelves/north side/b-104.json", reason)

    @pytest.mark.parametrize(
        "reason",
        [
            "14 games were played",
            "four games were played",
            "the latest of the week",
            "the dates of signing",
        ],
    )
    def test_what_a_table_does_not_contain_is_rejected(self, reason: str) -> None:
        """The table has the columns home, guest and score, and four rows such as `Ajo,Bel,3:1`. A
        count of rows must be a number: the word "four" is in no row."""
        assert_rejected("/results/week-07.csv", reason)

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            pytest.param("/dull.txt", "a quagga would be here", id="whole file"),
            pytest.param("/part.txt", "a quagga was there", id="only its beginning"),
        ],
    )
    def test_a_word_that_was_not_seen_in_the_file_is_rejected(
        self, path: str, reason: str
    ) -> None:
        """What the trial has read of both files is "the data file"."""
        assert_rejected(path, reason)

    def test_words_that_the_trial_wrote_into_the_file_itself_are_rejected(self) -> None:
        """The trial wrote "one line for the librarian" into the file that it cites."""
        assert_rejected("/exports/list.txt", "a fresh file for the librarian")


class TestQuotations:
    """A script may quote the cited file: `cite(path, reason, quotation)`.

    The quotation is looked up in what the trial has read. It proves that the file was read, so
    that the reason may say anything.
    """

    @pytest.mark.parametrize(
        "reason",
        [
            pytest.param("relevant document here", id="English"),
            pytest.param("warum auch immer es zählt", id="German"),
            pytest.param("raison quelconque", id="French"),
            pytest.param("根拠となる規則の文書です", id="Japanese"),
        ],
    )
    def test_a_found_quotation_justifies_a_citation_with_any_reason(
        self, reason: str
    ) -> None:
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
        self, quotation: str
    ) -> None:
        """The file says "Books marked reserved". The script's function `cite` calls this check, so
        that the script learns of the mistake at once."""
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md", "/shelves/north side/b-104.json")

        with pytest.raises(ValueError, match="quot"):
            calls.cite("/docs/Loans.md", "a loan runs 21 days", quotation)
