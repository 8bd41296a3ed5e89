"""Runs of the second solver at the shop: what its parts mend,
what a cache can keep, and a killed run that goes on."""

import json
import os
import socket
import threading
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from controlplane.agent.exoskeleton import Part
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED, WorldSettings
from controlplane.journal.journal_reader import open_journal
from tests.support.command import inside, started, write_config
from tests.support.endpoints import Asked, model_server, response
from tests.support.exoskeleton_trials import fault_of
from tests.support.shop_players import play

SETTINGS = WorldSettings()


@pytest.mark.parametrize(
    ("task_id", "fault", "part"),
    [
        ("archive-fraud.13", "forgotten", Part.EVIDENCE_STORE),
        ("sku-lookup.7", "spelling", Part.REFERENCES),
        ("sku-lookup.2", "forgotten", Part.REFERENCES),
        ("sku-lookup.1", "wording", Part.FORMATTER),
    ],
)
def test_a_part_mends_a_fault_that_costs_the_answer_without_it(task_id, fault, part):
    key = TrialId(task_id, 0, 1, SETTINGS.profile, "t").world_seed
    task = generate_task(task_id, key, SETTINGS)

    assert fault_of(task.instruction) == fault
    every = frozenset(Part) - {Part.PREFLIGHT}
    family = task_id.rpartition(".")[0]
    scores = [
        play(family, task, key, parts=parts, with_faults=True).score
        for parts in (every, every - {part})
    ]
    assert scores[0] == 1.0 > scores[1]


def shared(pair: tuple[str, str]) -> int:
    return len(os.path.commonprefix(pair))  # noqa: RUF071 - characters are meant


def test_the_longest_trial_stays_within_its_tokens_and_most_of_them_are_kept_by_a_cache(
    heavy: bool,
) -> None:
    """Each task is played for eight turns, with reads
    of what it cites between; four characters are a token.

    A request keeps what stands at the start of the one before, a first one what another
    trial's begins with too.
    """
    settings, trials = replace(PLAYED, names="mixed"), []
    for task_id in task_ids()[: None if heavy else 12]:
        key = TrialId(task_id, 0, 1, settings.profile, "t").world_seed
        task, family = generate_task(task_id, key, settings), task_id.rpartition(".")[0]
        played = play(
            family, task, key, parts=frozenset(Part) - {Part.PREFLIGHT}, turns=8
        )
        trials.append(played.requests[:8])
    trials = sorted(filter(None, trials))

    assert len(trials) > 9
    neighbours = [
        0,
        *(shared((one[0], other[0])) for one, other in pairwise(trials)),
        0,
    ]
    sent = [sum(map(len, requests)) for requests in trials]
    kept = [
        max(two) + sum(map(shared, pairwise(each)))
        for two, each in zip(pairwise(neighbours), trials, strict=True)
    ]
    assert max(sent) // 4 <= 90_000
    assert kept[sent.index(max(sent))] / max(sent) >= 0.86
    assert sum(kept) / sum(sent) >= 0.865


TASKS = ("record-field.1", "sku-lookup.1")
PROFILE = """[profiles.big]
model = "m"
base_url = "{url}"
api = "responses"
"""
USAGE = {
    "input_tokens": 900,
    "output_tokens": 7,
    "input_tokens_details": {"cached_tokens": 500},
}


class Reader:
    """Reads what the truth cites, all in one turn,
    and answers in the next; may hang before its last answer."""

    def __init__(self) -> None:
        keys = [TrialId(task, 0, 0, PLAYED.profile, "t").world_seed for task in TASKS]
        self.tasks = [
            generate_task(each, key, PLAYED)
            for each, key in zip(TASKS, keys, strict=True)
        ]
        self.hangs = True
        self.is_hanging = threading.Event()
        self.ended = threading.Event()

    def __call__(self, asked: Asked, connection: socket.socket) -> bytes:
        items: Any = asked.body["input"]
        said = "\n".join(str(item.get("content", "")) for item in items)
        task = next(
            candidate
            for candidate in self.tasks
            if candidate.instruction.strip() in said
        )
        truth, files = task.truth, workspace_of(task.world).files
        reasons = {
            path: " ".join(files[path].split())[:160]
            for path in (*truth.must_cite, *truth.must_cite_pages)
        }
        if not any(item.get("call_id") == "read_0" for item in items):
            thought = {
                "type": "reasoning",
                "id": "r1",
                "summary": [],
                "encrypted_content": "sealed",
            }
            reads = [
                called(f"read_{at}", "read", path=path)
                for at, path in enumerate(reasons)
            ]
            return answered(thought, *reads, called("date", "exec", path="/bin/date"))
        if self.hangs and task is self.tasks[-1]:
            self.is_hanging.set()
            self.ended.wait(60)
        records = [{"path": path, "reason": reason} for path, reason in reasons.items()]
        done = {"message": truth.message, "outcome": truth.outcome, "records": records}
        return answered(called("end", "report_completion", **done))


def called(number: str, name: str, **arguments: object) -> dict[str, object]:
    return {
        "type": "function_call",
        "call_id": number,
        "name": name,
        "arguments": json.dumps(arguments),
    }


def answered(*items: object) -> bytes:
    return response(
        200,
        json.dumps(
            {
                "object": "response",
                "status": "completed",
                "output": items,
                "usage": USAGE,
            }
        ),
    )


def test_a_killed_run_over_the_responses_api_goes_on_where_it_was_and_can_be_verified(
    tmp_path,
):
    reader = Reader()
    with model_server(reader) as server:
        write_config(tmp_path / "controlplane.toml", PROFILE.format(url=server.url))
        flags = (
            "--agent",
            "exoskeleton",
            "--model",
            "big",
            "--parts",
            "-classifier,-preflight,-formatter",
        )
        process = started(
            "run", *TASKS, *flags, "--concurrency", "1", "--quiet", cwd=tmp_path
        )
        try:
            assert reader.is_hanging.wait(60)
        finally:
            process.kill()
            process.communicate()
            reader.hangs = False
            reader.ended.set()
        before = len(server.asked)
        resumed = inside("resume", "last", "--json", cwd=tmp_path)
        assert resumed.code == 0, resumed.err
        after = [request.body for request in server.asked[before:]]

    assert [trial["score"] for trial in resumed.json["trials"]] == [1.0, 1.0]
    assert len(after) == 1, "only the reply that never came is asked for again"
    items: Any = after[0]["input"]
    own = [
        (item.get("type", item.get("role")), item.get("call_id"))
        for item in items
        if "role" in item or "type" in item
    ]
    number = len(
        reader.tasks[-1].truth.must_cite + reader.tasks[-1].truth.must_cite_pages
    )
    reads = [*(f"read_{at}" for at in range(number)), "date"]
    calls = [("function_call", read) for read in reads]
    results = [("function_call_output", read) for read in reads]
    assert own[-len(calls) * 2 - 1 :] == [("reasoning", None), *calls, *results]
    assert {tool["name"] for tool in after[0]["tools"]} >= {
        "read",
        "exec",
        "report_completion",
    }
    (journal,) = tmp_path.glob("runs/*.jsonl")
    steps = [len(trial.steps) for trial in open_journal(journal).trials.values()]
    assert steps == [3, 3], "a first step, the reads, the completion"
    verified = inside("replay", "last", "--verify", cwd=tmp_path)
    assert verified.code == 0, verified.out + verified.err
