"""A reply that says nothing is paid, too.

    {"content": "", "usage": {"prompt_tokens": 1500, "completion_tokens": 120}}

The model is asked again, and the tokens of all replies are added up. Prices are USD for a million tokens.
"""

from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted
from tests.controlplane.reported_endpoints.endpoint_runs import run_against
from tests.controlplane.reported_endpoints.filled_replies import RIGHT_REPLY
from tests.controlplane.reported_endpoints.recorded_case import RecordedCase


def test_empty_replies_are_added_to_the_costs(tmp_path: Path) -> None:
    """The model's fourth reply solves the trial."""
    usage = {"prompt_tokens": 1500, "completion_tokens": 120}
    empty = {"content": "", "usage": usage}
    right = {"content": RIGHT_REPLY, "usage": usage}
    case = RecordedCase(
        [empty, empty, empty, right],
        options=[
            "--prices",
            '{"input": 1, "output": 10}',
            "--model-patience",
            "60",  # seconds in which the model is asked again
        ],
    )

    run = run_against(case, tmp_path)

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 4
    assert run.trial["tokens"] == 6480  # 4 * (1500 + 120)
    # 4 * (1500 * 1 + 120 * 10) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(0.0108)


def test_a_limit_of_costs_counts_empty_replies(tmp_path: Path) -> None:
    """The first reply costs 2.15 USD, and the trial may cost 1 USD."""
    empty = {
        "content": "",
        "usage": {"prompt_tokens": 200_000, "completion_tokens": 5_000},
    }
    case = RecordedCase(
        [empty],
        options=["--prices", '{"input": 10, "output": 30}', "--trial-cost", "1"],
    )

    run = run_against(case, tmp_path)

    assert run.result.code == BudgetExhausted.exit_code, run.summary
    assert len(run.requests) == 1
    # (200,000 * 10 + 5,000 * 30) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(2.15)
