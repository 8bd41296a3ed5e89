"""The connection of a worker's process to its parent, and the questions of a running function.

A worker runs functions that the parent calls. A function may need something that only the parent
has, such as the text of a file, and asks for it by `ask_parent`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.json_documents import json_text
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages.frames import (
    Forged,
    FrameReader,
    send_body,
)
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.worker_messages import (
    FromWorker,
    FunctionQuestion,
    QuestionAnswer,
    QuestionRefusal,
    ToWorker,
    decode_for_worker,
)
from controlplane.sandbox.interface.parameters import Plain


@dataclass(frozen=True, slots=True)
class ParentConnection:
    """Sends messages to the parent and receives the parent's messages."""

    reader: FrameReader
    limits: WorkerLimits

    def receive(self) -> ToWorker:
        """Return the parent's next message. Raises `Closed`."""
        message = self.reader.receive(self.limits.message_bytes)
        return decode_for_worker(MessageFields(message))

    def send(self, message: FromWorker) -> None:
        """Send a message. Raises `TooLong` and `Closed`."""
        self.send_encoded(encode_message(message))

    def send_encoded(self, body: bytes) -> None:
        """Send a message that is encoded already."""
        send_body(self.reader.connection, body, self.limits.reply_bytes)


def encode_message(message: FromWorker) -> bytes:
    """Return the bytes of a message. Raises `TypeError` or `ValueError` if it is not plain data."""
    return json_text(message.encode()).encode("utf-8", "replace")


# Questions


class CurrentProcess:
    """Holds the one connection of this process to its parent, for `ask_parent`.

    `WorkerServer.serve` sets it. The functions that it runs do not get the connection as an
    argument, because their arguments are those of the call.
    """

    parent: ParentConnection


def ask_parent(*question: Plain) -> Plain:
    """Ask the parent a question during a call, and return the answer of its `serve`.

    Raises `CallError` if the parent refuses.
    """
    parent = CurrentProcess.parent
    parent.send(FunctionQuestion(list(question)))
    match parent.receive():
        case QuestionAnswer(value):
            return value
        case QuestionRefusal(code, message):
            raise CallError(code, message)
        case _:
            msg = "the parent did not answer a question"
            raise Forged(msg)
