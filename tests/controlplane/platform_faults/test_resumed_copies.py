"""A journal is copied in the middle of its run. When the run is over, the old copy is resumed, too.

The copy does not record what has happened since. Still, no effect of a trial may happen twice.
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
    refusal = protocol_refusal(401, "unauthenticated")
    only_two_trials_start = reply_to("StartTrial", reply=refusal, first_call=3)

    with relayed_platform(tmp_path, only_two_trials_start, trials=4) as platform:
        # 1. A run of four trials stops when its third trial cannot start. Its journal is copied.
        stopped = platform.command(*SHORT_PATIENCE_RUN, "--concurrency", "1")
        assert stopped.code == Unreachable.exit_code
        shutil.copy(platform.journal, tmp_path / "copy.jsonl")

        # 2. The run is resumed to its end: trials 3 and 4 are played.
        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == OK

        # 3. The copy is resumed, in which trials 3 and 4 have not started.
        resumed_copy = platform.command("resume", "copy.jsonl", "--json")
        platform.benchmark.check_each_effect_happened_once()

    # The platform has played all four trials, and tells the copy their scores.
    scores = list(scores_by_trial(resumed_copy).values())
    assert scores == [1.0, 1.0, 1.0, 1.0]
    # Trials 3 and 4 cannot start again, so the copy has no answers of theirs: they failed.
    assert resumed_copy.code == A_TRIAL_FAILED
    first, second, third, fourth = resumed_copy.json["trials"]
    assert [first["state"], second["state"]] == ["answered", "answered"]
    assert "has already ended" in third["reason"]
    assert "has already ended" in fourth["reason"]
