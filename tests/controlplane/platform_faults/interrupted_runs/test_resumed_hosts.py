"""An interrupted run is resumed on the host where it was started.

`run --benchmark bitgn` takes the host from BITGN_HOST and the benchmark's name from BENCH_ID, and the
journal records both. When the run is resumed, BITGN_HOST is another host.
"""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.interrupted_runs.interrupted_run import (
    interrupt_after_first_score,
)
from tests.support.command import run_in_process
from tests.support.effect_counter import RUN_EFFECT_COUNTER

pytestmark = pytest.mark.usefixtures("short_backoff")


def test_a_run_is_resumed_on_the_host_where_it_was_started(tmp_path: Path) -> None:
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

        assert resumed.code == 0
        assert platform.benchmark.submits == 1
