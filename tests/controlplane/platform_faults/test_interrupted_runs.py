"""A run of six trials is interrupted by Ctrl-C once the first has its score, and is given up or resumed.

Some trials are answered then, at most one is cut off in the middle, and the others have not begun.
`submit --force` ends the run without them.
"""

import signal
from pathlib import Path
from statistics import fmean

import pytest

from controlplane.errors import UsageError
from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.platform_commands import (
    OK,
    Platform,
    scores_by_trial,
)
from tests.support.command import run_in_process, wait_for_exit, wait_until
from tests.support.effect_counter import RUN_EFFECT_COUNTER

pytestmark = pytest.mark.usefixtures("short_backoff")


def interrupt_after_first_score(
    platform: Platform, *run_command: str, **variables: str
) -> None:
    """Start a run that plays its trials in turn, and interrupt it once a trial has its score."""
    run = platform.start_command(*run_command, "--concurrency", "1", **variables)
    wait_until(lambda: bool(platform.benchmark.scores))
    run.send_signal(signal.SIGINT)
    wait_for_exit(run)


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


def test_a_run_is_resumed_on_the_host_where_it_was_started(tmp_path: Path) -> None:
    """`run --benchmark bitgn` takes the host from BITGN_HOST and the benchmark's name from BENCH_ID,
    and the journal records both. When the run is resumed, BITGN_HOST is another host."""
    # "--benchmark bitgn" instead of "--benchmark bitgn:tally"
    run_command = [word.removesuffix(":tally") for word in RUN_EFFECT_COUNTER]

    with faulty_platform(tmp_path, trials=6) as platform:
        interrupt_after_first_score(platform, *run_command, BENCH_ID="tally")

        resumed = run_in_process(
            "resume",
            "last",
            cwd=tmp_path,
            BITGN_HOST="http://127.0.0.1:9",
            BITGN_API_KEY="k",
        )

        assert resumed.code == OK
        assert platform.benchmark.submits == 1
