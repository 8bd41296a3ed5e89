"""Which quotations a citation may have: what a file says, as it says it.

A script cites a file with a quotation: `cite("/docs/Loans.md", reason, "opened by the porter")`.
The log looks for it in the texts that calls showed. Lines that are not adjacent in the file must
not be joined to a sentence that the file does not have.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.log.citations import CitedPlace
from controlplane.gates.trial.accesses import SeenText
from tests.gates.sample_trials import (
    CallsOfTrial,
    judge_scratchpad,
    valid_scratchpad,
    verdict_of,
)

PATH = "/docs/Loans.md"
REASON = "who opens the archive"
REASON_GATE = 5
UNKNOWN_LINE = 0
"""The line of a quotation in what a search showed, which is only a part of the file."""


def quote(calls: CallsOfTrial, quotation: str, path: str = PATH) -> CitedPlace:
    """Cite a file with a quotation, and return the place where it was found.

    Raises `ValueError` if the quotation is refused.
    """
    return calls.evidence_log.citations.check(path, REASON, quotation)


def test_a_quotation_may_differ_in_blanks_and_case() -> None:
    """Models seldom copy blanks exactly."""
    calls = CallsOfTrial().see(PATH, "Fee 12 34 a\nTotal 5\n6 b")

    assert quote(calls, "12  34A") == (PATH, 1)


@pytest.mark.parametrize("quotation", ["1234", "56 b"])
def test_two_numbers_are_not_quoted_as_one(quotation: str) -> None:
    """Blanks don't count, but `12 34` is not `1234`."""
    calls = CallsOfTrial().see(PATH, "Fee 12 34 a\nTotal 5\n6 b")

    with pytest.raises(ValueError, match="is not in what was read"):
        quote(calls, quotation)


# Results of queries
# --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def calls_with_query() -> CallsOfTrial:
    """Return the calls of a trial that counted rows of a table by a query: 1261."""
    calls = CallsOfTrial()
    query_result = {"content": "n\n1261\n", "columns": ["n"], "lines": []}
    calls.evidence_log.record("read", {"path": "/t.csv"}, query_result, None)
    return calls


@pytest.mark.parametrize(
    ("reason", "is_justified"),
    [
        ("1261 rows of the month lack a time", True),
        ("1262 rows of the month lack a time", False),
    ],
)
def test_the_result_of_a_query_justifies_a_citation_of_its_table(
    calls_with_query: CallsOfTrial, reason: str, is_justified: bool
) -> None:
    """The script has counted the rows by a query, and cites the table with this number."""
    scratchpad = valid_scratchpad(refs_why={"/t.csv": reason})

    verdict = verdict_of(judge_scratchpad(scratchpad, calls_with_query), REASON_GATE)

    assert (verdict.result == "pass") is is_justified


def test_the_result_of_a_query_cannot_be_quoted(calls_with_query: CallsOfTrial) -> None:
    """The table itself does not have the number."""
    with pytest.raises(ValueError, match="was written or computed by a script"):
        quote(calls_with_query, "1261", path="/t.csv")


# Lines that a search shows
# --------------------------------------------------------------------------------------------------------------

FIRST_LINE = "The archive is opened"
SECOND_LINE = "by the night porter alone."
ACROSS_BOTH_LINES = "is opened by the night porter"


def calls_with_matches(*matches: dict[str, object]) -> CallsOfTrial:
    """Return the calls of a trial whose search found these places in one file.

    A match has `line`, `text` and, if lines before it are shown as well, the `first` of them.
    """
    calls = CallsOfTrial()
    result = {"matches": [{"path": PATH, **match} for match in matches]}
    calls.evidence_log.record("search", {"pattern": "e", "root": "/"}, result, None)
    return calls


def seen_texts(calls: CallsOfTrial) -> tuple[SeenText, ...]:
    """Return the texts that the trial has seen in the file."""
    return calls.evidence.accesses[PATH].seen


@pytest.mark.parametrize(("first_line", "second_line"), [(4, 5), (4, 9), (9, 4)])
def test_a_line_that_a_search_shows_can_be_quoted(
    first_line: int, second_line: int
) -> None:
    """The two lines are found in any order and at any distance."""
    calls = calls_with_matches(
        {"line": first_line, "text": FIRST_LINE},
        {"line": second_line, "text": SECOND_LINE},
    )

    assert quote(calls, FIRST_LINE) == (PATH, UNKNOWN_LINE)
    assert quote(calls, SECOND_LINE) == (PATH, UNKNOWN_LINE)


def test_adjacent_lines_of_a_search_can_be_quoted_together() -> None:
    """The sentence goes over lines 4 and 5."""
    calls = calls_with_matches(
        {"line": 4, "text": FIRST_LINE}, {"line": 5, "text": SECOND_LINE}
    )

    assert quote(calls, ACROSS_BOTH_LINES).spelling == PATH


@pytest.mark.parametrize(("first_line", "second_line"), [(4, 9), (9, 4)])
def test_lines_of_a_search_that_are_not_adjacent_cannot_be_quoted_together(
    first_line: int, second_line: int
) -> None:
    """Joined, they would make a sentence that the file does not have."""
    calls = calls_with_matches(
        {"line": first_line, "text": FIRST_LINE},
        {"line": second_line, "text": SECOND_LINE},
    )

    with pytest.raises(ValueError, match=r"is not in what was read|may come from"):
        quote(calls, ACROSS_BOTH_LINES)


def test_adjacent_lines_are_joined_even_if_they_end_with_line_breaks() -> None:
    """Some environments return lines with their line breaks."""
    calls = calls_with_matches(
        {"line": 5, "text": "The archive is opened\n"},
        {"line": 6, "text": "by the night porter\n"},
    )

    assert quote(calls, "opened by the night porter").spelling == PATH


THREE_LINES = "The archive\nis opened\nby the night porter"


def test_a_match_with_context_begins_at_the_first_line_of_context() -> None:
    """The search found line 7, and shows two lines before it as well."""
    calls = calls_with_matches({"line": 7, "first": 5, "text": THREE_LINES})

    [seen] = seen_texts(calls)
    assert seen.lines == (5,)


def test_a_match_without_context_begins_at_its_line() -> None:
    """Then the first shown line is the one that was found."""
    calls = calls_with_matches({"line": 7, "text": THREE_LINES})

    [seen] = seen_texts(calls)
    assert seen.lines == (7,)


def test_matches_are_one_text_if_the_second_begins_where_the_first_ends() -> None:
    """Together they show lines 5 to 7, so a sentence may go over both."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},  # lines 5 and 6
        {"line": 7, "first": 7, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 1


def test_matches_are_two_texts_if_the_second_begins_within_the_first() -> None:
    """Both show a line 6, with different texts, so they do not fit together."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},  # lines 5 and 6
        {"line": 7, "first": 6, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 2
