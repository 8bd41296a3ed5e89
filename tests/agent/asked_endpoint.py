"""A model at an endpoint, asked once."""

import traceback

import pytest

from agent.endpoint import Endpoint, EndpointSettings
from agent.model import Message, ModelError, Reply, ReplyMode
from agent.reply import SCHEMA

CANARY = "sk-canary-0123456789abcdef"
ASK = [Message(role="system", content="s"), Message(role="user", content="u")]
ACTION = '{"state": "s", "plan": [], "done": false, "code": "print(1)"}'
PASSING = (True, True)
FOR_ALL = (False, True)
"""What an error says of itself: that it may pass, and that every trial meets it."""


def ask(url: str, *, timeout_s: float = 5.0, mode: ReplyMode | None = ReplyMode.SCHEMA, **more: object) -> Reply:
    settings = EndpointSettings("m", base_url=url, api_key=CANARY, reply_mode=mode, timeout_s=timeout_s, **more)
    endpoint = Endpoint(settings)
    try:
        return endpoint.complete(ASK, "solve", SCHEMA)
    finally:
        endpoint.close()


def failure(url: str, **more: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(url, **more)
    shown = "".join(traceback.format_exception(caught.value)) + str(caught.value) + repr(caught.value)
    assert CANARY not in shown
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700
    return caught.value
