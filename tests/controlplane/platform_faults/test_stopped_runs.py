"""One signal, as by Ctrl-C, ends a run that waits for its platform, and `resume` goes on later.

A platform may be unavailable, or tell a run to call again in some minutes. The user does not have to
wait for that. A relay, which stands between the run and the platform, refuses calls in its place.
"""

import signal
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.platform_faults.platform_commands import OK
from tests.controlplane.platform_faults.relayed_platforms import relayed_platform
from tests.controlplane.platform_faults.reply_rules import UNAVAILABLE, reply_to
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
        assert resumed.code == OK, resumed.err
        platform.benchmark.check_each_effect_happened_once()


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
        assert resumed.code == OK, resumed.err
        platform.benchmark.check_each_effect_happened_once()


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
    """The platform is unavailable for the very first call. There is nothing to resume."""
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
