"""More cached tokens than prompt tokens make no negative cost.

One endpoint counts only what is not cached as `prompt_tokens`. Prices are USD for a million tokens.
"""

from pathlib import Path

import pytest

from tests.controlplane.reported_endpoints.costs.runs_with_usage import run_with_usage


def test_more_cached_tokens_than_prompt_tokens_make_no_negative_cost(
    tmp_path: Path,
) -> None:
    """This endpoint counts only what is not cached as `prompt_tokens`."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 100,
        "total_tokens": 200,
        "prompt_tokens_details": {"cached_tokens": 2000},
    }

    run = run_with_usage(
        tmp_path, usage, "--prices", '{"input": 10, "output": 10, "cached": 1}'
    )

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 1
    assert run.result.json["cached_share"] == pytest.approx(2000 / 2100, abs=0.001)
    # (100 * 10 + 2000 * 1 + 100 * 10) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(0.004)
