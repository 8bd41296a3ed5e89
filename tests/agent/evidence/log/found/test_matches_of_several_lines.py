r"""A match of a search may have several lines, and matches without a gap are one text.

`line` is where the found text begins. If the search shows lines before it, too, `first` is the first of
them: `{"line": 7, "first": 6, "text": "line 6\nline 7"}`.
"""

from controlplane.gates.trial.accesses import SeenText
from tests.agent.evidence.log.found.found_matches import calls_with_matches
from tests.gates.recorded_calls import CallsOfTrial


def seen_texts(calls: CallsOfTrial) -> tuple[SeenText, ...]:
    """Return the texts that the trial has seen in the file. Adjacent matches are one text."""
    return calls.access_to("/docs/Loans.md").seen


def test_a_match_with_context_begins_at_the_first_line_of_context() -> None:
    """The search found line 7, and shows lines 5 and 6 before it."""
    calls = calls_with_matches(
        {"line": 7, "first": 5, "text": "The archive\nis opened\nby the night porter"}
    )

    (seen,) = seen_texts(calls)
    assert seen.lines == (5,)


def test_a_match_without_context_begins_at_its_line() -> None:
    """The search found a text that goes over three lines and begins at line 7."""
    calls = calls_with_matches(
        {"line": 7, "text": "The archive\nis opened\nby the night porter"}
    )

    (seen,) = seen_texts(calls)
    assert seen.lines == (7,)


def test_matches_are_one_text_if_the_second_begins_where_the_first_ends() -> None:
    """The matches show lines 5 and 6, and line 7, so a sentence may go over both."""
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
