"""Findings that come from another process are read with care."""

import pytest

from agent.submission.judging_data import findings_data, findings_of
from gates import Case, Submission, find_faults
from gates.types import Evidence


@pytest.mark.parametrize("data", [None, [], [[], [1]], [[[1, "x", "skipped", ""]], []], [[[1, "x", "pass"]], []], {}])
def test_findings_of_another_form_are_none(data: object) -> None:
    with pytest.raises(ValueError, match="another form"):
        findings_of(data)


def test_findings_of_other_gates_and_rules_than_those_that_were_asked_are_none() -> None:
    found = find_faults(Submission(answer="7"), Evidence(), Case("How many?"))
    assert findings_of(findings_data(found)) == found
    rows, hints = findings_data(found)
    for forged in (rows[1:], rows[::-1], [*rows, [0, "ecom/sku", "pass", ""]]):
        with pytest.raises(ValueError, match="another form"):
            findings_of([forged, hints])
    with pytest.raises(ValueError, match="another form"):
        findings_of([rows, hints], ("ecom",))
