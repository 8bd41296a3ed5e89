"""A server of OpenAI's Responses API, which knows the right answers to two tasks of the shop.

It answers the first request of a task with a thought and calls that read files, and the second one
with a call of `report_completion`, which has the right answer. `AnswerAllButLast` keeps the last
reply back until the run that waits for it is killed.
"""

import socket
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
from tests.exoskeleton.response_items import THOUGHT, function_call, response
from tests.support.endpoints import ModelHttpRequest

TASK_IDS = ("record-field.1", "sku-lookup.1")
TASKS = [generate_task(task_id, f"0|{task_id}|0", PLAYED) for task_id in TASK_IDS]
"""The two tasks, as a run with the seed 0 generates them."""
LAST_TASK = TASKS[-1]


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


def paths_to_cite(task: Task) -> list[str]:
    """Return the paths that the right answer cites."""
    return [*task.truth.must_cite, *task.truth.must_cite_pages]


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
