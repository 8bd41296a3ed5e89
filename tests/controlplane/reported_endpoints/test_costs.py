"""Tokens and costs that endpoints report under other names, in other places, or not at all.

A reply has a `usage`, which the run adds up: `{"prompt_tokens": 1500, "completion_tokens": 120}`.
Prices are USD for a million tokens. Users of other projects have reported each of these replies.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import BudgetExhausted
from tests.controlplane.reported_endpoints.endpoint_runs import run_against
from tests.controlplane.reported_endpoints.filled_replies import RIGHT_REPLY
from tests.controlplane.reported_endpoints.played_case import OK, PlayedCase
from tests.controlplane.reported_endpoints.recorded_case import RecordedCase


def run_with_usage(folder: Path, usage: dict[str, Any], *options: str) -> PlayedCase:
    """Run a trial that the model's first reply solves, and return the run. The reply has this usage."""
    reply = {"content": RIGHT_REPLY, "usage": usage}
    return run_against(RecordedCase([reply], options=[*options]), folder)


class TestTokens:
    """The trial is solved by one reply, and all tokens that it cost are counted."""

    def test_tokens_that_are_only_in_the_total_are_counted(
        self, tmp_path: Path
    ) -> None:
        """1009 + 164 are only 1173 of 2994. The other 1821 are thinking, which is paid like the
        reply's text."""
        usage = {
            "prompt_tokens": 1009,
            "completion_tokens": 164,
            "total_tokens": 2994,
            "completion_tokens_details": {"reasoning_tokens": 0},
        }

        run = run_with_usage(tmp_path, usage, "--prices", '{"input": 1, "output": 10}')

        assert run.result.code == OK
        assert run.trial["score"] == 1.0
        assert len(run.requests) == 1
        assert run.trial["tokens"] == 2994
        # (1009 * 1 + (164 + 1821) * 10) / 1,000,000
        assert run.trial["cost_usd"] == pytest.approx(0.020859)

    def test_cached_tokens_are_counted_under_anthropics_name(
        self, tmp_path: Path
    ) -> None:
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

        assert run.result.code == OK
        assert run.trial["score"] == 1.0
        assert len(run.requests) == 1
        assert run.result.json["cached_share"] == pytest.approx(1000 / 1500, abs=0.001)

    def test_more_cached_tokens_than_prompt_tokens_make_no_negative_cost(
        self, tmp_path: Path
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

        assert run.result.code == OK
        assert run.trial["score"] == 1.0
        assert len(run.requests) == 1
        assert run.result.json["cached_share"] == pytest.approx(2000 / 2100, abs=0.001)
        # (100 * 10 + 2000 * 1 + 100 * 10) / 1,000,000
        assert run.trial["cost_usd"] == pytest.approx(0.004)


class TestEmptyReplies:
    """A reply that says nothing is paid, too."""

    def test_empty_replies_are_added_to_the_costs(self, tmp_path: Path) -> None:
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

        assert run.result.code == OK
        assert run.trial["score"] == 1.0
        assert len(run.requests) == 4
        assert run.trial["tokens"] == 6480  # 4 * (1500 + 120)
        # 4 * (1500 * 1 + 120 * 10) / 1,000,000
        assert run.trial["cost_usd"] == pytest.approx(0.0108)

    def test_a_limit_of_costs_counts_empty_replies(self, tmp_path: Path) -> None:
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


class TestGateways:
    """A gateway takes no money if the user has a key of their own at the provider behind it.

    The provider takes 5 USD for each reply of 101,000 tokens.
    """

    def test_a_limit_of_costs_counts_replies_that_the_gateway_gives_free(
        self, tmp_path: Path
    ) -> None:
        """At the user's prices, the first reply costs 1.01 USD. The trial may cost 1 USD."""
        case = RecordedCase(
            [UNFINISHED_REPLY_FREE_AT_GATEWAY],
            options=["--prices", '{"input": 10, "output": 10}', "--trial-cost", "1"],
        )

        run = run_against(case, tmp_path)

        assert run.result.code == BudgetExhausted.exit_code, run.summary
        assert len(run.requests) == 1

    def test_a_providers_cost_behind_a_gateway_is_counted(self, tmp_path: Path) -> None:
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
