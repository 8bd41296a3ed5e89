"""A copy of a journal is resumed although the run has ended by the journal itself."""

import shutil
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.platform_commands import (
    A_TRIAL_FAILED,
    OK,
    scores_by_trial,
)
from tests.controlplane.platform_faults.relayed_platforms import (
    SHORT_PATIENCE_RUN,
    relayed_platform,
)
from tests.controlplane.platform_faults.reply_rules import reply_to
from tests.support.relay.relayed_calls import protocol_refusal


@pytest.mark.usefixtures("short_backoff")
def test_resuming_a_copy_of_an_older_journal_repeats_no_effect(tmp_path: Path) -> None:
    third_start_refused = reply_to(
        "StartTrial", reply=protocol_refusal(401, "unauthenticated"), first=3
    )
    with relayed_platform(tmp_path, third_start_refused) as platform:
        # 1. A run of four trials stops at its third trial, and its journal is copied.
        stopped = platform.command(*SHORT_PATIENCE_RUN, "--concurrency", "1")
        assert stopped.code == Unreachable.exit_code
        shutil.copy(platform.journal, tmp_path / "copy.jsonl")

        # 2. The run is resumed to its end.
        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == OK

        # 3. The copy is resumed, which does not know that all trials have ended.
        resumed_copy = platform.command("resume", "copy.jsonl", "--json")
        platform.benchmark.check_each_effect_happened_once()

    # The platform tells the copy the scores of all trials, but does not start a trial again that has
    # ended. So the last trial counts as failed in the copy: it has a score and no answer.
    assert resumed_copy.code == A_TRIAL_FAILED
    scores = list(scores_by_trial(resumed_copy).values())
    assert scores == [1.0, 1.0, 1.0, 1.0]
    last_trial = resumed_copy.json["trials"][-1]
    assert "has already ended" in last_trial["reason"]
