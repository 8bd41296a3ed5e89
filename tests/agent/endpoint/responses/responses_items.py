"""Responses of OpenAI's Responses API, the newer of two protocols that we speak.

A response is a list of items. Each is a text, a thought or a call of a tool:
`{"output": [{"type": "reasoning", ...}, {"type": "function_call", "name": "look", ...}]}`.
"""

import json

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import Reply, ReplyMode
from controlplane.agent.reply.action_call import SCHEMA
from tests.support.endpoint_requests import ACTION_JSON, single_reply_of
from tests.support.endpoints import http_response


def response_with(*items: object, **fields: object) -> bytes:
    """Return an HTTP response with these output items; `fields` replace or add others."""
    document = {"object": "response", "status": "completed", "output": items}
    return http_response(200, json.dumps(document | fields))


TEXT_ITEM = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": ACTION_JSON}],
}
"""The model's action, that is, a JSON object with the script to run: `print(1)`."""

ACTION_CALL_ITEM = {
    "type": "function_call",
    "call_id": "c1",
    "name": "execute_script",
    "arguments": ACTION_JSON,
}
"""The same action, as the arguments of a tool call."""

THOUGHT_ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "x",
}
"""A thought. Only OpenAI can read its encrypted content; we see the summary."""


def ask_for_action(url: str, mode: ReplyMode | None = None) -> Reply:
    """Return the reply to a request for an action, in this reply mode."""
    settings = EndpointSettings("m", url, api="responses", reply_mode=mode)
    return single_reply_of(settings, schema=SCHEMA)
