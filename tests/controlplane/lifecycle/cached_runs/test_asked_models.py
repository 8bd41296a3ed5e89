"""A run with `--cache=cache` keeps the model's replies in a folder, and a second run asks nothing again.

A run here has one trial, in which the model is asked twice: it looks a number up, and then it
answers. The endpoint says that each reply costs $0.0002.
"""

from pathlib import Path

import pytest

from tests.controlplane.lifecycle.cached_runs.runs_with_cache import (
    play_with_cache,
    respond_with_cost,
)
from tests.controlplane.model_endpoints.phonebook_endpoint import phonebook_endpoint


def test_a_run_that_is_repeated_with_a_cache_asks_nothing_and_costs_nothing(
    tmp_path: Path,
) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        first = play_with_cache(endpoint)
        assert len(endpoint.server.asked) == 2
        cached = play_with_cache(endpoint)
        assert len(endpoint.server.asked) == 2

    assert first.code == 0, first.err
    assert first.json["cost_usd"] == pytest.approx(0.0004)
    assert cached.code == 0, cached.err
    assert cached.json["cost_usd"] == 0.0
    assert cached.json["tokens"] == 0
    assert cached.json["cached_replies"] == 2
    (trial,) = cached.json["trials"]
    assert trial["score"] == 1.0


def test_a_run_at_another_temperature_asks_anew_in_spite_of_the_cache(
    tmp_path: Path,
) -> None:
    """The temperature is a part of a request, so that no reply in the cache fits."""
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        first = play_with_cache(endpoint)
        warmer = play_with_cache(endpoint, "--temperature=1")

    assert first.code == 0, first.err
    assert warmer.code == 0, warmer.err
    assert len(endpoint.server.asked) == 4
