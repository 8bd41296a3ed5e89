"""An interrupted run is submitted only by `submit --force`, which gives up its open trials.

Six trials are played in turn, until the first has its score. The mean score is that of the trials that
were answered: "over 2 of 6 trials · 4 cut off".
"""

from pathlib import Path
from statistics import fmean

import pytest

from controlplane.errors import UsageError
from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.interrupted_runs.interrupted_run import (
    interrupt_after_first_score,
)
from tests.controlplane.platform_faults.platform_commands import scores_by_trial
from tests.support.command import run_in_process
from tests.support.effect_counter import RUN_EFFECT_COUNTER

pytestmark = pytest.mark.usefixtures("short_backoff")


def test_a_run_with_open_trials_is_submitted_only_when_forced(tmp_path: Path) -> None:
    with faulty_platform(tmp_path, trials=6) as platform:
        interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)

        refused = platform.command("submit", "last")
        assert refused.code == UsageError.exit_code
        assert "--force" in refused.err
        assert platform.benchmark.submits == 0

        forced = platform.command("submit", "last", "--force", "--json")
        assert platform.benchmark.submits == 1
        assert forced.json["submitted"]


def test_the_mean_score_of_a_forced_run_is_that_of_its_answered_trials(
    tmp_path: Path,
) -> None:
    """The platform scores the other trials with 0, but they do not count: it is not known how they
    would have ended. How many there are depends on the moment of the interrupt."""
    with faulty_platform(tmp_path, trials=6) as platform:
        interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)
        forced = platform.command("submit", "last", "--force", "--json")

    assert set(scores_by_trial(forced).values()) <= {0.0, 1.0}
    scores_of_answered = [
        trial["score"]
        for trial in forced.json["trials"]
        if trial["state"] == "answered"
    ]
    answered = len(scores_of_answered)
    assert 0 < answered < 6
    assert forced.json["trials_scored"] == answered
    assert forced.json["mean_score"] == fmean(scores_of_answered)

    cut_off = 6 - answered
    shown = run_in_process("show", "last", cwd=tmp_path)
    assert f"over {answered} of 6 trials · {cut_off} cut off" in shown.out

    compared = run_in_process("compare", "last", "last", "--json", cwd=tmp_path)
    assert len(compared.json["tasks"]) == answered
    assert len(compared.json["without_score"]) == cut_off
