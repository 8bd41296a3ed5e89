"""A run stops if the platform loses one of its four trials. The user may then submit the run.

The platform loses the third trial: from one call on, it refuses all calls about this trial. The run
plays the other three, and suggests two commands: `resume`, and `submit --force`, with which the
lost trial gets the score 0.
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
from tests.controlplane.platform_faults.trial_loss import LossOfThirdTrial

pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.parametrize(
    ("first_refused_call", "refusal"),
    [
        pytest.param("Write", TIMED_OUT, id="write times out"),
        pytest.param("EndTrial", BROKEN, id="end fails"),
        # The option --heavy adds the two other pairs.
        pytest.param("Write", BROKEN, id="write fails", marks=pytest.mark.heavy),
        pytest.param(
            "EndTrial", TIMED_OUT, id="end times out", marks=pytest.mark.heavy
        ),
    ],
)
def test_a_run_with_a_lost_trial_is_submitted_by_the_suggested_command(
    first_refused_call: str,
    refusal: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loss = LossOfThirdTrial(at=first_refused_call, refusal=refusal)
    with losing_platform(tmp_path, loss, monkeypatch) as platform:
        stopped = platform.command(*IMPATIENT_RUN)
        assert stopped.code == Unreachable.exit_code, stopped.err
        resume = suggested_command(stopped, "resume")
        submit = suggested_command(stopped, "submit")

        # `resume` cannot end the lost trial either.
        resumed = platform.command(*resume, "--quiet")
        assert resumed.code == Unreachable.exit_code, resumed.err
        assert suggested_command(resumed, "submit") == submit
        assert len(platform.benchmark.scores) == 3
        assert platform.benchmark.submits == 0

        # `submit --force` scores the lost trial 0, and the others 1.
        submitted = platform.command(*submit, "--json")
        assert submitted.code == 0
        assert submitted.json["submitted"] is True
        assert platform.benchmark.submits == 1
        check_scores(submitted, lost_trial=loss.trial_id)

        resumed_again = platform.command("resume", "last")
        assert resumed_again.code == 0
        assert "nothing to resume" in resumed_again.out
        submitted_again = platform.command("submit", "last")
        assert submitted_again.code == 0
        assert "already submitted" in submitted_again.out
        assert platform.benchmark.submits == 1
