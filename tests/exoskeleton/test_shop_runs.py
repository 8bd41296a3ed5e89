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
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED, WorldSettings
from controlplane.journal.journal_reader import open_journal
from tests.support.command import run_in_process, start_controlplane, write_config
from tests.support.endpoints import ModelHttpRequest, http_response, model_server
from tests.support.exoskeleton_trials import fault_of
from tests.support.shop_players import play_shop_trial

SETTINGS = WorldSettings()
EVERY_PART = frozenset(Part) - {Part.PREFLIGHT}
"""The solver's parts without the checks before the model, so that the model plays each task."""


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

    family = task_id.rpartition(".")[0]

    with_part = play_shop_trial(family, task, key, parts=EVERY_PART, with_faults=True)
    without_part = play_shop_trial(
        family, task, key, parts=EVERY_PART - {part}, with_faults=True
    )

    assert fault_of(task.instruction) == fault, "the fault that falls to this task"
    assert with_part.score == 1.0
    assert without_part.score < 1.0


CHARS_PER_TOKEN = 4
MAX_TOKENS_OF_TRIAL = 90_000
LEAST_CACHED_SHARE_OF_LONGEST = 0.86
LEAST_CACHED_SHARE_OF_ALL = 0.865
TURNS = 8


def common_start(text: str, other_text: str) -> int:
    """Return how many characters two texts have in common at their start."""
    prefix = os.path.commonprefix((text, other_text))  # noqa: RUF071 - characters are meant
    return len(prefix)


def cached_chars(trials: list[list[str]], number: int) -> int:
    """Return how many characters of a trial's requests a cache of the model can keep.

    The trials are sorted lists of requests. A request starts as the one before it does. The first
    request of a trial starts as the first one of another trial does, most of all as that of one
    of its neighbours in the sorted list.
    """
    requests = trials[number]
    cached_of_first = 0
    for neighbour in (number - 1, number + 1):
        if 0 <= neighbour < len(trials):
            cached = common_start(requests[0], trials[neighbour][0])
            cached_of_first = max(cached_of_first, cached)
    cached_of_later = 0
    for earlier, later in pairwise(requests):
        cached_of_later += common_start(earlier, later)
    return cached_of_first + cached_of_later


def test_the_longest_trial_stays_within_its_tokens_and_most_of_them_are_kept_by_a_cache(
    heavy: bool,
) -> None:
    """Each task is played for eight turns, in which the model reads what it cites."""
    settings = replace(PLAYED, names="mixed")
    played_task_ids = task_ids()
    if not heavy:
        played_task_ids = played_task_ids[:12]
    trials: list[list[str]] = []
    for task_id in played_task_ids:
        key = TrialId(task_id, 0, 1, settings.profile, "t").world_seed
        task = generate_task(task_id, key, settings)
        family = task_id.rpartition(".")[0]
        played = play_shop_trial(family, task, key, parts=EVERY_PART, turns=TURNS)
        if played.requests:
            trials.append(list(played.requests[:TURNS]))
    trials.sort()

    sent = [sum(len(request) for request in requests) for requests in trials]
    cached = [cached_chars(trials, number) for number in range(len(trials))]
    longest = sent.index(max(sent))

    assert len(trials) >= 10, "nearly all tasks reach the model"
    assert sent[longest] // CHARS_PER_TOKEN <= MAX_TOKENS_OF_TRIAL
    assert cached[longest] / sent[longest] >= LEAST_CACHED_SHARE_OF_LONGEST
    assert sum(cached) / sum(sent) >= LEAST_CACHED_SHARE_OF_ALL


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
    """A model that plays `TASKS`: it reads what the truth cites, all in one turn, and answers in
    the next one. Before the answer to the last task it hangs, until `hangs` is False."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        for task_id in TASKS:
            key = TrialId(task_id, 0, 0, PLAYED.profile, "t").world_seed
            self.tasks.append(generate_task(task_id, key, PLAYED))
        self.hangs = True
        self.is_hanging = threading.Event()
        """Set as soon as it hangs."""
        self.ended = threading.Event()
        """Set by the test to end the request that hangs."""

    def __call__(self, asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        items: Any = asked.body["input"]
        task = self._requested_task(items)
        reasons = reasons_to_cite(task)
        has_read = any(item.get("call_id") == "read_0" for item in items)
        if not has_read:
            thought = {
                "type": "reasoning",
                "id": "r1",
                "summary": [],
                "encrypted_content": "sealed",
            }
            reads = [
                called(f"read_{number}", "read", path=path)
                for number, path in enumerate(reasons)
            ]
            return answered(thought, *reads, called("date", "exec", path="/bin/date"))

        if self.hangs and task is self.tasks[-1]:
            self.is_hanging.set()
            self.ended.wait(60)
        completion = called(
            "end",
            "report_completion",
            message=task.truth.message,
            outcome=task.truth.outcome,
            records=[
                {"path": path, "reason": reason} for path, reason in reasons.items()
            ],
        )
        return answered(completion)

    def _requested_task(self, items: Any) -> Task:
        """Return the task whose instruction is in a request."""
        texts = "\n".join(str(item.get("content", "")) for item in items)
        for task in self.tasks:
            if task.instruction.strip() in texts:
                return task
        raise AssertionError(texts)


def cited_paths(task: Task) -> list[str]:
    return [*task.truth.must_cite, *task.truth.must_cite_pages]


def reasons_to_cite(task: Task) -> dict[str, str]:
    """Return a reason for each path that has to be cited: the beginning of the file."""
    files = workspace_of(task.world).files
    return {path: " ".join(files[path].split())[:160] for path in cited_paths(task)}


def called(number: str, name: str, **arguments: object) -> dict[str, object]:
    """Return a call of a tool as an item of the Responses API."""
    return {
        "type": "function_call",
        "call_id": number,
        "name": name,
        "arguments": json.dumps(arguments),
    }


def answered(*items: object) -> bytes:
    """Return a reply of the Responses API with these items."""
    return http_response(
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
    """The run is killed while the model hangs before its last reply; then it is resumed, and its
    journal is verified."""
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
        process = start_controlplane(
            "run", *TASKS, *flags, "--concurrency", "1", "--quiet", cwd=tmp_path
        )
        try:
            assert reader.is_hanging.wait(60)
        finally:
            process.kill()
            process.communicate()
            reader.hangs = False
            reader.ended.set()
        requests_before = len(server.asked)

        resumed = run_in_process("resume", "last", "--json", cwd=tmp_path)

        requests_after = [request.body for request in server.asked[requests_before:]]
    verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    assert [trial["score"] for trial in resumed.json["trials"]] == [1.0, 1.0]
    assert len(requests_after) == 1, "only the reply that never came is asked for again"
    (request,) = requests_after
    assert_has_first_turn(request["input"], reader.tasks[-1])
    tool_names = {tool["name"] for tool in request["tools"]}
    assert tool_names >= {"read", "exec", "report_completion"}
    (journal,) = tmp_path.glob("runs/*.jsonl")
    step_counts = [len(trial.steps) for trial in open_journal(journal).trials.values()]
    assert step_counts == [3, 3], "a first step, the reads, the completion"
    assert verified.code == 0, verified.out + verified.err


def assert_has_first_turn(items: Any, task: Task) -> None:
    """Assert that a request ends with the model's first turn: thought, calls, results of all."""
    call_ids = [f"read_{number}" for number in range(len(cited_paths(task)))]
    call_ids.append("date")
    expected: list[tuple[str, str | None]] = [("reasoning", None)]
    expected += [("function_call", call_id) for call_id in call_ids]
    expected += [("function_call_output", call_id) for call_id in call_ids]

    types_and_ids: list[tuple[str, str | None]] = []
    for item in items:
        if "role" in item or "type" in item:
            item_type = item.get("type", item.get("role"))
            types_and_ids.append((item_type, item.get("call_id")))

    assert types_and_ids[-len(expected) :] == expected
