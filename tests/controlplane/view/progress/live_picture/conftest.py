"""A run of ten trials that is half played, of which the tests look at the picture."""

import pytest

from controlplane.agent.events import ModelAsked, ModelReplied, Noticed
from controlplane.agent.model import Usage
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from tests.controlplane.view.progress.live_picture.drawn_runs import LONG_TRIAL_IDS
from tests.support.run_summaries import end_trial, run_with_trials


@pytest.fixture
def half_played_run() -> RunSummary:
    """A run of ten trials. One is over, and three play; one of these waits for its model."""
    summary = run_with_trials(LONG_TRIAL_IDS[:10], started=4)
    first, second, third, *_ = LONG_TRIAL_IDS
    reply = ModelReplied(
        trial_id=first,
        step=3,
        reply="",
        usage=Usage(prompt_tokens=40_000, completion_tokens=5_200),
        cost_usd=0.25,
    )
    retry = Noticed(trial_id=second, text="HTTP 503; asking again in 1.0 s", retry=True)
    fold_event(summary, ModelAsked(trial_id=first, step=3, messages=2))
    fold_event(summary, reply)
    fold_event(summary, retry)
    end_trial(summary, third, score=0.5)
    return summary
