"""A model endpoint that is down for a while costs a run no trial.

The run makes a refused request again. Waiting for the endpoint does not count as time of the trial.
"""

import time
from pathlib import Path

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.controlplane.model_endpoints.trial_results import scores_of
from tests.support.command import wait_for_exit, wait_until
from tests.support.phonebook_model import respond


def test_an_endpoint_that_is_down_for_a_while_costs_no_trial(
    tmp_path: Path, heavy: bool
) -> None:
    """The endpoint goes away in the middle of the first trials, for longer than a trial may take,
    and comes back. Waiting for it does not count as time of the trial."""
    away_s = 60.0 if heavy else 4.0
    repeats = 34 if heavy else 3
    trials_at_once = 10 if heavy else 4

    with phonebook_endpoint(tmp_path, respond) as endpoint:
        process = endpoint.start_command(
            *PHONEBOOK_RUN,
            "--repeats",
            str(repeats),
            "--concurrency",
            str(trials_at_once),
            "--trial-time",
            "3.5",
            "--json",
        )
        wait_until(lambda: len(endpoint.server.asked) >= 6)
        endpoint.server.close()
        time.sleep(away_s)
        endpoint.server.open()
        result = wait_for_exit(process)

    assert result.code == 0, result.err
    assert scores_of(result) == [1.0] * (3 * repeats)  # each of three tasks
    assert result.json["retries"] > 0
