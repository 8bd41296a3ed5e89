"""How the JSON of a model's server is read.

    reply_of_document({"choices": [{"message": {"content": "hi"}}]}).text == "hi"

The server speaks the chat completions protocol.
"""

import json

from controlplane.agent.model import Reply
from tests.agent.endpoint.look_tool import ask_with_tool
from tests.support.endpoint_requests import MESSAGES
from tests.support.endpoints import http_response, model_server


def reply_of_document(document: dict[str, object]) -> Reply:
    """Return how a server's JSON is read. It begins with a byte order mark, as some send it."""
    byte_order_mark = "\ufeff"
    body = byte_order_mark + json.dumps(document)
    with model_server(http_response(200, body)) as server:
        return ask_with_tool(server.url, MESSAGES)
