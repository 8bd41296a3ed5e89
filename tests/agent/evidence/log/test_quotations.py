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
"""The gate that rejects a citation if the file does not show what the reason names."""
UNKNOWN_LINE = 0
"""Stands for the line of a quotation from a search, which shows only parts of the file."""
TEXT_WITH_NUMBERS = "Fee 12 34 a\nTotal 5\n6 b"


def quote(calls: CallsOfTrial, quotation: str, path: str = PATH) -> CitedPlace:
    """Cite a file with a quotation, and return the place where it was found.

    Raises `ValueError` if the quotation is refused.
    """
    return calls.cite(path, REASON, quotation)


def test_a_quotation_may_differ_in_blanks_and_case() -> None:
    """Models seldom copy blanks exactly. The file says `12 34 a` in its first line."""
    calls = CallsOfTrial()
    calls.read_text(PATH, TEXT_WITH_NUMBERS)

    assert quote(calls, "12  34A") == CitedPlace(PATH, line=1)


@pytest.mark.parametrize(
    "quotation",
    [
        pytest.param("1234", id="12 and 34, with a blank between"),
        pytest.param("56 b", id="5 and 6, with a line break between"),
    ],
)
def test_two_numbers_are_not_quoted_as_one(quotation: str) -> None:
    """Blanks and line breaks don't count, except between two digits."""
    calls = CallsOfTrial()
    calls.read_text(PATH, TEXT_WITH_NUMBERS)

    with pytest.raises(ValueError, match="is not in what was read"):
        quote(calls, quotation)


# Results of queries
#
# `harness.table("/t.csv")` returns rows of a file, or what a query computes from them. The log gets
# both as a `read` of the file, with the `columns` of the result, and with the `lines` of the file that
# its rows are. A computed result has no such lines.
# --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def calls_with_query() -> CallsOfTrial:
    """Return the calls of a trial whose query counted rows of `/t.csv`. The count, `n`, is 1261."""
    calls = CallsOfTrial()
    query_result = {"content": "n\n1261\n", "columns": ["n"], "lines": []}
    calls.record("read", {"path": "/t.csv"}, query_result)
    return calls


@pytest.mark.parametrize(
    ("reason", "verdict_on_reason"),
    [
        pytest.param("1261 rows lack a time", "pass", id="the count of the query"),
        pytest.param("1262 rows lack a time", "reject", id="another number"),
    ],
)
def test_the_result_of_a_query_justifies_a_citation_of_its_table(
    calls_with_query: CallsOfTrial, reason: str, verdict_on_reason: str
) -> None:
    """The script cites `/t.csv`. The query has counted 1261 rows in it."""
    scratchpad = valid_scratchpad(refs_why={"/t.csv": reason})

    judgement = judge_scratchpad(scratchpad, calls_with_query)

    assert verdict_of(judgement, REASON_GATE).result == verdict_on_reason


def test_the_result_of_a_query_cannot_be_quoted(calls_with_query: CallsOfTrial) -> None:
    """The query has computed 1261. A quotation must be in the file itself."""
    with pytest.raises(ValueError, match="was written or computed by a script"):
        quote(calls_with_query, "1261", path="/t.csv")


# Lines that a search shows
#
# A search shows single lines of a file. Adjacent ones are joined to one text, so that a sentence which
# goes over two lines can be quoted.
# --------------------------------------------------------------------------------------------------------------

FIRST_LINE = "The archive is opened"
SECOND_LINE = "by the night porter alone."
ACROSS_BOTH_LINES = "is opened by the night porter"


def calls_with_matches(*matches: dict[str, object]) -> CallsOfTrial:
    """Return the calls of a trial with one search, which found these places in the file `PATH`.

    A match has its `line` and its `text`. If the text begins with lines before the match, `first`
    is the line where it begins: `{"line": 7, "first": 6, "text": "line 6\\nline 7"}`.
    """
    calls = CallsOfTrial()
    result = {"matches": [{"path": PATH, **match} for match in matches]}
    calls.record("search", {"pattern": "e", "root": "/"}, result)
    return calls


def seen_texts(calls: CallsOfTrial) -> tuple[SeenText, ...]:
    """Return the texts that the trial has seen in the file `PATH`."""
    return calls.access_to(PATH).seen


@pytest.mark.parametrize(("first_line", "second_line"), [(4, 5), (4, 9), (9, 4)])
def test_a_line_that_a_search_shows_can_be_quoted(
    first_line: int, second_line: int
) -> None:
    """The search finds two lines of the file, in any order and at any distance."""
    calls = calls_with_matches(
        {"line": first_line, "text": FIRST_LINE},
        {"line": second_line, "text": SECOND_LINE},
    )

    assert quote(calls, FIRST_LINE) == CitedPlace(PATH, UNKNOWN_LINE)
    assert quote(calls, SECOND_LINE) == CitedPlace(PATH, UNKNOWN_LINE)


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
    """Joined, lines 4 and 9 would make a sentence that the file does not have."""
    calls = calls_with_matches(
        {"line": first_line, "text": FIRST_LINE},
        {"line": second_line, "text": SECOND_LINE},
    )

    with pytest.raises(ValueError, match="is not in what was read"):
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
    """The search found line 7, and shows lines 5 and 6 before it."""
    calls = calls_with_matches({"line": 7, "first": 5, "text": THREE_LINES})

    (seen,) = seen_texts(calls)
    (first_shown_line,) = seen.lines
    assert first_shown_line == 5


def test_a_match_without_context_begins_at_its_line() -> None:
    """The search found a text that goes over three lines and begins at line 7."""
    calls = calls_with_matches({"line": 7, "text": THREE_LINES})

    (seen,) = seen_texts(calls)
    (first_shown_line,) = seen.lines
    assert first_shown_line == 7


def test_matches_are_one_text_if_the_second_begins_where_the_first_ends() -> None:
    """The matches show lines 5 and 6, and line 7, so a sentence may go over both."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},
        {"line": 7, "first": 7, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 1


def test_matches_are_two_texts_if_the_second_begins_within_the_first() -> None:
    """The first match shows lines 5 and 6, and the second one begins at line 6 with another text.
    They do not fit together."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},
        {"line": 7, "first": 6, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 2
