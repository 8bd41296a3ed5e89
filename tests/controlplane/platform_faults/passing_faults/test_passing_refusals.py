"""A refusal that is soon over costs a run nothing: the run makes the call again.

A relay, which stands between the run and the platform, answers the first two calls of some methods,
for example as a load balancer whose servers are all down. In the end, each change that the run
makes has happened once.
"""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.relayed_platforms import (
    SHORT_PATIENCE_RUN,
    relayed_platform,
)
from tests.controlplane.platform_faults.reply_rules import reply_to
from tests.support.relay.relayed_calls import Rule, injected_response, protocol_refusal

NO_BACKEND = injected_response(404, "no backend")
"""The reply of a load balancer whose servers are all down: it has the status of a refusal by the
platform (`protocol_refusal(404, ...)`), but not the form."""

UNEXPECTED_SHAPE = injected_response(200, '{"trialId": [], "runId": [], "state": {}}')
"""A reply whose fields have other types than the protocol says."""


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(
            reply_to(
                "StartTrial", reply=protocol_refusal(404, "not_found"), last_call=2
            ),
            id="starts refused by the platform",
        ),
        pytest.param(
            reply_to(
                "StartTrial",
                "EndTrial",
                "SubmitRun",
                reply=UNEXPECTED_SHAPE,
                last_call=2,
            ),
            id="replies of another shape for starts and ends",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", "Read", "EndTrial", reply=NO_BACKEND, last_call=2),
            id="starts, reads and ends refused by a load balancer",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_refusal_that_is_soon_over_costs_nothing(rule: Rule, tmp_path: Path) -> None:
    with relayed_platform(tmp_path, rule, trials=4) as platform:
        result = platform.command(*SHORT_PATIENCE_RUN)

        assert result.code == 0, result.err
        platform.benchmark.check_each_effect_happened_once()
