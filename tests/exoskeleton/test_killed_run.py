"""A run over the Responses API of OpenAI that is killed and resumed.

The solver `Exoskeleton` plays two tasks of the embedded shop, one after the other. The model
answers each request like this:

    task 1   first request    a thought, and calls that read files
             second request   a call of `report_completion` with the right answer
    task 2   first request    a thought, and calls that read files
             second request   no answer: the run is killed

The resumed run must ask only for the reply that it does not have.
"""

import json
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.journal.journal_reader import open_journal
from tests.support.command import run_in_process, start_controlplane, write_config
from tests.support.endpoints import ModelHttpRequest, http_response, model_server

TASK_IDS = ("record-field.1", "sku-lookup.1")
TASKS = [generate_task(task_id, f"0|{task_id}|0", PLAYED) for task_id in TASK_IDS]
"""The two tasks, as a run with the seed 0 generates them."""
LAST_TASK = TASKS[-1]

# --- The model's replies ---

THOUGHT = {
    "type": "reasoning",
    "id": "r1",
    "summary": [],
    "encrypted_content": "sealed",
}
"""A thought of the model. The server encrypts it, and wants it back in the next request."""

USAGE = {
    "input_tokens": 900,
    "output_tokens": 7,
    "input_tokens_details": {"cached_tokens": 500},
}
"""How many tokens each reply says that it has used."""


def response(*items: Mapping[str, object]) -> bytes:
    """Return a reply of the Responses API with these items: thoughts and calls."""
    body = {
        "object": "response",
        "status": "completed",
        "output": items,
        "usage": USAGE,
    }
    return http_response(200, json.dumps(body))


def function_call(call_id: str, name: str, **arguments: object) -> dict[str, object]:
    """Return a call of a tool as an item of a reply."""
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": json.dumps(arguments),
    }


def paths_to_cite(task: Task) -> list[str]:
    """Return the paths that the right answer cites."""
    return [*task.truth.must_cite, *task.truth.must_cite_pages]


def reading_calls(task: Task) -> list[dict[str, object]]:
    """Return the calls of the first reply: they read what is to be cited, and tell the date."""
    calls: list[dict[str, object]] = []
    for number, path in enumerate(paths_to_cite(task)):
        calls.append(function_call(f"read_{number}", "read", path=path))
    calls.append(function_call("date", "exec", path="/bin/date"))
    return calls


def completing_call(task: Task) -> dict[str, object]:
    """Return the call of the second reply, which ends the trial with the right answer.

    Each citation has the beginning of the cited file as its reason.
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


# --- The server of the model ---


def task_of(items: Sequence[Mapping[str, Any]]) -> Task:
    """Return the task whose instruction is in a request."""
    texts = "\n".join(str(item.get("content", "")) for item in items)
    for task in TASKS:
        if task.instruction.strip() in texts:
            return task
    raise AssertionError(texts)


def is_second_request(items: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a request has the calls of the first reply."""
    return any(item.get("call_id") == "read_0" for item in items)


def answer(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Answer a request rightly."""
    items: Any = request.body["input"]
    task = task_of(items)
    if is_second_request(items):
        return response(completing_call(task))
    return response(THOUGHT, *reading_calls(task))


class AnswerAllButLast:
    """Answers rightly until the last request, which gets its answer when it is too late."""

    def __init__(self) -> None:
        self.last_request_came = threading.Event()
        self.run_is_killed = threading.Event()

    def __call__(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        items: Any = request.body["input"]
        if task_of(items) is LAST_TASK and is_second_request(items):
            self.last_request_came.set()
            self.run_is_killed.wait(60)
        return answer(request, connection)


# --- The run ---

CONFIGURATION = """[profiles.big]
model = "m"
base_url = "{url}"
api = "responses"
"""
"""The configuration that makes `--model big` the model of our server."""


def kill_run_at_last_request(model: AnswerAllButLast, folder: Path) -> None:
    """Start a run of both tasks, and kill it while it waits for the last reply."""
    process = start_controlplane(
        "run",
        *TASK_IDS,
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
        assert model.last_request_came.wait(60)
    finally:
        process.kill()
        process.communicate()
        model.run_is_killed.set()


@dataclass
class ResumedRun:
    """What the killed run did when it was resumed."""

    result: dict[str, Any]
    """What `resume --json` printed."""
    requests: list[dict[str, Any]]
    """The bodies of the requests to the model since the kill."""


def kill_and_resume(folder: Path) -> ResumedRun:
    """Run both tasks, kill the run while it waits for the last reply, and resume it."""
    model = AnswerAllButLast()
    with model_server(model) as server:
        write_config(folder / "controlplane.toml", CONFIGURATION.format(url=server.url))
        kill_run_at_last_request(model, folder)
        requests_before = len(server.asked)

        server.answer = answer
        resumed = run_in_process("resume", "last", "--json", cwd=folder)

    assert resumed.code == 0, resumed.err
    new_requests = server.asked[requests_before:]
    return ResumedRun(resumed.json, [request.body for request in new_requests])


def test_a_killed_run_asks_only_for_the_missing_reply_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    """The one request ends with the model's earlier reply, and with the results of its calls."""
    resumed = kill_and_resume(tmp_path)

    (request,) = resumed.requests
    check_ends_with_first_reply(request["input"])
    tool_names = {tool["name"] for tool in request["tools"]}
    assert tool_names >= {"read", "exec", "report_completion"}
    scores = [trial["score"] for trial in resumed.result["trials"]]
    assert scores == [1.0, 1.0]


def check_ends_with_first_reply(items: Sequence[Mapping[str, Any]]) -> None:
    """Assert that a request ends with what was there when the run was killed.

    For the last task, the model had replied once, with a thought and calls, and the calls had their
    results: [thought, call of read_0, call of date, result of read_0, result of date]
    """
    call_ids = [call["call_id"] for call in reading_calls(LAST_TASK)]
    thought = ("reasoning", None)
    calls = [("function_call", call_id) for call_id in call_ids]
    results = [("function_call_output", call_id) for call_id in call_ids]
    expected_end = [thought, *calls, *results]

    types_and_ids: list[tuple[str | None, str | None]] = []
    for item in items:
        types_and_ids.append((item.get("type"), item.get("call_id")))

    assert types_and_ids[-len(expected_end) :] == expected_end


STEPS_OF_TRIAL = 3
"""The checks before the model, the turn that reads, and the turn that answers."""


def test_the_journal_of_a_killed_and_resumed_run_can_be_replayed(
    tmp_path: Path,
) -> None:
    """It has all steps of both trials, and the replay makes them again."""
    kill_and_resume(tmp_path)

    verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert verified.code == 0, verified.out + verified.err
    (journal,) = tmp_path.glob("runs/*.jsonl")
    trials = open_journal(journal).trials.values()
    steps = [len(trial.steps) for trial in trials]
    assert steps == [STEPS_OF_TRIAL, STEPS_OF_TRIAL]
