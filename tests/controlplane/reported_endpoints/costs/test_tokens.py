"""Tokens that endpoints report under other names, or only in the total, are counted.

A reply has a `usage`, which the run adds up: `{"prompt_tokens": 1500, "completion_tokens": 120}`. Prices
are USD for a million tokens. Users of other projects have reported each of these replies.
"""

from pathlib import Path

import pytest

from tests.controlplane.reported_endpoints.costs.runs_with_usage import run_with_usage


def test_tokens_that_are_only_in_the_total_are_counted(tmp_path: Path) -> None:
    """1009 + 164 are only 1173 of 2994. The other 1821 are thinking, which is paid like the
    reply's text."""
    usage = {
        "prompt_tokens": 1009,
        "completion_tokens": 164,
        "total_tokens": 2994,
        "completion_tokens_details": {"reasoning_tokens": 0},
    }

    run = run_with_usage(tmp_path, usage, "--prices", '{"input": 1, "output": 10}')

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 1
    assert run.trial["tokens"] == 2994
    # (1009 * 1 + (164 + 1821) * 10) / 1,000,000
    assert run.trial["cost_usd"] == pytest.approx(0.020859)


def test_cached_tokens_are_counted_under_anthropics_name(tmp_path: Path) -> None:
    """The tokens of the cache are among the 1500 of the prompt, as the total shows."""
    usage = {
        "prompt_tokens": 1500,
        "completion_tokens": 164,
        "total_tokens": 1664,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 100,
    }

    run = run_with_usage(
        tmp_path, usage, "--prices", '{"input": 10, "output": 10, "cached": 1}'
    )

    assert run.result.code == 0
    assert run.trial["score"] == 1.0
    assert len(run.requests) == 1
    assert run.result.json["cached_share"] == pytest.approx(1000 / 1500, abs=0.001)
