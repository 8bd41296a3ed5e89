"""A worker of a cluster makes a change only after its announcement is in the journal.

Otherwise a change could be made that a resumed run does not know of, and makes again.
"""

import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.journal.run_events import JournalEvent
from tests.controlplane.workers.cluster_run import cluster_run
from tests.controlplane.workers.worker_events import WriteEvent, announced_change
from tests.support.counting_environment import EACH_EFFECT_ONCE
from tests.support.effect_counter import EffectCounterBenchmark

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


def test_a_worker_makes_no_change_before_it_is_announced_in_the_journal(
    tmp_path: Path, benchmark: EffectCounterBenchmark
) -> None:
    """Before an announcement is written, the test looks whether the change has been made."""
    announced: Counter[str] = Counter()
    early_changes: list[str] = []

    def look_and_write(event: JournalEvent, write: WriteEvent) -> None:
        change = announced_change(event)
        if change in EACH_EFFECT_ONCE:
            time.sleep(0.2)  # A worker that does not wait makes its change meanwhile.
            made = sum(effects[change] for effects in benchmark.effects.values())
            if made > announced[change]:
                early_changes.append(change)
            announced[change] += 1
        write(event)

    with cluster_run(tmp_path / "run.jsonl", concurrency=1) as cluster:
        cluster.on_event = look_and_write
        cluster.play()

    assert announced["write"] == 2  # one in each of two trials
    assert announced["answer"] == 2
    assert early_changes == []
