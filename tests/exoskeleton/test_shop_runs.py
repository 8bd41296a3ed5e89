"""Runs of the second solver, the `Exoskeleton`, in the embedded shop.

The solver lets a model answer a request by calling tools. It has parts around the model, such as
a formatter, which corrects the form of the answer. The tests show that a part corrects a model's
fault, how much of a conversation a model's cache saves, and that a killed run resumes without
asking for a reply twice.
"""

import json
import os
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.exoskeleton import Part
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED, WorldSettings
from controlplane.journal.journal_reader import open_journal
from tests.support.command import (
    CommandResult,
    run_in_process,
    start_controlplane,
    write_config,
)
from tests.support.endpoints import ModelHttpRequest, http_response, model_server
from tests.support.model_faults import fault_of
from tests.support.shop_players import PlayedTrial, play_shop_trial

PARTS_WITH_MODEL = frozenset(Part) - {Part.PREFLIGHT}
"""The solver's parts without the checks that may answer a request before the model sees it."""


def generated_task(task_id: str, settings: WorldSettings, seed: int) -> Task:
    """Return the task with this id, such as `sku-lookup.7`, in the shop that the seed makes."""
    return generate_task(task_id, world_seed(task_id, settings, seed), settings)


def world_seed(task_id: str, settings: WorldSettings, seed: int) -> str:
    """Return the text by which the task's shop is generated, in a run with this seed."""
    trial_id = TrialId(
        task_id, repeat=0, seed=seed, profile=settings.profile, token="t"
    )
    return trial_id.world_seed


def family_of(task_id: str) -> str:
    """Return the family of a task: `sku-lookup` for `sku-lookup.7`."""
    return task_id.rpartition(".")[0]


# A part corrects a fault.


@pytest.mark.parametrize(
    ("task_id", "fault", "part"),
    [
        pytest.param(
            "archive-fraud.13",
            "forgotten",
            Part.EVIDENCE_STORE,
            id="a record that was found is not cited",
        ),
        pytest.param(
            "sku-lookup.7", "spelling", Part.REFERENCES, id="cited paths are misspelt"
        ),
        pytest.param(
            "sku-lookup.2",
            "forgotten",
            Part.REFERENCES,
            id="a record that was named is not cited",
        ),
        pytest.param(
            "sku-lookup.1",
            "wording",
            Part.FORMATTER,
            id="the message has needless words",
        ),
    ],
)
def test_a_part_corrects_a_fault_that_costs_points_without_it(
    task_id: str, fault: str, part: Part
) -> None:
    """The model makes the fault that belongs to the task, each time the task is played."""
    settings = WorldSettings()
    task = generated_task(task_id, settings, seed=1)
    assert fault_of(task.instruction) == fault

    def play(parts: frozenset[Part]) -> PlayedTrial:
        return play_shop_trial(
            family_of(task_id),
            task,
            key=world_seed(task_id, settings, seed=1),
            parts=parts,
            with_faults=True,
        )

    trial_with_part = play(PARTS_WITH_MODEL)
    trial_without_part = play(PARTS_WITH_MODEL - {part})

    assert trial_with_part.score == 1.0
    assert trial_without_part.score < 1.0


# What a cache saves. An endpoint charges less for the beginning of a request if it has seen an
# equal beginning before. So requests should only grow at their end.

CHARS_PER_TOKEN = 4
"""How many characters a model's token has, roughly."""

TURNS = 8
"""How many requests the model sends in each trial."""

MOST_TOKENS_OF_TRIAL = 90_000
LEAST_CACHED_SHARE_OF_LONGEST_TRIAL = 0.86
LEAST_CACHED_SHARE_OF_ALL_TRIALS = 0.865
"""Limits a little above and below what was measured when they were set. A change that costs
tokens, or that makes requests begin differently, is to be noticed."""

QUICK_TASKS = 12
"""How many tasks are played without `--heavy`."""

Requests = Sequence[str]
"""The requests of a trial to its model, as texts."""


def common_start(text: str, other_text: str) -> int:
    """Return how many characters two texts have in common at their start."""
    prefix = os.path.commonprefix((text, other_text))  # noqa: RUF071 - characters are meant
    return len(prefix)


def sent_chars(requests: Requests) -> int:
    return sum(len(request) for request in requests)


def cached_chars(trials: Sequence[Requests], number: int) -> int:
    """Return how many characters of a trial's requests a cache of the model can know.

    A request starts as the one before it does. The first request of a trial starts as that of
    another trial does; in the sorted list of `trials`, its neighbours have most in common.
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


def requests_of_trials(played_task_ids: Sequence[str]) -> list[Requests]:
    """Play each task for eight turns; return the requests of each trial that asked its model.

    In each turn the model reads files that its answer will cite.
    """
    settings = replace(PLAYED, names="mixed")
    trials: list[Requests] = []
    for task_id in played_task_ids:
        trial = play_shop_trial(
            family_of(task_id),
            generated_task(task_id, settings, seed=1),
            key=world_seed(task_id, settings, seed=1),
            parts=PARTS_WITH_MODEL,
            turns=TURNS,
        )
        if trial.requests:
            trials.append(list(trial.requests[:TURNS]))
    return trials


def test_a_cache_saves_most_of_the_tokens_that_trials_send(heavy: bool) -> None:
    """A cache knows what a request has in common with one before it. There is a limit for the longest
    trial, and one for all trials together."""
    played_task_ids = task_ids() if heavy else task_ids()[:QUICK_TASKS]

    trials = sorted(requests_of_trials(played_task_ids))

    # Nearly all tasks reach the model; checks before it answer the others.
    assert len(trials) >= 10
    sent = [sent_chars(requests) for requests in trials]
    cached = [cached_chars(trials, number) for number in range(len(trials))]
    longest = sent.index(max(sent))
    assert sent[longest] / CHARS_PER_TOKEN <= MOST_TOKENS_OF_TRIAL
    assert cached[longest] / sent[longest] >= LEAST_CACHED_SHARE_OF_LONGEST_TRIAL
    assert sum(cached) / sum(sent) >= LEAST_CACHED_SHARE_OF_ALL_TRIALS


# A run over the Responses API of OpenAI, which is killed and resumed.

TASKS_OF_RUN = ("record-field.1", "sku-lookup.1")
"""A run plays these in this order."""

CONFIGURATION = """[profiles.big]
model = "m"
base_url = "{url}"
api = "responses"
"""
"""Names the model's server; the run's `--model big` is this profile."""

USAGE = {
    "input_tokens": 900,
    "output_tokens": 7,
    "input_tokens_details": {"cached_tokens": 500},
}
"""How many tokens each reply says that it has used."""

STEPS_OF_TRIAL = 3
"""The checks before the model, the turn that reads, and the turn that completes."""


def function_call(call_id: str, name: str, **arguments: object) -> dict[str, object]:
    """Return a call of a tool as an item of the Responses API."""
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": json.dumps(arguments),
    }


ENCRYPTED_THOUGHT = {
    "type": "reasoning",
    "id": "r1",
    "summary": [],
    "encrypted_content": "sealed",
}
"""A thought of the model, encrypted by the server, which wants it back in the next request."""


def response(*items: object) -> bytes:
    """Return a reply of the Responses API with these items."""
    body = {
        "object": "response",
        "status": "completed",
        "output": items,
        "usage": USAGE,
    }
    return http_response(200, json.dumps(body))


def paths_to_cite(task: Task) -> list[str]:
    """Return the paths that the right answer cites."""
    return [*task.truth.must_cite, *task.truth.must_cite_pages]


def calls_of_first_turn(task: Task) -> list[dict[str, object]]:
    """Return the calls that read all that is to be cited, and tell the date."""
    calls: list[dict[str, object]] = []
    for number, path in enumerate(paths_to_cite(task)):
        calls.append(function_call(f"read_{number}", "read", path=path))
    calls.append(function_call("date", "exec", path="/bin/date"))
    return calls


def right_completion(task: Task) -> dict[str, object]:
    """Return the call that ends a trial with the right answer.

    The reason for each citation is the beginning of the cited file.
    """
    files = workspace_of(task.world).files
    records: list[dict[str, str]] = []
    for path in paths_to_cite(task):
        reason = " ".join(files[path].split())[:160]
        records.append({"path": path, "reason": reason})
    return function_call(
        "end",
        "report_completion",
        message=task.truth.message,
        outcome=task.truth.outcome,
        records=records,
    )


class HangingModel:
    """A model that solves `TASKS_OF_RUN`, each in two turns: it reads, and it completes.

    While `hangs` is True, it does not answer the last request of the last task.
    """

    def __init__(self) -> None:
        self.tasks = [
            generated_task(task_id, PLAYED, seed=0) for task_id in TASKS_OF_RUN
        ]
        self.hangs = True
        self.is_hanging = threading.Event()
        """Set as soon as it hangs."""
        self.may_end = threading.Event()
        """Set by the test to end the request that hangs."""

    def __call__(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        items: Any = request.body["input"]
        task = self._requested_task(items)
        has_read = any(item.get("call_id") == "read_0" for item in items)
        if not has_read:
            return response(ENCRYPTED_THOUGHT, *calls_of_first_turn(task))

        if self.hangs and task is self.tasks[-1]:
            self.is_hanging.set()
            self.may_end.wait(60)
        return response(right_completion(task))

    def _requested_task(self, items: Sequence[Mapping[str, Any]]) -> Task:
        """Return the task whose instruction is in a request."""
        texts = "\n".join(str(item.get("content", "")) for item in items)
        for task in self.tasks:
            if task.instruction.strip() in texts:
                return task
        raise AssertionError(texts)


def start_run_and_kill_it(model: HangingModel, folder: Path) -> None:
    """Start a run of both tasks, one after the other, and kill it when the model hangs."""
    process = start_controlplane(
        "run",
        *TASKS_OF_RUN,
        "--agent",
        "exoskeleton",
        "--model",
        "big",
        "--parts",
        "-classifier,-preflight,-formatter",
        "--concurrency",
        "1",
        "--quiet",
        cwd=folder,
    )
    try:
        assert model.is_hanging.wait(60)
    finally:
        process.kill()
        process.communicate()
        model.hangs = False
        model.may_end.set()


def killed_and_resumed_run(folder: Path) -> tuple[CommandResult, list[dict[str, Any]]]:
    """Run the tasks, kill the run before its last reply, and resume it.

    Returns how `resume` ended, and the requests to the model after the kill.
    """
    model = HangingModel()
    with model_server(model) as server:
        configuration = CONFIGURATION.format(url=server.url)
        write_config(folder / "controlplane.toml", configuration)
        start_run_and_kill_it(model, folder)
        requests_before_kill = len(server.asked)

        resumed = run_in_process("resume", "last", "--json", cwd=folder)

        later_requests = server.asked[requests_before_kill:]
        return resumed, [request.body for request in later_requests]


def test_a_killed_run_over_the_responses_api_asks_only_for_the_missing_reply(
    tmp_path: Path,
) -> None:
    """The run is killed while the model hangs before its last reply; then it is resumed, and its
    journal is verified."""
    resumed, later_requests = killed_and_resumed_run(tmp_path)
    verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    for trial in resumed.json["trials"]:
        assert trial["score"] == 1.0
    (request,) = later_requests
    last_task = generated_task(TASKS_OF_RUN[-1], PLAYED, seed=0)
    assert_ends_with_first_turn(request["input"], last_task)
    tool_names = {tool["name"] for tool in request["tools"]}
    assert tool_names >= {"read", "exec", "report_completion"}
    (journal,) = tmp_path.glob("runs/*.jsonl")
    trials = list(open_journal(journal).trials.values())
    assert len(trials) == len(TASKS_OF_RUN)
    for trial in trials:
        assert len(trial.steps) == STEPS_OF_TRIAL
    assert verified.code == 0, verified.out + verified.err


def assert_ends_with_first_turn(items: Sequence[Mapping[str, Any]], task: Task) -> None:
    """Assert that a request ends with the model's first turn: the thought, the calls, and then
    the results of all calls."""
    call_ids = [call["call_id"] for call in calls_of_first_turn(task)]
    expected: list[tuple[str, object]] = [("reasoning", None)]
    for call_id in call_ids:
        expected.append(("function_call", call_id))
    for call_id in call_ids:
        expected.append(("function_call_output", call_id))

    types_and_ids: list[tuple[str, object]] = []
    for item in items:
        item_type = item.get("type", item.get("role"))
        types_and_ids.append((item_type, item.get("call_id")))

    assert types_and_ids[-len(expected) :] == expected
