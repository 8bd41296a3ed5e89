"""`--trial-cost 0.003` limits what each trial of a run may cost.

The limit allows one reply and a half, so no trial can be finished. Each gets a fallback, an answer of
the product, and the run goes on to its end.
"""

from pathlib import Path

from controlplane.errors import BudgetExhausted
from tests.controlplane.model_endpoints.phonebook_endpoint import phonebook_endpoint
from tests.controlplane.model_endpoints.spending_limits.six_trials import (
    play_six_trials,
)
from tests.controlplane.model_endpoints.trial_results import states_of
from tests.support.phonebook_model import respond_with_usage


def test_a_trial_has_a_limit_of_its_own(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = play_six_trials(endpoint, "--concurrency", "1", "--trial-cost", "0.003")

    assert states_of(run) == ["fallback"] * 6
    assert run.code == BudgetExhausted.exit_code
    assert "--trial-cost" in run.json["trials"][0]["reason"]
    assert run.json["submitted"] is True
