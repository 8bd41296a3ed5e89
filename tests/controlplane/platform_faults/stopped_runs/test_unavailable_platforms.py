"""One signal, as by Ctrl-C, ends a run that calls an unavailable platform again and again.

The run would do so for five minutes. The user does not have to wait for that: `resume` goes on when
the platform has recovered. A relay, which stands between the run and the platform, refuses the calls
in its place.
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
    ("method", "stop_signal"),
    [
        pytest.param("StartTrial", signal.SIGTERM, id="a start, SIGTERM"),
        pytest.param(
            "StartTrial", signal.SIGINT, id="a start, Ctrl-C", marks=pytest.mark.heavy
        ),
        pytest.param(
            "EndTrial", signal.SIGINT, id="an end, Ctrl-C", marks=pytest.mark.heavy
        ),
        pytest.param(
            "EndTrial", signal.SIGTERM, id="an end, SIGTERM", marks=pytest.mark.heavy
        ),
    ],
)
def test_a_run_that_calls_an_unavailable_platform_is_stopped_and_resumed(
    method: str, stop_signal: signal.Signals, tmp_path: Path
) -> None:
    """The run calls again after short pauses, for five minutes. The second call shows that it does."""
    with relayed_platform(tmp_path, reply_to(method, reply=UNAVAILABLE)) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER)
        wait_until(lambda: platform.relay.calls[method] >= 2)
        process.send_signal(stop_signal)
        stopped = wait_for_exit(process)
        assert stopped.code == Interrupted.exit_code, stopped.err
        assert platform.benchmark.submits == 0

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == 0, resumed.err
        platform.benchmark.check_each_effect_happened_once()
