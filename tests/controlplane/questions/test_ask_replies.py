"""What `ask` makes of a model's replies: late ones, partial ones, and prose instead of a script.

The model is a server in the test's process. It should reply with a JSON object that has a script as
`code`. If it writes the answer as prose, no script has looked at the files, so the text is shown as
an unverified draft only.
"""

import json
import re
import socket
import threading
from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted, Unreachable
from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ANSWER,
    PRINTED_ANSWER,
    QUESTION,
)
from tests.support.command import PATIENCE_S, CommandResult, run_in_process
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
    responding_in_turn,
)
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal


def resume_after_cut_off(folder: Path, *output_options: str) -> CommandResult:
    """Ask with a limit of 10 tokens, which the first of two replies uses up, and resume the question
    with a higher limit. Return what `resume` printed; `output_options` are "--json" or none."""
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


def test_a_question_that_was_cut_off_is_resumed_with_its_answer(
    loan_folder: Path,
) -> None:
    """`resume` prints the answer as `ask` would have, with footnote and passage."""
    resumed = resume_after_cut_off(loan_folder)

    assert resumed.out.startswith(PRINTED_ANSWER)
    assert "controlplane replay" in resumed.err


def test_a_question_that_was_cut_off_is_resumed_with_its_answer_as_json(
    loan_folder: Path,
) -> None:
    resumed = resume_after_cut_off(loan_folder, "--json")

    assert resumed.json["status"] == "answered"
    (citation,) = resumed.json["citations"]
    assert citation["line"] == 3


# Replies of a model that does not keep to the form, which is a JSON object with a script as `code`.
NO_CODE = '{"state": "an object without code"}'
PROSE = "Until 2026-03-01 (docs/loans.md:4). OUTCOME_OK"
OTHER_PROSE = "It says so."
THOUGHT_AND_PROSE = f"<think>Hm. {PROSE}</think>\n{PROSE}"
"""Some models write their thoughts between such tags; the text behind them counts."""


def ask_model(folder: Path, *replies: str) -> tuple[CommandResult, int]:
    """Ask a model that gives these replies in turn, however it is asked.

    Return what `ask --json` printed, and how many requests the model got.
    """
    options = ("--model", "m", "--reply-mode", "text", "--json")
    with model_server(responding_in_turn(*replies)) as server:
        endpoint = {"OPENAI_BASE_URL": server.url}
        result = run_in_process(
            "ask", QUESTION, "docs", *options, cwd=folder, **endpoint
        )
        return result, len(server.asked)


def check_prose_is_not_submitted(result: CommandResult, folder: Path) -> None:
    """Assert that `PROSE` is not the answer, and that no gate (a check of submitted answers) has
    judged it. The verdicts of the gates are in the recorded steps of the question."""
    assert PROSE not in result.json["answer"]
    replayed = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    for step in replayed.json["steps"]:
        assert PROSE not in str(step["verdicts"])
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([OTHER_PROSE, THOUGHT_AND_PROSE], id="prose twice"),
        pytest.param([NO_CODE, PROSE], id="an object without code, then prose"),
    ],
)
def test_two_replies_in_a_row_without_code_end_in_an_unverified_draft(
    replies: list[str], loan_folder: Path
) -> None:
    """The model is asked for a script once more, and replies with prose again. That may be what
    the user wants, so it is shown, but not as an answer."""
    result, requests = ask_model(loan_folder, *replies)

    assert requests == 2
    assert result.code == A_QUESTION_FAILED
    assert result.json["status"] == "no_accepted_answer"
    assert result.json["unverified_draft"] == PROSE
    check_prose_is_not_submitted(result, loan_folder)


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([PROSE, step_reply(ANSWER)], id="prose, then a script"),
        pytest.param(
            [PROSE, NO_CODE, NO_CODE, step_reply(ANSWER)],
            id="prose, two objects without code, then a script",
        ),
    ],
)
def test_an_answer_after_prose_is_accepted_without_a_draft(
    replies: list[str], loan_folder: Path
) -> None:
    """The model is told to write a script. It does, and the prose is forgotten."""
    result, requests = ask_model(loan_folder, *replies)

    assert requests == len(replies)
    assert result.code == 0
    assert result.json["status"] == "answered"
    assert result.json["unverified_draft"] == ""
    check_prose_is_not_submitted(result, loan_folder)


def test_an_unverified_draft_is_printed_below_a_warning(loan_folder: Path) -> None:
    """The model replies with prose instead of a script, twice."""
    words = ("ask", QUESTION, "docs", "--model", "m")
    with model_server(http_response(200, completion_json(PROSE))) as server:
        result = run_in_process(*words, cwd=loan_folder, OPENAI_BASE_URL=server.url)

    assert result.code == A_QUESTION_FAILED
    heading = (
        "Unverified draft, which no check has seen and which was submitted nowhere:"
    )
    assert f"{heading}\n{PROSE}" in result.out


def stream_event(**choice: object) -> bytes:
    """Return an event of a reply that a model sends in parts, as an endpoint writes it.

    `stream_event(delta={"content": "Unt"})` is the part "Unt" of the reply.
    """
    event = {"choices": [{"index": 0, **choice}]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


HEAD_OF_STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
)
END_OF_STREAM = stream_event(delta={}, finish_reason="stop") + b"data: [DONE]\n\n"


def test_the_beginning_of_a_reply_is_shown_while_the_model_still_writes(
    loan_folder: Path,
) -> None:
    """The model sends 30 characters, and the rest once they are on the screen."""
    reply = step_reply(ANSWER, state="")
    beginning, rest = reply[:30], reply[30:]
    beginning_is_shown = threading.Event()

    def stream_reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Send the beginning, wait, and return what the server is to send after it."""
        first_event = stream_event(delta={"content": beginning})
        connection.sendall(HEAD_OF_STREAM + first_event)
        assert beginning_is_shown.wait(PATIENCE_S)
        return stream_event(delta={"content": rest}) + END_OF_STREAM

    with model_server(stream_reply) as server:
        words = ("ask", QUESTION, ".", "--model", "m", "--base-url", server.url)
        with Terminal(*words, cwd=loan_folder / "docs") as terminal:
            terminal.wait_for("step 1 · …" + re.escape(beginning))
            beginning_is_shown.set()
            terminal.wait_for("Until 2026-03-01")
            assert terminal.finish() == 0


def test_an_unreachable_model_is_given_up_after_the_patience(loan_folder: Path) -> None:
    """Nothing listens at the address; `--model-patience` says for how long to try again."""
    words = ("ask", QUESTION, "docs", "--model", "any", "--model-patience", "1")
    endpoint = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "none"}

    asked = run_in_process(*words, cwd=loan_folder, **endpoint)

    assert asked.code == Unreachable.exit_code, asked.err
    assert "a step waits 1 s (--model-patience)" in asked.err
