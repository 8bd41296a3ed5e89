"""Runs against a platform that loses a trial: it refuses all further calls of this trial.

A run cannot end such a trial, so it stops, and suggests to resume it later, or to submit it without
the trial. Nothing that other trials have done may be lost.
"""

import re
import shlex
from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.losing_platforms import (
    IMPATIENT_RUN,
    losing_platform,
)
from tests.controlplane.platform_faults.platform_commands import OK, scores_by_trial
from tests.controlplane.platform_faults.relayed_platforms import TRIALS_BEHIND_RELAY
from tests.controlplane.platform_faults.trial_loss import LossOfThirdTrial
from tests.support.command import CommandResult, run_in_process
from tests.support.relay.relayed_calls import protocol_refusal

pytestmark = pytest.mark.usefixtures("short_backoff")

TIMED_OUT = protocol_refusal(504, "deadline_exceeded", "the trial is gone")

BROKEN = protocol_refusal(500, "internal", "the trial is gone")
"""The platform's replies to the calls of a trial that it has lost."""


def suggested_command(result: CommandResult, verb: str) -> list[str]:
    """Return the command with this verb that the error line suggests: `["submit", "runs/..."]`."""
    (error_line,) = result.err.strip().splitlines()
    (words,) = re.findall(rf"controlplane ({verb} \S+(?: --force)?)", error_line)
    return shlex.split(words)


def check_scores(submitted: CommandResult, *, lost_trial: str) -> None:
    """Assert that a submitted run lists its four trials in the order of their tasks, and that they
    have the score 1, but the lost trial has the score 0."""
    tasks = [trial["task_id"] for trial in submitted.json["trials"]]
    assert tasks == ["tally.0", "tally.1", "tally.2", "tally.3"]

    scores = scores_by_trial(submitted)
    assert scores.pop(lost_trial) == 0.0
    assert list(scores.values()) == [1.0, 1.0, 1.0]


class TestLostTrials:
    """The third of four trials is lost: from one of its calls on, the platform refuses all.

    1. The run plays the other three, cannot end the lost one, and stops.
    2. Its error line suggests `resume`, and `submit --force`, which scores the lost trial 0.

    `IMPATIENT_RUN` gives up every call after 0.5 s.
    """

    @pytest.mark.parametrize(
        ("method", "refusal"),
        [
            pytest.param("Write", TIMED_OUT, id="timed out, at a write"),
            pytest.param("EndTrial", BROKEN, id="broken, at its end"),
            pytest.param(
                "Write", BROKEN, id="broken, at a write", marks=pytest.mark.heavy
            ),
            pytest.param(
                "EndTrial",
                TIMED_OUT,
                id="timed out, at its end",
                marks=pytest.mark.heavy,
            ),
        ],
    )
    def test_a_run_with_a_lost_trial_is_submitted_by_the_suggested_command(
        self,
        method: str,
        refusal: bytes,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The run stops, since it cannot end the lost trial, and suggests two commands. The test
        calls both, and then both again."""
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
            assert submitted.code == OK
            assert submitted.json["submitted"] is True
            assert platform.benchmark.submits == 1
            check_scores(submitted, lost_trial=loss.trial_id)

            # Now there is nothing left to do.
            resumed_again = platform.command("resume", "last")
            assert resumed_again.code == OK
            assert "nothing to resume" in resumed_again.out
            submitted_again = platform.command("submit", "last")
            assert submitted_again.code == OK
            assert "already submitted" in submitted_again.out
            assert platform.benchmark.submits == 1


class TestHiddenScores:
    """A platform hides the scores of a submitted run for 0.2 s, and has lost a trial of it.

    Such a platform is called "blind". The run is submitted by `submit --force`, which waits for
    the scores.
    """

    def test_hidden_scores_arrive_later_even_if_a_trial_is_lost(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The lost trial gets a score, too, but the platform cannot tell the details."""
        loss = LossOfThirdTrial(at="EndTrial", refusal=BROKEN)
        blind_for_a_while = ServerOptions(policy="blind", reveal_after_s=0.2)
        with losing_platform(
            tmp_path, loss, monkeypatch, blind_for_a_while
        ) as platform:
            stopped = platform.command(*IMPATIENT_RUN)
            assert stopped.code == Unreachable.exit_code

            submitted = platform.command("submit", "last", "--force", "--json")

        assert submitted.code == OK, submitted.err
        check_scores(submitted, lost_trial=loss.trial_id)
        shown = run_in_process("show", "last", cwd=tmp_path)
        assert f"the details of trial {loss.trial_id} are missing" in shown.out
