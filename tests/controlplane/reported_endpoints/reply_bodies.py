"""The bodies of recorded replies, in the forms of two protocols: Chat Completions and Responses.

    body_of({"content": "Hello."}, request_body={"messages": [...]})
    # b'{"object": "chat.completion", "choices": [{"message": {"content": "Hello.", ...}}], ...}'

A case records only what is unusual of a reply. All else is as endpoints usually send it.
"""

import json
from collections.abc import Mapping
from typing import Any

USAGE = {"prompt_tokens": 1500, "completion_tokens": 120, "total_tokens": 1620}
"""The tokens that a reply has used if the case does not say otherwise."""


def body_of(reply: Mapping[str, Any], request_body: Mapping[str, Any]) -> bytes:
    """Return the body of a reply, which is recorded in one of these forms:

    {"raw": "<html>..."}        the text as it is
    {"body": {"error": ...}}    the whole JSON document
    {"message": {...}}          a message with unusual fields, in a chat completion
    {"content": "..."}          what the model says

    The last two may have further keys for the document around the message, such as "usage".
    """
    if "raw" in reply:
        return reply["raw"].encode("utf-8", "surrogatepass")
    if "body" in reply:
        return json.dumps(reply["body"]).encode()
    if "message" in reply:
        return chat_completion(reply, reply["message"])
    # A request has the conversation as "input" in one protocol, and as "messages" in the other.
    is_for_the_responses_api = "input" in request_body
    if is_for_the_responses_api:
        return response_document(reply)
    message = {"role": "assistant", "content": reply.get("content")}
    return chat_completion(reply, message)


def chat_completion(reply: Mapping[str, Any], message: Mapping[str, Any]) -> bytes:
    """Return a message of the model in the form of the Chat Completions API.

    Of the reply, "finish" and "usage" take the place of the usual values, and "choice" and "top"
    have further fields of the choice and of the whole document.
    """
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": reply.get("finish", "stop"),
    }
    document = {
        "id": "c1",
        "object": "chat.completion",
        "choices": [choice | reply.get("choice", {})],
        "usage": reply.get("usage", USAGE),
    }
    return json.dumps(document | reply.get("top", {})).encode()


def response_document(reply: Mapping[str, Any]) -> bytes:
    """Return what the model says in the form of the Responses API."""
    part = {"type": "output_text", "text": reply["content"]}
    message = {"type": "message", "role": "assistant", "content": [part]}
    document = {
        "object": "response",
        "status": "completed",
        "output": [message],
        "usage": reply.get("usage", USAGE),
    }
    return json.dumps(document).encode()
