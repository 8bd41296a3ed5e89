"""A run with `--cache=cache` keeps the model's replies in a folder, and a second run asks nothing again.

The runs here have one trial, in which the model is asked twice: it looks a number up, and then it
answers. The endpoint says that each reply costs $0.0002.
"""

import json
import socket
from pathlib import Path

import pytest

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    OK,
    PHONEBOOK_RUN,
    PhonebookEndpoint,
    phonebook_endpoint,
)
from tests.support.command import CommandResult, run_in_process
from tests.support.endpoints import ModelHttpRequest, completion_json, http_response
from tests.support.phonebook_model import next_action


def respond_with_cost(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    return http_response(200, completion_json(next_action(request), cost=0.0002))


def play_with_cache(endpoint: PhonebookEndpoint, *options: str) -> CommandResult:
    return endpoint.command(
        *PHONEBOOK_RUN, "--limit=1", "--cache=cache", "--json", *options
    )


def test_a_run_that_is_repeated_with_a_cache_asks_nothing_and_costs_nothing(
    tmp_path: Path,
) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        first = play_with_cache(endpoint)
        assert len(endpoint.server.asked) == 2
        cached = play_with_cache(endpoint)
        assert len(endpoint.server.asked) == 2

    assert first.code == OK, first.err
    assert first.json["cost_usd"] == pytest.approx(0.0004)
    assert cached.code == OK, cached.err
    assert cached.json["cost_usd"] == 0.0
    assert cached.json["tokens"] == 0
    assert cached.json["cached_replies"] == 2
    (trial,) = cached.json["trials"]
    assert trial["score"] == 1.0


def test_the_journal_says_which_replies_were_cached(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        play_with_cache(endpoint)
        cached = play_with_cache(endpoint)

    lines = (tmp_path / cached.json["journal"]).read_text().splitlines()
    events = [json.loads(line) for line in lines]
    replies = [event for event in events if event["type"] == "model_replied"]
    assert [reply["cached"] for reply in replies] == [True, True]


def test_a_run_at_another_temperature_asks_anew_in_spite_of_the_cache(
    tmp_path: Path,
) -> None:
    """The temperature is a part of a request, so that no reply in the cache fits."""
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        first = play_with_cache(endpoint)
        warmer = play_with_cache(endpoint, "--temperature=1")

    assert first.code == OK, first.err
    assert warmer.code == OK, warmer.err
    assert len(endpoint.server.asked) == 4


def test_a_run_whose_replies_were_cached_can_be_replayed(tmp_path: Path) -> None:
    """Its journal has the replies, whether a model gave them or the cache."""
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        play_with_cache(endpoint)
        cached = play_with_cache(endpoint)

    assert cached.json["cached_replies"] == 2
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK
