"""The journal of a run whose replies came from a cache says so, and the run can be replayed.

`run --cache=cache` keeps the model's replies in a folder, and a second run takes them from there.
Its journal has the replies, whether a model gave them or the cache: `{"type": "model_replied",
"cached": true, …}`.
"""

import json
from pathlib import Path

from tests.controlplane.lifecycle.cached_runs.runs_with_cache import (
    play_with_cache,
    respond_with_cost,
)
from tests.controlplane.model_endpoints.phonebook_endpoint import phonebook_endpoint
from tests.support.command import run_in_process


def test_the_journal_says_which_replies_were_cached(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        play_with_cache(endpoint)
        cached = play_with_cache(endpoint)

    lines = (tmp_path / cached.json["journal"]).read_text().splitlines()
    events = [json.loads(line) for line in lines]
    replies = [event for event in events if event["type"] == "model_replied"]
    assert [reply["cached"] for reply in replies] == [True, True]


def test_a_run_whose_replies_were_cached_can_be_replayed(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        play_with_cache(endpoint)
        cached = play_with_cache(endpoint)

    assert cached.json["cached_replies"] == 2
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0
