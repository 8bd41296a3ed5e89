"""A resumed trial that differs from its record: by a limit that was lowered, or by another call.

The record has the calls of a whole trial, and not the end of its step: a read with a path that is too
long, the read of a mail, a payment that the user has refused, and one that was made.
"""

import pytest

from controlplane.agent.evidence import RecordDiverged
from tests.agent.evidence.tape.paying_trial import PayingTrial


def test_recorded_calls_may_exceed_a_limit_that_was_lowered_since() -> None:
    """The record has two calls that were made. With the new limit of one call, the second would be
    refused if it were not recorded."""
    whole = PayingTrial().run()
    *events_of_calls, _step_done = whole.events

    resumed = PayingTrial(events_of_calls)
    resumed.session.calls.limit.max_calls = 1
    resumed.run()

    assert resumed.results == whole.results
    assert resumed.paid == []


def test_a_resumed_trial_that_makes_another_call_is_refused() -> None:
    """The first recorded call is a read at a path that is too long. The resumed trial reads the
    mail first."""
    whole = PayingTrial().run()
    *events_of_calls, _step_done = whole.events

    resumed = PayingTrial(events_of_calls)
    with pytest.raises(RecordDiverged, match="step 1 does not go as recorded"):
        resumed.call("read", path="/mail/m1.md")

    assert resumed.paid == []
