"""A fault of the platform that lasts stops a run, with one line that says why, and `resume` completes it.

A relay, which stands between the run and the platform, answers all calls of a method in the platform's
place, or all from the third on. A refusal may repeat the user's key, which is never shown or recorded.
"""

from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.platform_commands import OK, PLATFORM_KEY
from tests.controlplane.platform_faults.relayed_platforms import (
    SHORT_PATIENCE_RUN,
    relayed_platform,
)
from tests.controlplane.platform_faults.reply_rules import reply_to
from tests.support.relay.relayed_calls import (
    HTML_PAGE_RESPONSE,
    Rule,
    injected_response,
    protocol_refusal,
)

SIGN_IN_PAGE = HTML_PAGE_RESPONSE
"""The HTML page of a proxy that wants somebody to sign in."""
NO_SUCH_KEY = protocol_refusal(401, "unauthenticated", f"no such key: {PLATFORM_KEY}")
"""The platform refuses the key, and repeats it in its message."""


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("rule", "message_part"),
    [
        pytest.param(
            reply_to("StartTrial", reply=SIGN_IN_PAGE),
            "is text/html, not JSON; is the host right?",
            id="an HTML page for every start",
        ),
        pytest.param(
            reply_to("StartTrial", reply=SIGN_IN_PAGE, first=3),
            "is the host right?",
            id="an HTML page for all starts but the first two",
        ),
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
        pytest.param(
            reply_to("StartTrial", reply=injected_response(403, "forbidden")),
            "status 403: forbidden",
            id="starts refused by a gateway",
            marks=pytest.mark.heavy,
        ),
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
    """The stopped run is not submitted, so that no trial counts as failed. It is resumed when
    the platform has recovered."""
    with relayed_platform(tmp_path, rule) as platform:
        stopped = platform.command(*SHORT_PATIENCE_RUN)
        assert stopped.code == Unreachable.exit_code, stopped.err
        (error_line,) = stopped.err.strip().splitlines()
        assert message_part in error_line
        assert platform.benchmark.submits == 0

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == OK, resumed.err
        platform.benchmark.check_each_effect_happened_once()

    # The key that some refusals repeat is not printed or recorded.
    for result in (stopped, resumed):
        assert PLATFORM_KEY not in result.out
        assert PLATFORM_KEY not in result.err
    for journal in tmp_path.rglob("*.jsonl"):
        assert PLATFORM_KEY not in journal.read_text()
