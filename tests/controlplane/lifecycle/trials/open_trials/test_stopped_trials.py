"""A trial that is stopped in the middle stays open, so that it can be resumed later.

When a run stops, it raises an error in its trials: `LeftOpen` from a call, or `Abandoned` from a
request to a model. The error alone decides: a trial stays open even if it meets the error in a run
that does not stop, as here.
"""

from __future__ import annotations

import pytest

from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import Abandoned
from tests.controlplane.lifecycle.trials.played_trial import play_trial
from tests.support.phonebook import Phonebook


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(LeftOpen(), id="during a call"),
        pytest.param(
            Abandoned("stopped", retryable=False), id="during a request to the model"
        ),
    ],
)
def test_a_trial_that_was_stopped_stays_open_even_if_the_run_goes_on(
    error: Exception,
) -> None:
    def wait_in_vain(session: TrialSession) -> None:
        raise error

    played = play_trial(Phonebook(delay_s=0.0), before_answer=wait_in_vain)

    assert "trial_left_open" in played.event_types
    assert played.sent_answers == []
    assert "trial_ended" not in played.event_types
