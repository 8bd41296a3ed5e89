"""A run that has stopped at its limit goes on with a higher one, and pays for no reply twice.

    run --run-cost 0.007    ->    resume last --run-cost 1000000

A reply costs $0.002 and has 1,100 tokens, and a trial takes two replies. Six trials are played in
turn. The limit allows three replies, so that the run stops in the middle of its second trial.
"""

from pathlib import Path

import pytest

from tests.controlplane.model_endpoints.phonebook_endpoint import phonebook_endpoint
from tests.controlplane.model_endpoints.spending_limits.six_trials import (
    play_six_trials,
)
from tests.controlplane.model_endpoints.trial_results import states_of
from tests.support.command import run_in_process
from tests.support.phonebook_model import respond_with_usage


@pytest.mark.parametrize(
    ("option", "limit"),
    [
        pytest.param("--run-cost", "0.007", id="cost"),
        pytest.param("--max-tokens-run", "3500", id="tokens"),
    ],
)
def test_a_stopped_run_goes_on_with_a_higher_limit(
    tmp_path: Path, option: str, limit: str
) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        play_six_trials(endpoint, "--concurrency", "1", option, limit)
        resumed = endpoint.command("resume", "last", "--json", option, "1000000")

    assert states_of(resumed) == ["answered"] * 6
    replies_of_a_trial = 2
    assert len(endpoint.server.asked) == 6 * replies_of_a_trial
    assert resumed.json["submitted"] is True
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0
