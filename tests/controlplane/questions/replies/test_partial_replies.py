"""`ask` shows the beginning of a reply while the model still writes it.

The model is a server in the test's process. It sends the first 30 characters, and waits until the
terminal shows them behind "step 1 · …".
"""

import json
import re
import socket
import threading
from pathlib import Path

from tests.controlplane.questions.asked_question import ANSWER, QUESTION
from tests.support.command import PATIENCE_S
from tests.support.endpoints import ModelHttpRequest, model_server
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal


def stream_event(**choice: object) -> bytes:
    """Return an event of a reply that a model sends in parts, as an endpoint writes it.

    `stream_event(delta={"content": "Unt"})` is the part "Unt" of the reply.
    """
    event = {"choices": [{"index": 0, **choice}]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def test_the_beginning_of_a_reply_is_shown_while_the_model_still_writes(
    loan_folder: Path,
) -> None:
    """1. The model sends the first 30 characters of its reply, and waits.
    2. The terminal shows them behind "step 1 · …".
    3. The model sends the rest, a script with the answer, and the terminal shows the answer.
    """
    reply = step_reply(ANSWER, state="")
    beginning, rest = reply[:30], reply[30:]
    beginning_is_shown = threading.Event()

    head_of_stream = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"

    end_of_stream = stream_event(delta={}, finish_reason="stop") + b"data: [DONE]\n\n"

    def stream_reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Send the beginning, wait, and return what the server is to send after it."""
        first_event = stream_event(delta={"content": beginning})
        connection.sendall(head_of_stream + first_event)
        assert beginning_is_shown.wait(PATIENCE_S)
        return stream_event(delta={"content": rest}) + end_of_stream

    with model_server(stream_reply) as server:
        words = ("ask", QUESTION, ".", "--model", "m", "--base-url", server.url)
        with Terminal(*words, cwd=loan_folder / "docs") as terminal:
            terminal.wait_for("step 1 · …" + re.escape(beginning))
            beginning_is_shown.set()
            terminal.wait_for("Until 2026-03-01")
            assert terminal.finish() == 0
