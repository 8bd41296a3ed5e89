"""Limits of what a run may spend: `--run-cost 0.007` in dollars, `--max-tokens-run 3500`.

A run stops before a reply that may pass its limit, and prints the option with a higher limit by which
`resume` goes on. A reply of the model here has 1,100 tokens and costs $0.002. A trial takes two
replies, so that it has 2,200 tokens and costs $0.004.
"""

import json
import socket
import tomllib
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
    ROOT,
    CommandResult,
    check_error_line,
    no_run_has_started,
    run_in_process,
)
from tests.support.endpoints import (
    ModelHttpRequest,
    Responder,
    completion_json,
    http_response,
)
from tests.support.phonebook_model import USAGE, respond_with_usage

PRICES = ("--prices", '{"input": 1, "output": 10}')
"""In dollars per million tokens."""
REPLY_COST_USD = (1_000 * 1 + 100 * 10) / 1_000_000

SIX_TRIALS = (*PHONEBOOK_RUN, "--repeats", "2", "--json")
"""Plays each of the three tasks twice."""
SIX_TRIALS_IN_TURN = (*SIX_TRIALS, "--concurrency", "1")


class TestLimitsOfRuns:
    """A run of six trials in turn has a limit for three replies and a half.

    A reply costs $0.002 and has 1,100 tokens. So three replies cost $0.006 and have 3,300
    tokens; a fourth would pass the limit of $0.007, or of 3,500 tokens.
    """

    @pytest.mark.parametrize(
        ("limit_option", "limit", "message", "remedy"),
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
        self, tmp_path: Path, limit_option: str, limit: str, message: str, remedy: str
    ) -> None:
        """The three replies are those of the first trial, and one of the second trial, which is
        left open. The other four trials wait. The remedy is twice the limit."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            stopped = endpoint.command(
                *SIX_TRIALS_IN_TURN, *PRICES, limit_option, limit
            )

        error = stopped.json["error"]
        assert stopped.code == BudgetExhausted.exit_code, error
        assert message in error
        assert error.endswith(f" {remedy}"), error
        assert len(endpoint.server.asked) == 3

        waiting = ["waiting"] * 4
        assert states_of(stopped) == ["answered", "open", *waiting]
        _, open_trial, *_ = stopped.json["trials"]
        assert message in open_trial["reason"]
        assert stopped.json["trials_scored"] == 1
        assert stopped.json["mean_score"] == 1.0

    @pytest.mark.parametrize(
        ("limit_option", "limit"),
        [
            pytest.param("--run-cost", "0.007", id="cost"),
            pytest.param("--max-tokens-run", "3500", id="tokens"),
        ],
    )
    def test_a_stopped_run_goes_on_with_a_higher_limit(
        self, tmp_path: Path, limit_option: str, limit: str
    ) -> None:
        """The second trial, which was stopped in its middle, goes on from there: no reply is paid
        for twice."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            endpoint.command(*SIX_TRIALS_IN_TURN, *PRICES, limit_option, limit)
            resumed = endpoint.command(
                "resume", "last", "--json", limit_option, "1000000"
            )

        assert states_of(resumed) == ["answered"] * 6
        assert len(endpoint.server.asked) == 2 * 6
        assert resumed.json["submitted"] is True
        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


REPLY_TOKENS = 1_000 + 100
"""The tokens of a prompt and of a reply, as `respond_with_usage` says."""
SIX_TRIALS_FOUR_AT_ONCE = (*SIX_TRIALS, "--concurrency", "4")


class TestLimitsOfOneReply:
    """The limit, of a run or of each trial, allows one reply and a half.

    A reply costs $0.002 and has 1,100 tokens, and a trial takes two replies. So no trial can be
    finished. What a reply costs is known only when it is there.
    """

    @pytest.mark.parametrize(
        ("limit_option", "limit"),
        [
            pytest.param("--run-cost", str(1.5 * REPLY_COST_USD), id="cost"),
            pytest.param("--max-tokens-run", str(REPLY_TOKENS + 400), id="tokens"),
        ],
    )
    def test_trials_do_not_all_ask_before_a_first_reply_shows_its_cost(
        self, tmp_path: Path, limit_option: str, limit: str
    ) -> None:
        """The limit allows one reply, but not two. Four trials want to ask at the same time, and
        three of them have to wait until it is known what the first reply cost."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            stopped = endpoint.command(
                *SIX_TRIALS_FOUR_AT_ONCE, *PRICES, limit_option, limit
            )
            assert stopped.code == BudgetExhausted.exit_code
            assert len(endpoint.server.asked) == 1

            resumed = endpoint.command(
                "resume", "last", limit_option, "90000", "--json"
            )

        assert resumed.code == OK
        assert states_of(resumed) == ["answered"] * 6
        assert resumed.json["mean_score"] == 1.0

    def test_a_trial_has_a_limit_of_its_own(self, tmp_path: Path) -> None:
        """No trial can be finished for the cost of one reply and a half. Each gets a fallback, an
        answer of the harness, and the run goes on to its end."""
        limit = str(1.5 * REPLY_COST_USD)
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            result = endpoint.command(
                *SIX_TRIALS_IN_TURN, *PRICES, "--trial-cost", limit
            )

        assert states_of(result) == ["fallback"] * 6
        assert result.code == BudgetExhausted.exit_code
        assert "--trial-cost" in result.json["trials"][0]["reason"]
        assert result.json["submitted"] is True


class TestUnknownPrices:
    """Without prices, nobody knows the cost of a run.

    The endpoint tells the tokens of a reply, and not what they cost. The run has no `--prices`.
    """

    def test_the_cost_of_a_model_without_known_prices_is_null(
        self, tmp_path: Path
    ) -> None:
        """An unknown cost is null in the JSON, and not 0."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            run = endpoint.command(*SIX_TRIALS_IN_TURN)

        assert run.code == OK
        assert run.json["cost_usd"] is None
        assert run.json["cost_per_trial_usd"] is None
        assert run.json["trials"][0]["cost_usd"] is None

    def test_the_cost_of_a_model_without_known_prices_cannot_be_limited(
        self, tmp_path: Path
    ) -> None:
        """The run is refused before it begins."""
        with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
            refused = endpoint.command(*SIX_TRIALS_IN_TURN, "--run-cost", "5")

        check_error_line(
            refused,
            UsageError.exit_code,
            "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's",
        )
        assert not endpoint.server.asked
        assert no_run_has_started(tmp_path)


LIBRARY = ROOT / "docs/examples/library"
"""An example of a benchmark. The file `library.toml` beside it has scripts that solve its tasks."""

LOOK = json.dumps(
    {"state": "look", "plan": [], "done": False, "code": "print(harness.tree('/'))"}
)
"""The first reply of a model that looks at the folder's files before it answers."""


def solving_after_a_look(script: str) -> Responder:
    """Return the responder of a model whose first script looks at the files, and whose second one
    is this script, which solves the task."""
    solve = json.dumps({"state": "answer", "plan": [], "done": True, "code": script})

    def respond_to_step(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        # A request has all earlier replies, as messages of the role "assistant".
        is_first_step = "assistant" not in json.dumps(request.body["messages"])
        reply = LOOK if is_first_step else solve
        return http_response(200, completion_json(reply, **USAGE))

    return respond_to_step


def fork_three_times(endpoint: PhonebookEndpoint, *, run_cost: str) -> CommandResult:
    """Play the trial of the run "parent" again from its step 2 on, three times, with this limit in
    dollars."""
    return endpoint.command(
        "fork",
        "parent",
        "--trial",
        "overdue",
        "--step",
        "2",
        "--repeats",
        "3",
        "--run-cost",
        run_cost,
        "--json",
    )


class TestForks:
    """A fork plays a recorded trial again from one of its steps on, and pays only from there.

    The trial, of the run "parent", has two steps: its first script looks at the files, and its
    second one solves the task. A fork at step 2 takes the first reply over from the record.
    """

    def test_a_fork_pays_only_for_the_replies_that_it_does_not_take_over(
        self, tmp_path: Path
    ) -> None:
        """A trial of two steps looks, and solves its task. Each fork takes the first step over from
        the record, which costs nothing, and pays $0.002 for the second. With a limit of $0.003,
        only one of three forks can pay."""
        scripts = tomllib.loads(LIBRARY.with_suffix(".toml").read_text())
        script_of_overdue_loans = scripts["reply"][0]["code"]

        with phonebook_endpoint(
            tmp_path, solving_after_a_look(script_of_overdue_loans)
        ) as endpoint:
            endpoint.command(
                "run",
                "overdue-loans",
                "--benchmark",
                f"folder:{LIBRARY}",
                "--model",
                "m",
                "--name",
                "parent",
                *PRICES,
            )
            finished = fork_three_times(endpoint, run_cost="1")
            stopped = fork_three_times(endpoint, run_cost="0.003")

        assert finished.code == OK
        assert finished.json["mean_score"] == 1.0
        assert finished.json["cost_usd"] == pytest.approx(3 * REPLY_COST_USD)
        assert stopped.code == BudgetExhausted.exit_code
        assert stopped.json["cost_usd"] == pytest.approx(REPLY_COST_USD)
