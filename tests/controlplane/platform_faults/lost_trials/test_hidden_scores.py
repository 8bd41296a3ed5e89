"""A platform loses a trial, and also keeps the scores of all trials back for a while.

    run             stops at the lost trial: the platform refuses all calls about it
    submit --force  submits the run without this trial, and waits for the scores

A platform that keeps scores back is called "blind"; this one does so for 0.2 s after the submission.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.losing_platforms import (
    IMPATIENT_RUN,
    losing_platform,
)
from tests.controlplane.platform_faults.lost_trials.lost_trial_commands import (
    BROKEN,
    check_scores,
)
from tests.controlplane.platform_faults.trial_loss import LossOfThirdTrial
from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("short_backoff")


def test_hidden_scores_arrive_later_even_if_a_trial_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lost trial gets the score 0. The platform cannot tell the details of this score."""
    # From the call `EndTrial` on, the platform refuses calls about the third trial.
    loss = LossOfThirdTrial(at="EndTrial", refusal=BROKEN)
    blind_for_a_while = ServerOptions(policy="blind", reveal_after_s=0.2)
    with losing_platform(tmp_path, loss, monkeypatch, blind_for_a_while) as platform:
        stopped = platform.command(*IMPATIENT_RUN)  # It tries a call for 0.5 s only.
        assert stopped.code == Unreachable.exit_code

        submitted = platform.command("submit", "last", "--force", "--json")

    assert submitted.code == 0, submitted.err
    check_scores(submitted, lost_trial=loss.trial_id)
    shown = run_in_process("show", "last", cwd=tmp_path)
    assert f"the details of trial {loss.trial_id} are missing" in shown.out
