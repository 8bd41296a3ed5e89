"""Limits of what a run may spend: `--run-cost 0.007` in dollars, `--max-tokens-run 3500`.

A run stops before a reply that may pass its limit, and prints the option with a higher limit by which
`resume` goes on. A reply of the model here has 1,100 tokens and costs $0.002. A trial takes two
replies, so that it has 2,200 tokens and costs $0.004.
"""

from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted, UsageError
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    OK,
    PHONEBOOK_RUN,
    PhonebookEndpoint,
    phonebook_endpoint,
    states_of,
)
from tests.support.command import (
    CommandResult,
    check_error_line,
    no_run_has_started,
    run_in_process,
)
from tests.support.phonebook_model import respond_with_usage


def play_six_trials(endpoint: PhonebookEndpoint, *options: str) -> CommandResult:
    """Play each of the three tasks twice. The model costs $1 and $10 per million tokens."""
    prices = '{"input": 1, "output": 10}'  # 1000 x $1 + 100 x $10 per million: $0.002
    return endpoint.command(
        *PHONEBOOK_RUN, "--repeats", "2", "--prices", prices, "--json", *options
    )


class TestLimitsOfRuns:
    """Six trials are played in turn, with a limit of three replies and a half.

    The first trial takes two replies, and the second trial one. A fourth reply would pass the
    limit of $0.007, or of 3,500 tokens.
    """

    @pytest.mark.parametrize(
        ("option", "limit", "message", "remedy"),
        [
            pytest.param(
                "--run-cost",
                "0.007",
                "the run has spent $0.006, and its next reply may pass its limit of $0.007",
                "--run-cost 0.014",
                id="cost",
            ),
            pytest.param(
                "--max-tokens-run",
                "3500",
                "the run has spent 3,300 tokens, and its next reply may pass its limit of 3,500 tokens",
                "--max-tokens-run 7000",
                id="tokens",
            ),
        ],
    )
    def test_a_run_stops_at_its_limit_and_proposes_the_double_one(
        self, tmp_path: Path, option: str, limit: str, message: str, remedy: str
    ) -> None:
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            stopped = play_six_trials(endpoint, "--concurrency", "1", option, limit)

        assert stopped.code == BudgetExhausted.exit_code
        assert message in stopped.json["error"]
        assert stopped.json["error"].endswith(f" {remedy}")
        assert len(endpoint.server.asked) == 3
        waiting = ["waiting"] * 4
        assert states_of(stopped) == ["answered", "open", *waiting]
        assert stopped.json["trials_scored"] == 1
        assert stopped.json["mean_score"] == 1.0
        _, open_trial, *_ = stopped.json["trials"]
        assert message in open_trial["reason"]

    @pytest.mark.parametrize(
        ("option", "limit"),
        [
            pytest.param("--run-cost", "0.007", id="cost"),
            pytest.param("--max-tokens-run", "3500", id="tokens"),
        ],
    )
    def test_a_stopped_run_goes_on_with_a_higher_limit(
        self, tmp_path: Path, option: str, limit: str
    ) -> None:
        """The second trial goes on from its middle: no reply is paid for twice."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            play_six_trials(endpoint, "--concurrency", "1", option, limit)
            resumed = endpoint.command("resume", "last", "--json", option, "1000000")

        assert states_of(resumed) == ["answered"] * 6
        assert len(endpoint.server.asked) == 2 * 6
        assert resumed.json["submitted"] is True
        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


class TestLimitsOfOneReply:
    """The limit allows one reply and a half, so no trial can be finished.

    What a reply costs is known only when it is there.
    """

    @pytest.mark.parametrize(
        ("option", "limit"),
        [
            pytest.param("--run-cost", "0.003", id="cost"),
            pytest.param("--max-tokens-run", "1500", id="tokens"),
        ],
    )
    def test_trials_do_not_all_ask_before_a_first_reply_shows_its_cost(
        self, tmp_path: Path, option: str, limit: str
    ) -> None:
        """Four trials want to ask at the same time, and three of them have to wait."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            stopped = play_six_trials(endpoint, "--concurrency", "4", option, limit)
            assert stopped.code == BudgetExhausted.exit_code
            assert len(endpoint.server.asked) == 1

            resumed = endpoint.command("resume", "last", "--json", option, "90000")

        assert resumed.code == OK
        assert states_of(resumed) == ["answered"] * 6
        assert resumed.json["mean_score"] == 1.0

    def test_a_trial_has_a_limit_of_its_own(self, tmp_path: Path) -> None:
        """Each trial gets a fallback, an answer of the harness, and the run goes on to its end."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            run = play_six_trials(
                endpoint, "--concurrency", "1", "--trial-cost", "0.003"
            )

        assert states_of(run) == ["fallback"] * 6
        assert run.code == BudgetExhausted.exit_code
        assert "--trial-cost" in run.json["trials"][0]["reason"]
        assert run.json["submitted"] is True


class TestUnknownPrices:
    """Without `--prices`, nobody knows the cost of a run.

    The endpoint tells the tokens of a reply, and not what they cost.
    """

    def test_the_cost_of_a_model_without_known_prices_is_null(
        self, tmp_path: Path
    ) -> None:
        """An unknown cost is null in the JSON, and not 0."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            run = endpoint.command(*PHONEBOOK_RUN, "--json")

        assert run.code == OK
        assert run.json["cost_usd"] is None
        assert run.json["cost_per_trial_usd"] is None
        assert run.json["trials"][0]["cost_usd"] is None

    def test_the_cost_of_a_model_without_known_prices_cannot_be_limited(
        self, tmp_path: Path
    ) -> None:
        """The run is refused before it begins."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            refused = endpoint.command(*PHONEBOOK_RUN, "--run-cost", "5")

        check_error_line(
            refused,
            UsageError.exit_code,
            "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's",
        )
        assert endpoint.server.asked == []
        assert no_run_has_started(tmp_path)
