"""Gates 3 and 4: citations have their canonical form, and cite what the trial read or ran.

A script cites files with reasons: `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. A
citation in another form, such as `docs/Loans.md`, is sent back with the right one, and one of a
file that the trial has not read is rejected.
"""

from __future__ import annotations

import pytest

from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.recorded_calls import CallsOfTrial

CANONICAL_GATE = 3
"""Rejects a citation that is not a path in its canonical form with a reason."""
READ_GATE = 4
"""Rejects a citation of a path that no call accessed."""
REASON_GATE = 5
"""Rejects a citation with a reason that says nothing of the cited file."""
BOOK = "/shelves/north side/b-104.json"
"""The record of a book."""


def calls_of_a_trial() -> CallsOfTrial:
    """Return a trial's calls: it listed two folders, read three files, and ran a query."""
    calls = CallsOfTrial()
    calls.list_folder("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", BOOK, "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


class TestCanonicalCitations:
    """A citation passes if it has its canonical form and was read or run.

    `calls_of_a_trial` read the loan rules `/docs/Loans.md`, the record `BOOK` and the table
    `/logs/lent.tsv`, and ran the program `/bin/query`. The answer may cite each of them.
    """

    @pytest.mark.parametrize(
        "refs",
        [
            pytest.param({}, id="none"),
            pytest.param({BOOK: "b-104 has 3 copies"}, id="path with a blank"),
            pytest.param({"/docs/Loans.md": "21 days."}, id="reason of 8 characters"),
            pytest.param(
                {
                    "/logs/lent.tsv#row=7": "row 7 is b-104",
                    "/logs/lent.tsv#row=8": "row 8 is b-105",
                },
                id="two rows of a file",
            ),
            pytest.param({"/bin/query": "query output b-104"}, id="tool that was run"),
            pytest.param(
                {
                    "/bin/query": "ran the query for b-104",
                    "/docs/Loans.md": "runs 21 days",
                },
                id="tool and file",
            ),
        ],
    )
    def test_canonical_citations_of_what_was_read_pass(
        self, refs: dict[str, str]
    ) -> None:
        """`refs` has the reason of each cited path. A citation may be of a row:
        `/logs/lent.tsv#row=7`."""
        judgement = judge_scratchpad(
            valid_scratchpad(refs_why=refs), calls_of_a_trial()
        )

        for gate in (CANONICAL_GATE, READ_GATE, REASON_GATE):
            assert verdict_of(judgement, gate).result != "reject", judgement.message


def objection_to_form(refs: object) -> str:
    """Return what gate 3 objects to in an answer with these `refs_why`; an empty string if nothing.

    The trial has read `/docs/Loans.md` and `/logs/lent.tsv`.
    """
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())
    return objection_of(judgement, CANONICAL_GATE)


class TestReasonsOfCitations:
    """Each citation has a reason, a text of at least 8 characters.

    A script submits `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. `objection_to_form`
    returns what gate 3 says of another value of `refs_why`.
    """

    @pytest.mark.parametrize(
        ("refs", "fault"),
        [
            pytest.param(["/docs/Loans.md"], "a map of paths to reasons", id="a list"),
            pytest.param("/docs/Loans.md", "a map of paths to reasons", id="a text"),
            pytest.param({"/docs/Loans.md": "rules"}, "under 8 characters", id="short"),
            pytest.param(
                {"/docs/Loans.md": "   rules   "},
                "under 8 characters",
                id="short, padded",
            ),
            pytest.param({"/docs/Loans.md": 21}, "the number `21`", id="a number"),
            pytest.param({"/docs/Loans.md": None}, "`None`", id="None"),
            pytest.param(
                {"/docs/Loans.md": object()},
                "is `None`: say in words",
                id="an object, which JSON cannot hold",
            ),
        ],
    )
    def test_citations_without_reasons_of_8_characters_are_rejected(
        self, refs: object, fault: str
    ) -> None:
        """The last case has a reason that JSON cannot hold. It is copied as None before it is
        judged."""
        assert fault in objection_to_form(refs)


class TestCanonicalPaths:
    """A cited path is spelled as the file was read; the gate says how.

    The trial has read `/docs/Loans.md` and `/logs/lent.tsv`. A rejected answer goes back to the
    model with the objection, so that the model can correct the path.
    """

    @pytest.mark.parametrize(
        ("path", "correction"),
        [
            ("docs/Loans.md", "cite `/docs/Loans.md`"),
            ("/docs//Loans.md", "cite `/docs/Loans.md`"),
            ("/docs/../docs/Loans.md", "cite `/docs/Loans.md`"),
            (" /docs/Loans.md", "cite `/docs/Loans.md`"),
            ("/docs/loans.md", "was read as `/docs/Loans.md`"),
            ("/LOGS/lent.tsv#row=7", "cite `/logs/lent.tsv#row=7`"),
            # Files that were not read
            (
                "nowhere/x.md#1",
                "not an absolute canonical path: read and cite `/nowhere/x.md#1`",
            ),
            (
                "/nowhere/x/",
                "a folder or a misspelt file: read and cite `/nowhere/x`",
            ),
        ],
    )
    def test_a_path_in_another_form_is_rejected_with_the_right_one(
        self, path: str, correction: str
    ) -> None:
        """The last two paths are of files that were not read."""
        objection = objection_to_form({path: "a loan runs 21 days"})

        assert correction in objection

    @pytest.mark.parametrize(
        ("path", "fault"),
        [
            pytest.param("/docs", "is a folder", id="folder"),
            pytest.param("/docs/", "is a folder", id="folder with a slash"),
            pytest.param("/", "is not a file", id="root"),
            pytest.param("", "is not a file", id="empty"),
            pytest.param("/\ud800.md", "lone surrogate", id="not encodable as UTF-8"),
        ],
    )
    def test_a_path_that_is_not_a_files_is_rejected(
        self, path: str, fault: str
    ) -> None:
        """The message says what is wrong, since there is no right form."""
        objection = objection_to_form({path: "a loan runs 21 days"})

        assert fault in objection

    def test_a_second_spelling_of_a_cited_file_is_rejected(self) -> None:
        """A file counts as one citation, so it may have only one spelling."""
        objection = objection_to_form(
            {"/docs/Loans.md": "21 days", "/docs/loans.md": "a loan runs 21 days"}
        )

        assert "cite `/docs/Loans.md`" in objection


def verdict_on_paths(refs: object) -> Verdict:
    """Return gate 3's verdict on `refs` of a submission that no script made."""
    submission = Submission(answer="21 days", outcome="OUTCOME_OK", refs=refs)
    judgement = judge(submission, calls_of_a_trial().evidence, Case("How long?"))
    return verdict_of(judgement, CANONICAL_GATE)


class TestCitationsWithoutReasons:
    """Solvers without scripts submit `refs`, a list of paths alone."""

    @pytest.mark.parametrize(
        ("refs", "reason"),
        [
            ("/docs/Loans.md", "it must be a list of paths"),
            (["/docs/Loans.md", 7], "the number `7` is not a path"),
        ],
    )
    def test_citations_of_a_solver_without_scripts_must_be_a_list_of_paths(
        self, refs: object, reason: str
    ) -> None:
        """The message says what else they are."""
        citation_verdict = verdict_on_paths(refs)

        assert citation_verdict.result == "reject"
        assert reason in citation_verdict.reason

    def test_an_empty_list_of_citations_passes(self) -> None:
        assert verdict_on_paths([]).result != "reject"


class TestCitationsOfWhatWasNotRead:
    """Gate 4 rejects a citation of a path that no call accessed."""

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("/empty.txt", id="listed, not read"),
            pytest.param("/docs/Fees.md", id="not in the listing of its folder"),
            pytest.param("/bin/ship", id="tool that was not run"),
        ],
    )
    def test_a_citation_of_what_was_not_accessed_is_rejected(self, path: str) -> None:
        """To see a file in a listing is not to read it."""
        scratchpad = valid_scratchpad(refs_why={path: "21 days of loan"})

        judgement = judge_scratchpad(scratchpad, calls_of_a_trial())

        assert verdict_of(judgement, READ_GATE).result == "reject"
