"""What `ask` does while a model's reply is late, partial, or too expensive.

The model is a server in the test's process. A reply is shown while the model still writes it, a
model that cannot be reached is given up, and a question that has used up its tokens can be resumed.
"""

import json
import re
import socket
import threading
from pathlib import Path

from controlplane.errors import BudgetExhausted, Unreachable
from tests.controlplane.questions.asked_question import ANSWER, QUESTION
from tests.support.command import PATIENCE_S, CommandResult, run_in_process
from tests.support.endpoints import ModelHttpRequest, model_server, responding_in_turn
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal


def resume_after_cut_off(folder: Path, *output_options: str) -> CommandResult:
    """Ask with a limit of 10 tokens, which the first of two replies uses up, and resume the
    question with a higher limit. Return what `resume` printed; `output_options` are "--json" or
    none."""
    question = ("ask", QUESTION, "docs", "--model", "m", *output_options)
    replies = responding_in_turn(step_reply("print(1)"), step_reply(ANSWER))
    with model_server(replies) as server:
        endpoint = {"OPENAI_BASE_URL": server.url}
        cut_off = run_in_process(
            *question, "--max-tokens-run", "10", cwd=folder, **endpoint
        )
        resume = ("resume", "last", "--max-tokens-run", "100000", *output_options)
        resumed = run_in_process(*resume, cwd=folder, **endpoint)

    assert cut_off.code == BudgetExhausted.exit_code
    assert resumed.code == 0, resumed.err
    return resumed


class TestCutOffQuestions:
    """A question has used up its 10 tokens, and is resumed with a higher limit.

    The first reply of the model has used them up. The second one answers from docs/loans.md in
    `loan_folder`.
    """

    def test_a_question_that_was_cut_off_is_resumed_with_its_answer(
        self, loan_folder: Path
    ) -> None:
        """`resume` prints the answer as `ask` would have, with footnote and passage."""
        resumed = resume_after_cut_off(loan_folder)

        assert resumed.out.startswith(
            "Until 2026-03-01 [1].\n"
            "\n"
            "  [1] docs/loans.md:4\n"
            "\n"
            "  docs/loans.md:4\n"
            "    > until 2026-03-01\n"
        )
        assert "controlplane replay" in resumed.err

    def test_a_question_that_was_cut_off_is_resumed_with_its_answer_as_json(
        self, loan_folder: Path
    ) -> None:
        resumed = resume_after_cut_off(loan_folder, "--json")

        assert resumed.json["status"] == "answered"
        (citation,) = resumed.json["citations"]
        assert citation["line"] == 4


def stream_event(**choice: object) -> bytes:
    """Return an event of a reply that a model sends in parts, as an endpoint writes it.

    `stream_event(delta={"content": "Unt"})` is the part "Unt" of the reply.
    """
    event = {"choices": [{"index": 0, **choice}]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


class TestLateReplies:
    """The model sends its reply in two parts, or cannot be reached.

    `loan_folder` has docs/loans.md, in which lines 3 and 4 say that loan-02 is kept until
    2026-03-01. `ANSWER` is a script that cites them.
    """

    def test_the_beginning_of_a_reply_is_shown_while_the_model_still_writes(
        self, loan_folder: Path
    ) -> None:
        """1. The model sends the first 30 characters of its reply, and waits.
        2. The terminal shows them behind "step 1 · …".
        3. The model sends the rest, a script with the answer, and the terminal shows the answer.
        """
        reply = step_reply(ANSWER, state="")
        beginning, rest = reply[:30], reply[30:]
        beginning_is_shown = threading.Event()

        head_of_stream = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"

        end_of_stream = (
            stream_event(delta={}, finish_reason="stop") + b"data: [DONE]\n\n"
        )

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

    def test_an_unreachable_model_is_given_up_after_the_patience(
        self, loan_folder: Path
    ) -> None:
        """Nothing listens at the address; `--model-patience` says for how long to try again."""
        words = ("ask", QUESTION, "docs", "--model", "any", "--model-patience", "1")
        endpoint = {
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
        }

        asked = run_in_process(*words, cwd=loan_folder, **endpoint)

        assert asked.code == Unreachable.exit_code, asked.err
        assert "a step waits 1 s (--model-patience)" in asked.err
