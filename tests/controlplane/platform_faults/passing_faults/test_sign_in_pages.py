"""A run makes a call to the platform again if it gets the page of a proxy in place of the reply.

A proxy may want somebody to sign in. A relay, which stands between the run and the platform,
answers the first calls of each named method by such a page:

    reply_to("Read", "Write", reply=HTML_PAGE_RESPONSE, last_call=2)    two reads and two writes
"""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.relayed_platforms import (
    SHORT_PATIENCE_RUN,
    relayed_platform,
)
from tests.controlplane.platform_faults.reply_rules import reply_to
from tests.support.relay.relayed_calls import HTML_PAGE_RESPONSE, Rule


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(
            reply_to("EndTrial", "SubmitRun", reply=HTML_PAGE_RESPONSE, last_call=2),
            id="an HTML page for the ends of trials and the submission",
        ),
        pytest.param(
            reply_to(
                "Read",
                "Stat",
                "Exec",
                "Write",
                "Answer",
                reply=HTML_PAGE_RESPONSE,
                last_call=2,
            ),
            id="an HTML page for everything that trials do",
        ),
        pytest.param(
            reply_to("StartRun", reply=HTML_PAGE_RESPONSE, last_call=1),
            id="an HTML page for the start of the run",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE_RESPONSE, last_call=2),
            id="an HTML page for the starts of trials",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_run_does_everything_once_although_some_replies_are_pages(
    rule: Rule, tmp_path: Path
) -> None:
    with relayed_platform(tmp_path, rule, trials=4) as platform:
        result = platform.command(*SHORT_PATIENCE_RUN)

        assert result.code == 0, result.err
        platform.benchmark.check_each_effect_happened_once()
