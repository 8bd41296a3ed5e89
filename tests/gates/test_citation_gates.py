"""Gates 3 and 4: citations have their canonical form, and cite what the trial read or ran.

A script cites files with reasons: `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. A
citation in another form, such as `docs/Loans.md`, is sent back with the right one. Rule
`3/demanded-citation` objects if the request names what to cite and the answer does not.
"""

from __future__ import annotations

import pytest

from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.sample_trials import (
    CallsOfTrial,
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.support.executed_work import assert_linear

FACTS_GATE = 2
"""Rejects a fact whose source no call accessed."""
CANONICAL_GATE = 3
"""Rejects a citation that is not a path in its canonical form with a reason."""
READ_GATE = 4
"""Rejects a citation of a path that no call accessed."""
REASON_GATE = 5
BOOK = "/shelves/north side/b-104.json"


def calls_of_a_trial() -> CallsOfTrial:
    """Return a trial's calls: it listed two folders, read three files, and ran a query."""
    calls = CallsOfTrial()
    calls.list_folder("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", BOOK, "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


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
            {"/bin/query": "ran the query for b-104", "/docs/Loans.md": "runs 21 days"},
            id="tool and file",
        ),
    ],
)
def test_canonical_citations_of_what_was_read_pass(refs: dict[str, str]) -> None:
    """The trial has read `BOOK`, the loan rules and the log `/logs/lent.tsv`, and run `/bin/query`.

    `refs` has the reason of each cited path. A citation may be of a row: `/logs/lent.tsv#row=7`.
    """
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())

    for gate in (CANONICAL_GATE, READ_GATE, REASON_GATE):
        assert verdict_of(judgement, gate).result != "reject", judgement.message


def objection_to_form(refs: object) -> str:
    """Return what gate 3 objects to in an answer with these `refs_why`; an empty string if nothing.

    The trial has read `/docs/Loans.md` and `/logs/lent.tsv`.
    """
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())
    return objection_of(judgement, CANONICAL_GATE)


@pytest.mark.parametrize(
    ("refs", "fault"),
    [
        pytest.param(["/docs/Loans.md"], "a map of paths to reasons", id="a list"),
        pytest.param("/docs/Loans.md", "a map of paths to reasons", id="a text"),
        pytest.param({"/docs/Loans.md": "rules"}, "under 8 characters", id="short"),
        pytest.param(
            {"/docs/Loans.md": "   rules   "}, "under 8 characters", id="short, padded"
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
    refs: object, fault: str
) -> None:
    """A script must give each citation a reason, as a text of at least 8 characters.

    It submits `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. What JSON cannot hold is
    copied as None before it is judged.
    """
    assert fault in objection_to_form(refs)


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
    path: str, correction: str
) -> None:
    """The trial has read `/docs/Loans.md` and `/logs/lent.tsv`. The message says how to spell the
    path."""
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
def test_a_path_that_is_not_a_files_is_rejected(path: str, fault: str) -> None:
    """The message says what is wrong, since there is no right form."""
    objection = objection_to_form({path: "a loan runs 21 days"})

    assert fault in objection


def test_a_second_spelling_of_a_cited_file_is_rejected() -> None:
    """A file counts as one citation, so it may have only one spelling."""
    objection = objection_to_form(
        {"/docs/Loans.md": "21 days", "/docs/loans.md": "a loan runs 21 days"}
    )

    assert "cite `/docs/Loans.md`" in objection


# Citations without reasons: solvers without scripts submit `refs`, a list of paths.
# --------------------------------------------------------------------------------------------------------------


def verdict_on_paths(refs: object) -> Verdict:
    """Return gate 3's verdict on `refs` of a submission that no script made."""
    submission = Submission(answer="21 days", outcome="OUTCOME_OK", refs=refs)
    judgement = judge(submission, calls_of_a_trial().evidence, Case("How long?"))
    return verdict_of(judgement, CANONICAL_GATE)


@pytest.mark.parametrize(
    ("refs", "reason"),
    [
        ("/docs/Loans.md", "it must be a list of paths"),
        (["/docs/Loans.md", 7], "the number `7` is not a path"),
    ],
)
def test_citations_of_a_solver_without_scripts_must_be_a_list_of_paths(
    refs: object, reason: str
) -> None:
    """The message says what else they are."""
    citation_verdict = verdict_on_paths(refs)

    assert citation_verdict.result == "reject"
    assert reason in citation_verdict.reason


def test_an_empty_list_of_citations_passes() -> None:
    assert verdict_on_paths([]).result != "reject"


# Citations that the request demands
# --------------------------------------------------------------------------------------------------------------


def objection_to_citations(instruction: str, answer: str, refs: dict[str, str]) -> str:
    """Return what rule `3/demanded-citation` objects to; an empty string if it does not."""
    judgement = judge_scratchpad(
        valid_scratchpad(answer=answer, refs_why=refs),
        calls_of_a_trial(),
        instruction=instruction,
    )
    return objection_of(judgement, "3/demanded-citation")


REQUEST_FOR_ROWS = (
    "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum."
)


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({"/logs/lent.tsv#row=7": "row 7 is b-104"}, id="row"),
        pytest.param(
            {
                "/docs/Loans.md": "a loan runs 21 days",
                "/logs/lent.tsv#row=7": "row 7 is b-104",
            },
            id="row and another file",
        ),
    ],
)
def test_rows_that_the_request_demands_are_cited(refs: dict[str, str]) -> None:
    """The request says "Cite rows in this format: /logs/lent.tsv#row=<RowID>"."""
    assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs) == ""


def test_a_file_does_not_stand_for_demanded_rows() -> None:
    """The request wants rows. The sum is not 0, so that it comes from at least one row."""
    refs = {"/logs/lent.tsv": "the rows of b-104"}

    objection = objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs)

    assert "rows are cited as `/logs/lent.tsv#row=<RowID>`" in objection


def test_a_file_stands_for_demanded_rows_if_the_sum_is_0() -> None:
    """A sum of 0 may come from no row, so that there is none to cite."""
    refs = {"/logs/lent.tsv": "the rows of b-104"}

    assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 0.00", refs) == ""


# The trial has read the first of the files. The second one does not exist, and is not demanded.
REQUEST_ABOUT_THE_LOG = (
    "Read the log /logs/lent.tsv and tell how many."
    " Look at the list in /nowhere/x.tsv as well."
)


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({"/logs/lent.tsv": "the rows of b-104"}, id="file"),
        pytest.param({"/logs/lent.tsv#row=7": "row 7 is b-104"}, id="row of it"),
    ],
)
def test_a_source_that_the_request_names_is_cited(refs: dict[str, str]) -> None:
    """The request says "Read the log /logs/lent.tsv and tell how many." A row of the log counts as
    a citation of the log."""
    assert objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs) == ""


def test_a_source_that_the_request_names_must_be_cited() -> None:
    """The request says to read the log. The answer cites the loan rules instead."""
    refs = {"/docs/Loans.md": "a loan runs 21 days"}

    objection = objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs)

    assert "`/logs/lent.tsv` is what the request is about" in objection


def test_a_request_that_names_no_file_demands_no_citation_of_one() -> None:
    refs = {"/docs/Loans.md": "a loan runs 21 days"}

    assert objection_to_citations("How many loans?", "2 of 3", refs) == ""


# Citations of what was not read
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/empty.txt", id="listed, not read"),
        pytest.param("/docs/Fees.md", id="not in the listing of its folder"),
        pytest.param("/bin/ship", id="tool that was not run"),
    ],
)
def test_a_citation_of_what_was_not_accessed_is_rejected(path: str) -> None:
    """To see a file in a listing is not to read it."""
    scratchpad = valid_scratchpad(refs_why={path: "21 days of loan"})

    judgement = judge_scratchpad(scratchpad, calls_of_a_trial())

    assert verdict_of(judgement, READ_GATE).result == "reject"


# The message of a gate names the nearest file that was read only for the first paths. To look for
# it for every invented path would compare all of them with all files.
PATHS_WITH_A_HINT = 8


def assert_few_hints(objection: str, path_count: int) -> None:
    """Assert that an objection to so many paths has 8 hints, and ends with "and 92 more"."""
    lines = objection.splitlines()
    hints = [line for line in lines if "nearest that was read" in line]
    assert len(hints) == PATHS_WITH_A_HINT
    assert f"and {path_count - PATHS_WITH_A_HINT} more" in lines[-1]


def calls_that_read_files(count: int) -> CallsOfTrial:
    """Return the calls of a trial that read `/shelf/0.json`, `/shelf/1.json` and so on."""
    calls = CallsOfTrial()
    for number in range(count):
        calls.read(f"/shelf/{number}.json")
    return calls


def test_rejecting_many_citations_of_invented_paths_is_linear_work() -> None:
    """As many paths are cited as files were read, and none of them is one of these files."""

    def cite_invented_paths(path_count: int) -> None:
        calls = calls_that_read_files(path_count)
        refs: dict[str, str] = {}
        for number in range(path_count):
            refs[f"/nowhere/{number}.md"] = "no such thing"

        judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls)

        assert_few_hints(objection_of(judgement, READ_GATE), path_count)

    assert_linear(cite_invented_paths, 200)


def test_rejecting_many_facts_with_invented_sources_is_linear_work() -> None:
    """Gate 2 checks that the source of each fact was read, which is none of these paths."""

    def submit_facts(fact_count: int) -> None:
        calls = calls_that_read_files(fact_count)
        facts: dict[str, object] = {}
        for number in range(fact_count):
            facts[f"fact {number}"] = {
                "value": 21,
                "description": "days of a loan",
                "source": f"/nowhere/{number}.md",
                "confidence": "verified",
            }

        judgement = judge_scratchpad(valid_scratchpad(facts=facts), calls)

        assert_few_hints(objection_of(judgement, FACTS_GATE), fact_count)

    assert_linear(submit_facts, 200)
