"""Runs against a "blind" platform, which tells the scores of a submitted run only later.

A run waits for the scores for as long as `--poll-time` says, and then ends without them. That is not
a failure: the command `poll` asks for them again, and adds them to the journal.
"""

import time
from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.platform_faults.platform_commands import OK, scores_by_trial
from tests.controlplane.platform_faults.relayed_platforms import relayed_platform
from tests.support.command import run_in_process
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay.relayed_calls import pass_all

pytestmark = pytest.mark.usefixtures("short_backoff")

REVEAL_AFTER_S = 1.5
"""How long after its submission the platform tells the scores of a run."""


def test_hidden_scores_are_no_failure_and_poll_fetches_them_later(
    tmp_path: Path,
) -> None:
    """The run does not wait for the scores. `poll` is called before and after they are revealed."""
    blind_for_a_while = ServerOptions(policy="blind", reveal_after_s=REVEAL_AFTER_S)

    with relayed_platform(tmp_path, pass_all, blind_for_a_while) as platform:
        run = platform.command(*RUN_EFFECT_COUNTER, "--poll-time", "0", "--json")
        assert run.code == OK, run.err
        scores = list(scores_by_trial(run).values())
        assert scores == [None, None]
        assert run.json["score"] is None

        polled_early = platform.command("poll", "last")
        assert polled_early.code == OK

        time.sleep(REVEAL_AFTER_S + 0.1)
        polled = platform.command("poll", "last", "--json")
        scores = list(scores_by_trial(polled).values())
        assert scores == [1.0, 1.0]

    assert open_journal(platform.journal).summary.trials.mean_score == 1.0
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK
