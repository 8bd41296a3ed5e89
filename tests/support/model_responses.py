"""Responses of a model's API: whole HTTP responses, and the JSON of a completion.

    http_response(200, completion_json("hello"))     # b"HTTP/1.1 200 OK ... {"choices": [...]}"

A "completion" is the reply of a language model in the format of OpenAI's chat API.
"""

import json
from collections.abc import Mapping

PHRASES = {200: "OK", 400: "Bad Request", 502: "Bad Gateway"}
"""The words behind a status code in the first line of a response."""


def http_response(
    status: int, body: str | bytes, headers: Mapping[str, str] | None = None
) -> bytes:
    """Return the bytes of a whole HTTP response.

    Without `headers` they say that the body is JSON: `http_response(200, '{"a": 1}')`.
    """
    content = body.encode() if isinstance(body, str) else body
    if headers is None:
        headers = {"content-type": "application/json"}
    lines = [
        f"HTTP/1.1 {status} {PHRASES.get(status, 'Status')}",
        f"content-length: {len(content)}",
        "connection: close",
    ]
    for name, value in headers.items():
        lines.append(f"{name}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def completion_json(
    text: str | None, *, tool: str | None = None, finish: str = "stop", **usage: object
) -> str:
    """Return the JSON of a completion that says `text`: `{"choices": [...], "usage": {...}}`.

    With `tool`, it also calls the tool `execute_script`; `tool` is the text of the arguments,
    which should be JSON. `finish` says why the model stopped, such as "length". `usage` changes
    the counts of tokens: `completion_json("hello", prompt_tokens=5)`.
    """
    message: dict[str, object] = {"role": "assistant", "content": text}
    if tool is not None:
        function = {"name": "execute_script", "arguments": tool}
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
    token_counts: dict[str, object] = {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "total_tokens": 18,
    }
    token_counts.update(usage)
    completion = {
        "id": "x",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": token_counts,
    }
    return json.dumps(completion)
