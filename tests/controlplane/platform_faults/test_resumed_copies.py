"""A journal is copied in the middle of its run. When the run is over, the old copy is resumed, too.

The copy does not know what has happened since. Still, no trial may be played twice.
"""

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
    refused = protocol_refusal(401, "unauthenticated")
    two_trials_start = reply_to("StartTrial", reply=refused, first_call=3)

    with relayed_platform(tmp_path, two_trials_start) as platform:
        # 1. A run of four trials stops at its third trial, and its journal is copied.
        stopped = platform.command(*SHORT_PATIENCE_RUN, "--concurrency", "1")
        assert stopped.code == Unreachable.exit_code
        shutil.copy(platform.journal, tmp_path / "copy.jsonl")

        # 2. The run is resumed to its end.
        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == OK

        # 3. The copy is resumed, which has only the first two trials.
        resumed_copy = platform.command("resume", "copy.jsonl", "--json")
        platform.benchmark.check_each_effect_happened_once()

    # The copy gets the scores of all trials from the platform.
    scores = list(scores_by_trial(resumed_copy).values())
    assert scores == [1.0, 1.0, 1.0, 1.0]
    # A trial that has ended is not started again, so the last one has no answer in the copy.
    assert resumed_copy.code == A_TRIAL_FAILED
    last_trial = resumed_copy.json["trials"][-1]
    assert "has already ended" in last_trial["reason"]
