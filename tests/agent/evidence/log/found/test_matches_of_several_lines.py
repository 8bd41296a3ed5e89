r"""A search shows texts of several lines. Adjacent ones are put together.

A *match* is a place that the search has found. Its text begins at `line`, or, if lines before the place
are shown as well, at `first`:

    {"line": 7, "first": 6, "text": "line 6\nline 7"}
"""

from controlplane.gates.trial import SeenText
from tests.agent.evidence.log.found.found_matches import calls_with_matches
from tests.gates.recorded_calls import CallsOfTrial


def seen_texts(calls: CallsOfTrial) -> tuple[SeenText, ...]:
    """Return the texts that the trial has seen in the file."""
    return calls.access_to("/docs/Loans.md").seen


def test_a_match_with_context_begins_at_the_first_line_of_context() -> None:
    """The search found line 7, and shows lines 5 and 6 before it."""
    calls = calls_with_matches(
        {"line": 7, "first": 5, "text": "The archive\nis opened\nby the night porter"}
    )

    (seen,) = seen_texts(calls)
    (first_line,) = seen.lines
    assert first_line == 5


def test_a_match_without_context_begins_at_its_line() -> None:
    """The search found a text that goes over three lines and begins at line 7."""
    calls = calls_with_matches(
        {"line": 7, "text": "The archive\nis opened\nby the night porter"}
    )

    (seen,) = seen_texts(calls)
    (first_line,) = seen.lines
    assert first_line == 7


def test_matches_are_one_text_if_the_second_begins_in_the_next_line() -> None:
    """The first match shows lines 5 and 6, and the second one line 7. A sentence may go over all three."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},
        {"line": 7, "first": 7, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 1


def test_matches_are_two_texts_if_the_second_begins_within_the_first() -> None:
    """The first match shows lines 5 and 6, and the second one begins at line 6 with another
    text. They do not fit together."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},
        {"line": 7, "first": 6, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 2
