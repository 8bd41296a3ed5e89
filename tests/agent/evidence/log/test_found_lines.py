"""Quotations from a search, which shows single lines of a file.

A sentence may go over two lines. It can be quoted if the search has shown both, and they are
adjacent in the file:

    line 4  The archive is opened
    line 5  by the night porter alone.   -> "is opened by the night porter"

Lines 4 and 9 must not be joined to a sentence that the file does not have.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.log.citing.citations import CitedPlace
from controlplane.agent.evidence.paths.seen_texts import TEXT_OVERHEAD_BYTES
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import bounds
from tests.gates.recorded_calls import CallsOfTrial


def calls_with_matches(*matches: dict[str, object]) -> CallsOfTrial:
    """Return the calls of a trial with one search, which found places in the file `/docs/Loans.md`.

    A match has its `line` and its `text`. If the text begins with lines before the match, `first`
    is the line where it begins: `{"line": 7, "first": 6, "text": "line 6\\nline 7"}`.
    """
    found: list[dict[str, object]] = []
    for match in matches:
        found.append({"path": "/docs/Loans.md", **match})
    calls = CallsOfTrial()
    calls.record("search", {"pattern": "e", "root": "/"}, {"matches": found})
    return calls


def quote(calls: CallsOfTrial, quotation: str) -> CitedPlace:
    """Cite the file with a quotation. Raises `ValueError` if it is refused."""
    return calls.cite("/docs/Loans.md", "who opens the archive", quotation)


class TestQuotedLines:
    """A sentence that goes over two found lines can be quoted if they are adjacent.

    A match is a line that the search has found, such as `{"line": 4, "text": "The archive is
    opened"}`. Lines 4 and 5 are adjacent, and lines 4 and 9 are not.
    """

    @pytest.mark.parametrize(
        ("first_line", "second_line"),
        [
            pytest.param(4, 5, id="adjacent lines"),
            pytest.param(4, 9, id="lines that are not adjacent"),
            pytest.param(9, 4, id="lines in reverse order"),
        ],
    )
    def test_a_line_that_a_search_shows_can_be_quoted(
        self, first_line: int, second_line: int
    ) -> None:
        """The place has the line 0, which stands for an unknown line: a search shows only parts of
        the file."""
        calls = calls_with_matches(
            {"line": first_line, "text": "The archive is opened"},
            {"line": second_line, "text": "by the night porter alone."},
        )

        place_of_first = quote(calls, "The archive is opened")
        place_of_second = quote(calls, "by the night porter alone.")

        assert place_of_first == CitedPlace("/docs/Loans.md", line=0)
        assert place_of_second == CitedPlace("/docs/Loans.md", line=0)

    def test_adjacent_lines_can_be_quoted_together(self) -> None:
        calls = calls_with_matches(
            {"line": 4, "text": "The archive is opened"},
            {"line": 5, "text": "by the night porter alone."},
        )

        cited_place = quote(calls, "is opened by the night porter")

        assert cited_place.spelling == "/docs/Loans.md"

    @pytest.mark.parametrize(
        ("first_line", "second_line"),
        [
            pytest.param(4, 9, id="with other lines between"),
            pytest.param(9, 4, id="in reverse order"),
        ],
    )
    def test_lines_that_are_not_adjacent_cannot_be_quoted_together(
        self, first_line: int, second_line: int
    ) -> None:
        calls = calls_with_matches(
            {"line": first_line, "text": "The archive is opened"},
            {"line": second_line, "text": "by the night porter alone."},
        )

        with pytest.raises(ValueError, match="is not in what was read"):
            quote(calls, "is opened by the night porter")

    def test_adjacent_lines_are_joined_even_if_they_end_with_line_breaks(self) -> None:
        """Some environments return lines with their line breaks."""
        calls = calls_with_matches(
            {"line": 5, "text": "The archive is opened\n"},
            {"line": 6, "text": "by the night porter\n"},
        )

        cited_place = quote(calls, "opened by the night porter")

        assert cited_place.spelling == "/docs/Loans.md"


def seen_texts(calls: CallsOfTrial) -> tuple[SeenText, ...]:
    """Return the texts that the trial has seen in the file. Adjacent matches are one text."""
    return calls.access_to("/docs/Loans.md").seen


class TestMatchesOfSeveralLines:
    """A match may have several lines, and matches without a gap are one text.

    `line` is where the found text begins. If the search shows lines before it, too, `first` is the
    first of them: `{"line": 7, "first": 6, "text": "line 6\\nline 7"}`.
    """

    def test_a_match_with_context_begins_at_the_first_line_of_context(self) -> None:
        """The search found line 7, and shows lines 5 and 6 before it."""
        calls = calls_with_matches(
            {
                "line": 7,
                "first": 5,
                "text": "The archive\nis opened\nby the night porter",
            }
        )

        (seen,) = seen_texts(calls)
        (first_shown_line,) = seen.lines
        assert first_shown_line == 5

    def test_a_match_without_context_begins_at_its_line(self) -> None:
        """The search found a text that goes over three lines and begins at line 7."""
        calls = calls_with_matches(
            {"line": 7, "text": "The archive\nis opened\nby the night porter"}
        )

        (seen,) = seen_texts(calls)
        (first_shown_line,) = seen.lines
        assert first_shown_line == 7

    def test_matches_are_one_text_if_the_second_begins_where_the_first_ends(
        self,
    ) -> None:
        """The matches show lines 5 and 6, and line 7, so a sentence may go over both."""
        calls = calls_with_matches(
            {"line": 5, "first": 5, "text": "The archive\nis opened"},
            {"line": 7, "first": 7, "text": "by the night porter"},
        )

        assert len(seen_texts(calls)) == 1

    def test_matches_are_two_texts_if_the_second_begins_within_the_first(self) -> None:
        """The first match shows lines 5 and 6, and the second one begins at line 6 with another
        text. They do not fit together."""
        calls = calls_with_matches(
            {"line": 5, "first": 5, "text": "The archive\nis opened"},
            {"line": 7, "first": 6, "text": "by the night porter"},
        )

        assert len(seen_texts(calls)) == 2

    def test_equal_lines_of_two_files_keep_their_own_numbers(self) -> None:
        """Both files have a line `fee: 70`, which is line 3 of the one, and line 9 of the other."""
        calls = CallsOfTrial()
        matches = [
            {"path": "/docs/a.md", "line": 3, "text": "fee: 70"},
            {"path": "/docs/b.md", "line": 9, "text": "fee: 70"},
        ]
        calls.record("search", {"path": "/", "pattern": "fee"}, {"matches": matches})

        (first,) = calls.access_to("/docs/a.md").seen
        (second,) = calls.access_to("/docs/b.md").seen
        assert first.lines == (3,)
        assert second.lines == (9,)

    def test_equal_lines_of_a_file_take_no_room_from_other_texts(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """There is room for one line of the log, and for the file that is read after the search."""
        room_bytes = len("state: open") + TEXT_OVERHEAD_BYTES + len("fee: 70")
        monkeypatch.setattr(bounds, "MOST_EVIDENCE_BYTES", room_bytes)
        calls = CallsOfTrial()
        matches = [
            {"path": "/log.txt", "line": 3, "text": "state: open"},
            {"path": "/log.txt", "line": 9, "text": "state: open"},
        ]
        calls.record("search", {"path": "/", "pattern": "open"}, {"matches": matches})
        calls.read_text("/docs/a.md", "fee: 70")

        (seen,) = calls.access_to("/docs/a.md").seen
        assert seen.text == "fee: 70"
