"""A reply that does not come from the platform stops a run, and `resume` completes the run later.

A network may reply with a page on which somebody has to sign in, and a gateway may refuse all
calls. Here a relay between the run and the platform does so when the run starts a trial:

    <html>...    ->    ... is text/html, not JSON; is the host right?
"""

from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.platform_commands import PLATFORM_KEY
from tests.controlplane.platform_faults.relayed_platforms import (
    SHORT_PATIENCE_RUN,
    relayed_platform,
)
from tests.controlplane.platform_faults.reply_rules import reply_to
from tests.support.relay.relayed_calls import HTML_PAGE_RESPONSE as HTML_PAGE
from tests.support.relay.relayed_calls import Rule, injected_response


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("rule", "message_part"),
    [
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE),
            "is text/html, not JSON; is the host right?",
            id="an HTML page for every start",
        ),
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE, first_call=3),
            "is the host right?",
            id="an HTML page for all starts from the third on",
        ),
        pytest.param(
            reply_to("StartTrial", reply=injected_response(403, "forbidden")),
            "status 403: forbidden",
            id="starts refused by a gateway",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=injected_response(200, "{}")),
            "is not as described: harnessUrl",
            id="starts whose reply has another shape",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_lasting_fault_stops_the_run_and_resume_completes_it(
    rule: Rule, message_part: str, tmp_path: Path
) -> None:
    """The stopped run is not submitted, so that no trial counts as failed. When the platform can be
    reached again, the resumed run makes each change once. Nowhere does the user's key appear."""
    with relayed_platform(tmp_path, rule, trials=4) as platform:
        stopped = platform.command(*SHORT_PATIENCE_RUN)
        assert stopped.code == Unreachable.exit_code, stopped.err
        (error_line,) = stopped.err.strip().splitlines()
        assert message_part in error_line
        assert platform.benchmark.submits == 0

        platform.recover()  # From now on, the relay passes all calls on.
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == 0, resumed.err
        platform.benchmark.check_each_effect_happened_once()

    for result in (stopped, resumed):
        assert PLATFORM_KEY not in result.out
        assert PLATFORM_KEY not in result.err
    for journal in tmp_path.rglob("*.jsonl"):
        assert PLATFORM_KEY not in journal.read_text()
