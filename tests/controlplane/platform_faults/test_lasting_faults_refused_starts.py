"""A platform that cannot start any trial stops a run, and `resume` completes it when it can.

A trial is an attempt at a task, which the platform has to start. A relay, which stands between the run
and the platform, refuses all starts in the platform's place:

    500 internal    ->    ... no trial could be started
"""

from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.faulty_platforms import (
    PLATFORM_KEY,
    SHORT_PATIENCE_RUN,
    relayed_platform,
    reply_to,
)
from tests.support.relay import Rule, protocol_refusal


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("rule", "message_part"),
    [
        pytest.param(
            reply_to("StartTrial", reply=protocol_refusal(501, "unimplemented")),
            "unimplemented",
            id="starts that the platform cannot do",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=protocol_refusal(500, "internal", "a fault")),
            "no trial could be started",
            id="starts that all break",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=protocol_refusal(404, "not_found")),
            "no trial could be",
            id="starts of trials that the platform has forgotten",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_lasting_fault_stops_the_run_and_resume_completes_it(
    rule: Rule, message_part: str, tmp_path: Path
) -> None:
    """The stopped run is not submitted, so that no trial counts as failed."""
    with relayed_platform(tmp_path, rule) as platform:
        stopped = platform.command(*SHORT_PATIENCE_RUN)
        assert stopped.code == Unreachable.exit_code, stopped.err
        (error_line,) = stopped.err.strip().splitlines()
        assert message_part in error_line
        assert platform.benchmark.submits == 0

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == 0, resumed.err
        platform.benchmark.check_each_effect_happened_once()

    for result in (stopped, resumed):
        assert PLATFORM_KEY not in result.out
        assert PLATFORM_KEY not in result.err
    for journal in tmp_path.rglob("*.jsonl"):
        assert PLATFORM_KEY not in journal.read_text()
