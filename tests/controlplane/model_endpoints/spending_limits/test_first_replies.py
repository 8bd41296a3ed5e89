"""Trials do not all ask the model before a first reply shows what it costs.

A reply has 1,100 tokens and costs $0.002, which is known only when it is there. The limit of the
run is about one reply and a half: after the first reply, the rest is too little for a second one.
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
    ("option", "limit"),
    [
        pytest.param("--run-cost", "0.003", id="cost"),
        pytest.param("--max-tokens-run", "1500", id="tokens"),
    ],
)
def test_trials_do_not_all_ask_before_a_first_reply_shows_its_cost(
    tmp_path: Path, option: str, limit: str
) -> None:
    """Four trials want to ask at the same time. One does, and the others never come to it."""
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        stopped = play_six_trials(endpoint, "--concurrency", "4", option, limit)
        assert stopped.code == BudgetExhausted.exit_code
        assert len(endpoint.server.asked) == 1

        resumed = endpoint.command("resume", "last", "--json", option, "90000")

    assert resumed.code == 0
    assert states_of(resumed) == ["answered"] * 6
    assert resumed.json["mean_score"] == 1.0
