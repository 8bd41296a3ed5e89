"""A reply that is free at a gateway is counted at the user's prices, else at its provider's cost.

A gateway passes requests on to the provider of a model. The gateway is free for users with a key of their
own at the provider ("byok"). The provider takes money, and the reply names how much.
"""

import json
from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted
from tests.controlplane.reported_endpoints.endpoint_runs import run_against
from tests.controlplane.reported_endpoints.played_case import PlayedCase
from tests.controlplane.reported_endpoints.recorded_case import RecordedCase

# The script does not answer yet, so the model has to be asked again.
UNFINISHED_REPLY_FREE_AT_GATEWAY = {
    "content": json.dumps(
        {"state": "x", "plan": [], "done": False, "code": "print(1)"}
    ),
    "usage": {
        "prompt_tokens": 100_000,
        "completion_tokens": 1_000,
        "cost": 0,  # USD to the gateway
        "is_byok": True,
        "cost_details": {"upstream_inference_cost": 5.0},  # USD to the provider
    },
}


def costs_of_replies(run: PlayedCase) -> list[float]:
    """Return the cost of each reply in USD, as the run counted them: `[5.0, 5.0]`."""
    costs_usd = []
    for event in run.events:
        if event["type"] == "model_replied":
            costs_usd.append(event["cost_usd"])
    return costs_usd


def test_a_limit_of_costs_counts_replies_that_the_gateway_gives_free(
    tmp_path: Path,
) -> None:
    """The user's prices are 10 USD for a million tokens. The trial may cost 1 USD."""
    prices = '{"input": 10, "output": 10}'
    case = RecordedCase(
        replies=[UNFINISHED_REPLY_FREE_AT_GATEWAY],
        options=["--prices", prices, "--trial-cost", "1"],
    )

    run = run_against(case, tmp_path)

    assert run.result.code == BudgetExhausted.exit_code, run.summary
    assert len(run.requests) == 1
    assert costs_of_replies(run) == [pytest.approx(1.01)]  # 101,000 tokens


def test_a_providers_cost_behind_a_gateway_is_counted(tmp_path: Path) -> None:
    """The user gave no prices. A third reply, which answers the task, ends the trial."""
    case = RecordedCase(
        replies=[UNFINISHED_REPLY_FREE_AT_GATEWAY, UNFINISHED_REPLY_FREE_AT_GATEWAY],
        right_reply_follows=True,
    )

    run = run_against(case, tmp_path)

    first_cost, second_cost, *_ = costs_of_replies(run)
    assert first_cost == 5.0
    assert second_cost == 5.0
