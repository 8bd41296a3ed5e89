"""A platform that refuses the user's key stops a run, and `resume` completes it with the right key.

A relay, which stands between the run and the platform, refuses some calls in the platform's place. The
refusal repeats the key, which is never shown or recorded:

    no such key: sk-...    ->    ... no such key: [secret]
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

NO_SUCH_KEY = protocol_refusal(401, "unauthenticated", f"no such key: {PLATFORM_KEY}")


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("rule", "message_part"),
    [
        pytest.param(
            reply_to("StartTrial", reply=NO_SUCH_KEY),
            "no such key: [secret]",
            id="starts refused for the key",
        ),
        pytest.param(
            reply_to("Answer", reply=NO_SUCH_KEY),
            "refuses the calls of trials",
            id="answers refused for the key",
        ),
        pytest.param(
            reply_to("EndTrial", reply=NO_SUCH_KEY),
            "could not be ended",
            id="ends refused for the key",
        ),
        pytest.param(
            reply_to("SubmitRun", reply=NO_SUCH_KEY),
            "could not be submitted",
            id="the submission refused for the key",
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
