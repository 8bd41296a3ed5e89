"""The messages of one call of a worker: the call, questions of its function, and the result.

The process is isolated, so a function that needs the text of a file asks for it. The parent
answers by `serve`, which the caller passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeAlias

from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages.frames import (
    TooLong,
    limit_wait,
    send_body,
)
from controlplane.sandbox.interface.messages.message_fields import (
    MessageFields,
    read_message,
)
from controlplane.sandbox.interface.messages.worker_messages import (
    FunctionCall,
    FunctionError,
    FunctionResult,
    Question,
    QuestionAnswer,
    QuestionRefusal,
    ToWorker,
    decode_from_worker,
)
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.parent.child_process import ChildProcess

Serve: TypeAlias = Callable[[list[Any]], Plain]
"""Answers a question of the running function, such as the paths of files whose texts
it needs: `["/a.md", "/b.md"]`. May raise `CallError`."""


def serve_nothing(question: list[Any]) -> Plain:
    """Refuse every question: for functions that ask none."""
    raise CallError(INTERNAL, "nothing may be asked inside this call")


class ProcessMustEnd(CallError):
    """A call failed, and its process cannot be used for another call."""


class WorkerExchange:
    """Exchanges the messages of one call with the isolated process of a worker.

    The call is sent. Before its result comes, the function may ask questions, such as for the
    texts of files: each is answered by `serve`. All of it has one deadline.
    """

    def __init__(self, child: ChildProcess, limits: WorkerLimits, serve: Serve) -> None:
        self._child = child
        self._limits = limits
        self._serve = serve
        self._deadline = time.monotonic() + limits.call_wall_s

    def result_of(self, call: FunctionCall) -> Any:
        """Send a call, answer the questions of its function, and return its result.

        Raises `CallError` if the function fails, and `ProcessMustEnd` if the process cannot be
        used again. `Overdue`, `Forged` and `Closed` mean that the process itself is lost.
        """
        try:
            self._send(call)
        except TooLong as error:
            raise CallError(RESOURCE_EXHAUSTED, str(error)) from None

        # After the last permitted question, the result may still come. So the loop goes
        # on for one message more, and ends only if that is a question, too.
        answered_questions = 0
        while answered_questions <= self._limits.call_questions:
            body = self._child.reader.receive_body(
                self._limits.reply_bytes, self._deadline
            )
            match decode_from_worker(MessageFields(read_message(body))):
                case FunctionResult(value):
                    return value
                case FunctionError(code, text, process_must_end):
                    if process_must_end:
                        raise ProcessMustEnd(code, text)
                    raise CallError(code, text)
                case Question(arguments):
                    answered_questions += 1
                    self._answer_question(arguments)

        # The message speaks of files, because all functions that ask do so for files.
        raise ProcessMustEnd(
            RESOURCE_EXHAUSTED,
            f"the call needs more than {self._limits.call_questions} files or batches of files; "
            "narrow it to a folder",
        )

    def _answer_question(self, question: list[Any]) -> None:
        """Answer a question of the running function by `serve`, or refuse it if `serve` raises."""
        answer: QuestionAnswer | QuestionRefusal
        try:
            answer = QuestionAnswer(self._serve(question))
        except CallError as error:
            answer = QuestionRefusal(error.code, error.message)
        try:
            self._send(answer)
        except TooLong as error:
            # The process waits for an answer that cannot be sent.
            raise ProcessMustEnd(RESOURCE_EXHAUSTED, str(error)) from None

    def _send(self, message: ToWorker) -> None:
        """Send a message to the process. Raises `TooLong` before anything is sent."""
        connection = self._child.connection
        limit_wait(connection, self._deadline)
        send_body(connection, json_bytes(message.encode()), self._limits.message_bytes)
