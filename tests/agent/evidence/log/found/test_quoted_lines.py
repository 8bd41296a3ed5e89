"""A sentence that goes over two lines of a file can be quoted if a search has shown both lines.

A search shows single lines. They must be adjacent in the file: lines 4 and 5, "The archive is opened"
and "by the night porter alone.", -> the quotation "is opened by the night porter". Lines 4 and 9 must
not be joined to a sentence that the file does not have.
"""

import pytest

from controlplane.agent.evidence.log.evidence_log import CitedPlace
from tests.agent.evidence.log.found.found_matches import calls_with_lines
from tests.gates.recorded_calls import CallsOfTrial

IN_FILE = CitedPlace("/docs/Loans.md", line=0)
"""A place whose line is unknown, which 0 stands for: a search shows only parts of the file."""


def quote(calls: CallsOfTrial, quotation: str) -> CitedPlace:
    """Cite the file with a quotation. Raises `ValueError` if it is refused."""
    return calls.cite("/docs/Loans.md", "who opens the archive", quotation)


def test_adjacent_lines_can_be_quoted_together_and_alone() -> None:
    calls = calls_with_lines(
        {4: "The archive is opened", 5: "by the night porter alone."}
    )

    assert quote(calls, "is opened by the night porter") == IN_FILE
    assert quote(calls, "The archive is opened") == IN_FILE
    assert quote(calls, "by the night porter alone.") == IN_FILE


def test_adjacent_lines_are_joined_even_if_they_end_with_line_breaks() -> None:
    """Some environments return lines with their line breaks."""
    calls = calls_with_lines({5: "The archive is opened\n", 6: "by the night porter\n"})

    assert quote(calls, "opened by the night porter") == IN_FILE


@pytest.mark.parametrize(
    ("first_line", "second_line"),
    [
        pytest.param(4, 9, id="with other lines between"),
        pytest.param(9, 4, id="in reverse order"),
    ],
)
def test_lines_that_are_not_adjacent_can_only_be_quoted_alone(
    first_line: int, second_line: int
) -> None:
    calls = calls_with_lines(
        {first_line: "The archive is opened", second_line: "by the night porter alone."}
    )

    with pytest.raises(ValueError, match="is not in what was read"):
        quote(calls, "is opened by the night porter")

    assert quote(calls, "The archive is opened") == IN_FILE
    assert quote(calls, "by the night porter alone.") == IN_FILE
