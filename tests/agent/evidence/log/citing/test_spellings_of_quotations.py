"""A quotation may differ from the text of the cited file in blanks and case, and in nothing else.

A script cites a file with a quotation: `cite("/docs/Loans.md", reason, "opened by the porter")`. It is
looked for in the texts that calls have shown of this file. Here the file says "Fee 12 34 a", "Total 5"
and "6 b", in three lines.
"""

import pytest

from controlplane.agent.evidence.log.evidence_log import CitedPlace
from tests.gates.recorded_calls import CallsOfTrial


def test_a_quotation_may_differ_in_blanks_and_case() -> None:
    """Models seldom copy blanks exactly."""
    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "Fee 12 34 a\nTotal 5\n6 b")

    cited_place = calls.cite("/docs/Loans.md", "what the fee is", "12  34A")

    assert cited_place == CitedPlace("/docs/Loans.md", line=1)


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
    calls.read_text("/docs/Loans.md", "Fee 12 34 a\nTotal 5\n6 b")

    with pytest.raises(ValueError, match="is not in what was read"):
        calls.cite("/docs/Loans.md", "what the fee is", quotation)
