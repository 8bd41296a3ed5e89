"""A model behind OpenAI's Responses API that solves two tasks of the shop, in two replies each.

    request: [instruction]                      -> [thought, call of read, call of exec /bin/date]
    request: [instruction, ..., call "date"]    -> [call of report_completion with the right answer]

`answer` gives the reply at once, and `AnswerAllButLast` keeps the last one back, so that a test can kill
the run that waits for it.
"""

import socket
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.exoskeleton.response_items import THOUGHT, response
from tests.exoskeleton.right_calls import (
    DATE_CALL_ID,
    LAST_TASK,
    TASKS,
    completing_call,
    reading_calls,
)
from tests.support.endpoints import ModelHttpRequest

Items = Sequence[Mapping[str, Any]]
"""What a request contains: messages, and the calls of earlier replies with their results."""


def answer(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Answer a request rightly."""
    items: Items = request.body["input"]
    task = task_of(items)
    if is_second_request(items):
        return response(completing_call(task))
    return response(THOUGHT, *reading_calls(task))


def task_of(items: Items) -> Task:
    """Return the task whose instruction is in a request."""
    texts = "\n".join(str(item.get("content", "")) for item in items)
    for task in TASKS:
        if task.instruction.strip() in texts:
            return task
    msg = f"no task of the model has its instruction in: {texts}"
    raise AssertionError(msg)


def is_second_request(items: Items) -> bool:
    """Return True if a request has the calls of the first reply."""
    return any(item.get("call_id") == DATE_CALL_ID for item in items)


class AnswerAllButLast:
    """Answers rightly, but keeps the last reply back until the run that waits for it is killed."""

    def __init__(self) -> None:
        self.last_request_came = threading.Event()
        self.run_is_killed = threading.Event()

    def __call__(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        items: Items = request.body["input"]
        if task_of(items) is LAST_TASK and is_second_request(items):
            self.last_request_came.set()
            self.run_is_killed.wait(60)
        return answer(request, connection)
