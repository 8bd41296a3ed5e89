"""A value that the trial itself wrote into a file is marked as `written`.

    the trial reads      /jonas.md    grade: E3
    the trial writes     /jonas.md    grade: E4
    the answer           Now at E4.           written to /jonas.md:1

No file that it read states E4. The user sees that the trial wrote it.
"""

from __future__ import annotations

from controlplane.gates.support.support_texts import Mark, support_text
from controlplane.gates.support.trial_marker import marker_of
from tests.gates.recorded_calls import CallsOfTrial


def mark_of_grade(calls: CallsOfTrial, *, cited: list[str]) -> Mark:
    """Return the mark of the grade in the answer "Now at E4.", which cites these files."""
    marker = marker_of(
        calls.evidence, question="", cited=cited, context_texts=[], script_runs=[]
    )
    (mark,) = marker.marks("Now at E4.")
    return mark


def test_a_value_that_the_trial_wrote_into_a_cited_file_is_marked_as_written() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")

    mark = mark_of_grade(calls, cited=["/jonas.md"])

    assert mark.support == "written"
    assert support_text(mark) == "written to /jonas.md:1"


def test_a_written_value_counts_only_if_the_file_is_cited() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")

    mark = mark_of_grade(calls, cited=[])

    assert mark.support == "unverified"


def test_a_written_value_does_not_count_after_it_was_undone() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")
    calls.write("/jonas.md", "grade: E3\n")

    mark = mark_of_grade(calls, cited=["/jonas.md"])

    assert mark.support == "unverified"


def test_a_written_value_does_not_count_after_the_file_was_deleted() -> None:
    calls = CallsOfTrial()
    calls.read_text("/jonas.md", "grade: E3\n")
    calls.write("/jonas.md", "grade: E4\n")
    calls.delete("/jonas.md")

    mark = mark_of_grade(calls, cited=["/jonas.md"])

    assert mark.support == "unverified"
