"""A model that plays the benchmark `tests.support.phonebook` rightly, behind a chat endpoint.

`with model_server(respond) as server:` serves it. Each trial takes two requests.
"""

import json
import socket
import time

from tests.support.endpoints import ModelHttpRequest, completion_json, http_response
from tests.support.phonebook import NUMBERS


def next_action(request: ModelHttpRequest) -> str:
    """Return the reply of a model that looks the number up in its first turn, and answers in its
    second: `{"state": "s", ..., "code": "number = harness.lookup('ada').number..."}`.

    The request asks for "the phone number of grace"; if it names nobody, the model looks up Ada.
    """
    messages = request.body["messages"]
    assert isinstance(messages, list)
    person = "ada"
    for name in NUMBERS:
        if f"number of {name}" in str(messages):
            person = name
    code = f"number = harness.lookup({person!r}).number\n"
    code += "scratchpad['answer'], scratchpad['outcome'] = number, 'OUTCOME_OK'\n"
    is_second_turn = any(message["role"] == "assistant" for message in messages)
    if is_second_turn:
        code += "harness.answer(scratchpad, lambda sp: sp['answer'] == number)\n"
    return json.dumps({"state": "s", "plan": [], "done": False, "code": code})


def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Respond to every request with the next action."""
    time.sleep(0.02)
    return http_response(200, completion_json(next_action(request)))


USAGE: dict[str, object] = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 250},
}
"""What each reply of `respond_with_usage` is said to have used."""


def respond_with_usage(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Respond as `respond` does, and say how many tokens the reply used."""
    return http_response(200, completion_json(next_action(request), **USAGE))
