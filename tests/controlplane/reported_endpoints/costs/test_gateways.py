"""The cost of a provider behind a gateway is counted, although the gateway gives the reply free.

A gateway takes no money if the user has a key of their own at the provider behind it. The provider takes
5 USD for each reply of 101,000 tokens.
"""

import json
from pathlib import Path

from controlplane.errors import BudgetExhausted
from tests.controlplane.reported_endpoints.endpoint_runs import run_against
from tests.controlplane.reported_endpoints.recorded_case import RecordedCase

# The script does not answer yet, so that the model would be asked again.
UNFINISHED_REPLY_FREE_AT_GATEWAY = {
    "content": json.dumps(
        {"state": "x", "plan": [], "done": False, "code": "print(1)"}
    ),
    "usage": {
        "prompt_tokens": 100_000,
        "completion_tokens": 1_000,
        "cost": 0,
        "is_byok": True,
        "cost_details": {"upstream_inference_cost": 5.0},
    },
}


def test_a_limit_of_costs_counts_replies_that_the_gateway_gives_free(
    tmp_path: Path,
) -> None:
    """At the user's prices, the first reply costs 1.01 USD. The trial may cost 1 USD."""
    case = RecordedCase(
        [UNFINISHED_REPLY_FREE_AT_GATEWAY],
        options=["--prices", '{"input": 10, "output": 10}', "--trial-cost", "1"],
    )

    run = run_against(case, tmp_path)

    assert run.result.code == BudgetExhausted.exit_code, run.summary
    assert len(run.requests) == 1


def test_a_providers_cost_behind_a_gateway_is_counted(tmp_path: Path) -> None:
    """The user gave no prices."""
    case = RecordedCase(
        [UNFINISHED_REPLY_FREE_AT_GATEWAY, UNFINISHED_REPLY_FREE_AT_GATEWAY],
        right_reply_follows=True,
    )

    run = run_against(case, tmp_path)

    costs_usd = []
    for event in run.events:
        if event["type"] == "model_replied":
            costs_usd.append(event["cost_usd"])
    first_cost, second_cost, *_ = costs_usd
    assert first_cost == 5.0
    assert second_cost == 5.0
