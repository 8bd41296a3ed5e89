"""A run whose platform loses one of four trials stops, and is submitted without that trial.

The platform refuses all calls of the third trial from one of its calls on. The run plays the other
three, and suggests two commands: `resume`, and `submit --force`, which scores the lost trial 0.
"""

from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.losing_platforms import (
    IMPATIENT_RUN,
    losing_platform,
)
from tests.controlplane.platform_faults.lost_trials.lost_trial_commands import (
    BROKEN,
    TIMED_OUT,
    check_scores,
    suggested_command,
)
from tests.controlplane.platform_faults.relayed_platforms import TRIALS_BEHIND_RELAY
from tests.controlplane.platform_faults.trial_loss import LossOfThirdTrial

pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.parametrize(
    ("method", "refusal"),
    [
        pytest.param("Write", TIMED_OUT, id="timed out, at a write"),
        pytest.param("EndTrial", BROKEN, id="broken, at its end"),
        pytest.param("Write", BROKEN, id="broken, at a write", marks=pytest.mark.heavy),
        pytest.param(
            "EndTrial", TIMED_OUT, id="timed out, at its end", marks=pytest.mark.heavy
        ),
    ],
)
def test_a_run_with_a_lost_trial_is_submitted_by_the_suggested_command(
    method: str,
    refusal: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loss = LossOfThirdTrial(at=method, refusal=refusal)
    with losing_platform(tmp_path, loss, monkeypatch) as platform:
        stopped = platform.command(*IMPATIENT_RUN)
        assert stopped.code == Unreachable.exit_code, stopped.err
        resume = suggested_command(stopped, "resume")
        submit = suggested_command(stopped, "submit")

        # `resume` cannot end the lost trial either.
        resumed = platform.command(*resume, "--quiet")
        assert resumed.code == Unreachable.exit_code, resumed.err
        assert suggested_command(resumed, "submit") == submit
        assert len(platform.benchmark.scores) == TRIALS_BEHIND_RELAY - 1
        assert platform.benchmark.submits == 0

        # `submit --force` scores the lost trial 0, and keeps the scores of all others.
        submitted = platform.command(*submit, "--json")
        assert submitted.code == 0
        assert submitted.json["submitted"] is True
        assert platform.benchmark.submits == 1
        check_scores(submitted, lost_trial=loss.trial_id)

        # Now there is nothing left to do.
        resumed_again = platform.command("resume", "last")
        assert resumed_again.code == 0
        assert "nothing to resume" in resumed_again.out
        submitted_again = platform.command("submit", "last")
        assert submitted_again.code == 0
        assert "already submitted" in submitted_again.out
        assert platform.benchmark.submits == 1
