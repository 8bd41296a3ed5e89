"""The one line of each event."""

import pytest

from agent.events import Judged, StepDone, VerdictRecord
from controlplane.journal.run_summary import RunSummary
from controlplane.view.event_lines import event_line


@pytest.mark.parametrize(("enforced", "tells"), [(True, True), (False, False)])
def test_a_gate_that_is_switched_off_sends_nothing_back(enforced: bool, tells: bool) -> None:
    verdict = VerdictRecord(
        gate=4, name="citations were read", result="reject", reason="r", enforcement="block" if enforced else "off"
    )
    judged = Judged(
        accepted=not enforced, answer="a", outcome="OUTCOME_OK", refs=(), message="r" * enforced, verdicts=(verdict,)
    )
    line = event_line(StepDone(trial_id="t", step=1, reply="", verdicts=(judged,)), RunSummary())
    assert line is not None
    assert ("sent back by gate 4" in line.plain) is tells
