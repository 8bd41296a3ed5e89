"""One signal, as by Ctrl-C, ends a run that was told to call again in some minutes.

A platform asks the run by "429, Retry-After: 200" to make a call again later. The user does not have to
wait for that: `resume` goes on when the platform has recovered. A relay, which stands between the run
and the platform, refuses the calls in its place.
"""

import signal
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.platform_faults.relayed_platforms import relayed_platform
from tests.controlplane.platform_faults.reply_rules import reply_to
from tests.support.command import wait_for_exit, wait_until
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay.relayed_calls import protocol_refusal

pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.parametrize(
    ("method", "stop_signal"),
    [
        pytest.param("Read", signal.SIGINT, id="a call of a trial, Ctrl-C"),
        pytest.param("SubmitRun", signal.SIGINT, id="the submission, Ctrl-C"),
        pytest.param(
            "Read",
            signal.SIGTERM,
            id="a call of a trial, SIGTERM",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            "SubmitRun",
            signal.SIGTERM,
            id="the submission, SIGTERM",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_run_that_is_to_call_again_later_is_stopped_and_resumed(
    method: str, stop_signal: signal.Signals, tmp_path: Path
) -> None:
    """The platform asks the run to make the same call again after 200 s, and the run waits."""
    call_again_later = protocol_refusal(429, "resource_exhausted", retry_after="200")

    with relayed_platform(
        tmp_path, reply_to(method, reply=call_again_later)
    ) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER)
        wait_until(lambda: platform.relay.calls[method] >= 1)
        process.send_signal(stop_signal)
        stopped = wait_for_exit(process)
        assert stopped.code == Interrupted.exit_code, stopped.err
        assert platform.benchmark.submits == 0

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == 0, resumed.err
        platform.benchmark.check_each_effect_happened_once()
