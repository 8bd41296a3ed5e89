"""A run stops before a reply that may pass its limit, and proposes a higher limit.

    --run-cost 0.007    ->    the run has spent $0.006, and its next reply may pass its limit of $0.007

Six trials are played in turn, with a limit of three replies and a half, in dollars or in tokens. The
first trial takes two replies, and the second trial one.
"""

from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted
from tests.controlplane.model_endpoints.phonebook_endpoint import phonebook_endpoint
from tests.controlplane.model_endpoints.spending_limits.six_trials import (
    play_six_trials,
)
from tests.controlplane.model_endpoints.trial_results import states_of
from tests.support.phonebook_model import respond_with_usage


@pytest.mark.parametrize(
    ("option", "limit", "message", "remedy"),
    [
        pytest.param(
            "--run-cost",
            "0.007",
            "the run has spent $0.006, and its next reply may pass its limit of $0.007",
            "--run-cost 0.014",
            id="cost",
        ),
        pytest.param(
            "--max-tokens-run",
            "3500",
            "the run has spent 3,300 tokens, and its next reply may pass its limit of 3,500 tokens",
            "--max-tokens-run 7000",
            id="tokens",
        ),
    ],
)
def test_a_run_stops_at_its_limit_and_proposes_the_double_one(
    tmp_path: Path, option: str, limit: str, message: str, remedy: str
) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        stopped = play_six_trials(endpoint, "--concurrency", "1", option, limit)

    assert stopped.code == BudgetExhausted.exit_code
    assert message in stopped.json["error"]
    assert stopped.json["error"].endswith(f" {remedy}")
    assert len(endpoint.server.asked) == 3
    waiting = ["waiting"] * 4
    assert states_of(stopped) == ["answered", "open", *waiting]
    assert stopped.json["trials_scored"] == 1
    assert stopped.json["mean_score"] == 1.0
    _, open_trial, *_ = stopped.json["trials"]
    assert message in open_trial["reason"]
