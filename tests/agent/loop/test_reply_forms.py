"""A model's action is understood in whatever form its reply has.

An action is a JSON object with a script in the field `code`. Models send it as text, in a fence,
as a tool call, or behind their thoughts: all messages in `FORMS` have the same action. A
form that is not understood would cost the trial a step.
"""

import json
import socket
import threading
from pathlib import Path

from tests.agent.loop.messages_with_action import FORMS
from tests.support.command import run_in_process
from tests.support.endpoints import ModelHttpRequest, http_response, model_server
from tests.support.product_files import ROOT


def test_no_step_is_lost_to_the_form_of_a_reply(tmp_path: Path) -> None:
    """A run has a trial for each form. A lost reply would cost its trial a second step."""
    lock = threading.Lock()  # The trials ask side by side.
    remaining_forms = iter(FORMS)

    def reply_in_next_form(
        request: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        with lock:
            message = next(remaining_forms)
        choice = {"message": message, "finish_reason": "stop"}
        return http_response(200, json.dumps({"choices": [choice]}))

    with model_server(reply_in_next_form) as server:
        run = run_in_process(
            *("run", "ada", "--benchmark", "tests.support.phonebook"),
            *("--repeats", str(len(FORMS)), "--model", "m", "--json"),
            *("--runs-dir", tmp_path),
            cwd=ROOT,
            OPENAI_BASE_URL=server.url,
        )

    assert run.code == 0, run.err
    assert [trial["score"] for trial in run.json["trials"]] == [1.0] * len(FORMS)
    assert [trial["steps"] for trial in run.json["trials"]] == [1] * len(FORMS)
