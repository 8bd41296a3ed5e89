"""One signal, as by Ctrl-C, ends a run that waits for its very first call.

The platform is unavailable, so that the run has not begun: there is no journal, and nothing to resume.
"""

import signal
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.platform_faults.relayed_platforms import relayed_platform
from tests.controlplane.platform_faults.reply_rules import UNAVAILABLE, reply_to
from tests.support.command import wait_for_exit, wait_until
from tests.support.effect_counter import RUN_EFFECT_COUNTER

pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.parametrize(
    "stop_signal",
    [
        pytest.param(signal.SIGINT, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.heavy),
    ],
)
def test_a_run_that_waits_for_its_start_is_stopped_without_a_journal(
    stop_signal: signal.Signals, tmp_path: Path
) -> None:
    with relayed_platform(
        tmp_path, reply_to("StartRun", reply=UNAVAILABLE)
    ) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER)
        wait_until(lambda: platform.relay.calls["StartRun"] >= 2)
        process.send_signal(stop_signal)
        stopped = wait_for_exit(process)

        assert stopped.code == Interrupted.exit_code, stopped.err
        assert "interrupted before the run began" in stopped.err
        assert not list(tmp_path.rglob("*.jsonl"))
        assert platform.benchmark.submits == 0
