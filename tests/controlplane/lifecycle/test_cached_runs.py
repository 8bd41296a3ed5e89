"""A run with `--cache=cache` keeps the model's replies in a folder, and a second run asks nothing again.

A model is served over HTTP, and asked by a run of nine trials, twice in each. The requests of another
run with the same options are the same, so that their replies are in the cache.
"""

import socket
from pathlib import Path

import pytest

from tests.controlplane.lifecycle.nine_trials import (
    NINE_TRIALS,
    REQUESTS_OF_NINE_TRIALS,
    events_of_type,
)
from tests.support.command import CommandRunner
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
)
from tests.support.phonebook_model import next_action

REPLY_COST_USD = 0.0002
"""The cost that each reply of `respond_with_cost` names."""


def respond_with_cost(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Respond with the same action as `respond`, and say what the reply costs."""
    completion = completion_json(next_action(request), cost=REPLY_COST_USD)
    return http_response(200, completion)


NINE_TRIALS_WITH_CACHE = (*NINE_TRIALS, "--concurrency=2", "--json", "--cache=cache")
"""Plays them two at a time, and keeps the model's replies in the folder `cache`."""


class TestCachedRuns:
    """A run of nine trials has 18 requests to its model, and is repeated with the same cache.

    Each reply costs $0.0002, as the endpoint says. `server.asked` are the requests that it got.
    """

    def test_a_run_that_is_repeated_with_a_cache_asks_nothing_and_costs_nothing(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """The second run has the same requests as the first, and finds all replies in the cache."""
        with model_server(respond_with_cost) as server:
            first = run_command_here(
                *NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url
            )
            requests_of_first_run = len(server.asked)
            cached = run_command_here(
                *NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url
            )
            requests_of_both_runs = len(server.asked)

        assert first.code == 0, first.err
        assert requests_of_first_run == REQUESTS_OF_NINE_TRIALS
        cost_usd = REQUESTS_OF_NINE_TRIALS * REPLY_COST_USD
        assert first.json["cost_usd"] == pytest.approx(cost_usd)

        assert cached.code == 0, cached.err
        assert requests_of_both_runs == requests_of_first_run
        assert cached.json["cost_usd"] == 0.0
        assert cached.json["tokens"] == 0
        assert cached.json["cached_replies"] == REQUESTS_OF_NINE_TRIALS
        assert [trial["score"] for trial in cached.json["trials"]] == [1.0] * 9
        for reply in events_of_type("model_replied", tmp_path):  # of the second run
            assert reply["cached"] is True

    def test_a_run_at_another_temperature_asks_anew_in_spite_of_the_cache(
        self, run_command_here: CommandRunner
    ) -> None:
        """The temperature is a part of a request, so that no reply in the cache fits."""
        with model_server(respond_with_cost) as server:
            first = run_command_here(
                *NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url
            )
            warmer = run_command_here(
                *NINE_TRIALS_WITH_CACHE, "--temperature=1", OPENAI_BASE_URL=server.url
            )

        assert first.code == 0, first.err
        assert warmer.code == 0, warmer.err
        assert len(server.asked) == 2 * REQUESTS_OF_NINE_TRIALS

    def test_a_run_whose_replies_were_cached_can_be_replayed(
        self, run_command_here: CommandRunner
    ) -> None:
        """Its journal has the replies, whether a model gave them or the cache."""
        with model_server(respond_with_cost) as server:
            run_command_here(*NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url)
            cached = run_command_here(
                *NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url
            )

        assert cached.code == 0, cached.err
        assert cached.json["cached_replies"] == REQUESTS_OF_NINE_TRIALS
        assert run_command_here("replay", "last", "--verify").code == 0
