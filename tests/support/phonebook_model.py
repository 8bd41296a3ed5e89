"""A model that plays the benchmark `tests.support.phonebook` rightly, behind a chat endpoint.

`with model_server(respond) as server:` serves it. Each trial takes two requests.
"""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from tests.support.phonebook import NUMBERS

# Whole HTTP requests, head and body, that are read from a connection.

END_OF_HEAD = b"\r\n\r\n"


def read_request(connection: socket.socket) -> bytes:
    """Return the next request, head and body.

    Returns nothing if the client has gone, and bytes that cannot begin an HTTP request (such as
    a TLS handshake) as they came.
    """
    data = b""
    while END_OF_HEAD not in data:
        received = connection.recv(65536)
        if not received:
            return b""
        data += received
        if not data[:1].isalpha():
            return data
    head, _, body = data.partition(END_OF_HEAD)
    body_length = content_length(head)
    while len(body) < body_length:
        body += connection.recv(65536)
    return head + END_OF_HEAD + body


def content_length(head: bytes) -> int:
    """Return the length of the body that a head announces; 0 if it announces none."""
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return int(value)
    return 0


# A server on this machine that does to a connection whatever a test says, byte by byte.
#
# def behave(connection: socket.socket, request: bytes) -> None:
#     connection.sendall(b"HTTP/1.1 200 OK
# content-length: 100
#
# only a part")
#     connection.close()
#
# with ByteServer(behave) as server:
#     ...  # a client talks to server.url, and gets a reply that breaks off

Behaviour = Callable[[socket.socket, bytes], None]
"""Answers one request: takes the connection, and the request with head and body."""


def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class ByteServer:
    """Answers every request by `behave`, which a test may replace at any time."""

    def __init__(self, behave: Behaviour, host: str = "127.0.0.1") -> None:
        self.behave = behave
        self.host = host
        self.port = 0
        self.requests: list[bytes] = []
        """All requests so far, each with head and body."""
        self.ended = threading.Event()
        """Set when the server's block is over: what a hanging answer waits for."""

    @property
    def url(self) -> str:
        """Return the server's address, such as `http://127.0.0.1:41235`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.close()

    def open(self) -> None:
        """Listen: on any free port, or after a `close` on the same port as before."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self._listener = socket.create_server((self.host, self.port), family=family)
        self.port = self._listener.getsockname()[1]
        self._start_thread(self._listen, self._listener)

    def close(self) -> None:
        """Stop listening, as a server that has crashed: new connections are refused."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _listen(self, listener: socket.socket) -> None:
        """Serve each connection in a thread of its own, until the listener is closed."""
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self._start_thread(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        """Answer the requests of one connection until it or the server ends."""
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            while not self.ended.is_set():
                request = read_request(connection)
                if not request:
                    return
                self.requests.append(request)
                self.behave(connection, request)

    @staticmethod
    def _start_thread(
        work: Callable[[socket.socket], None], argument: socket.socket
    ) -> None:
        threading.Thread(target=work, args=(argument,), daemon=True).start()


# Responses of a model's API: whole HTTP responses, and the JSON of a completion.
#
#     http_response(200, completion_json("hello"))     # b"HTTP/1.1 200 OK ... {"choices": [...]}"
#
# A "completion" is the reply of a language model in the format of OpenAI's chat API.

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


# An HTTP server on 127.0.0.1 that answers like a model's API, or as badly as a test wants.
#
#     with model_server(http_response(200, completion_json("hello"))) as server:
#         ...  # a client at `server.url` gets the text "hello"
#     assert server.asked[0].body["model"] == "m"
#
# A "completion" is the reply of a language model in the format of OpenAI's chat API.


@dataclass(frozen=True)
class ModelHttpRequest:
    """One request as it came: the names of its headers in lower case, its body parsed."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, object]


Responder = Callable[[ModelHttpRequest, socket.socket], bytes]
"""A function that gets a request and its connection, and returns the bytes of the response.

The connection is closed behind the response. The function may also send by the connection itself,
for example a byte a second.
"""


class ModelServer(ByteServer):
    """A model's API for the length of a `with` block. A test may replace `answer` at any time."""

    def __init__(self, answer: Responder) -> None:
        super().__init__(self._converse)
        self.answer = answer
        self.asked: list[ModelHttpRequest] = []
        """Every request for a reply so far."""
        self.list_response = http_response(400, "this is not a POST request")
        """What is sent if a client asks for the list of models."""

    @property
    def url(self) -> str:
        """Return the base address of the API, as users configure it."""
        return f"{super().url}/v1"

    def _converse(self, connection: socket.socket, request: bytes) -> None:
        """Answer one request; the connection serves no second one."""
        head, _, body = request.partition(b"\r\n\r\n")
        first_line, *header_lines = head.decode("latin-1").split("\r\n")
        if not first_line.startswith("POST"):
            connection.sendall(self.list_response)
            return
        path = first_line.split()[1]
        headers: dict[str, str] = {}
        for line in header_lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        http_request = ModelHttpRequest(path, headers, json.loads(body))
        self.asked.append(http_request)
        connection.sendall(self.answer(http_request, connection))
        connection.shutdown(socket.SHUT_WR)


def model_server(answer: Responder | bytes) -> ModelServer:
    """Return a server for a `with` block, which answers with these bytes or by this function.

    `model_server(http_response(200, "{}"))`, `model_server(responding_in_turn("a", "b"))`
    """
    if isinstance(answer, bytes):
        return ModelServer(responding_always(answer))
    return ModelServer(answer)


def responding_always(data: bytes) -> Responder:
    """Return a responder that gives the same response to every request."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        return data

    return respond


def responding_in_turn(*texts: str) -> Responder:
    """Return a responder whose model says these texts, one for each request."""
    remaining_texts = iter(texts)

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        return http_response(200, completion_json(next(remaining_texts)))

    return respond


def error_response(
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
    **error_fields: object,
) -> bytes:
    """Return a response with an API's error in it.

    `error_response(429, "slow down", {"retry-after": "2"}, code="rate_limit")`
    """
    error: dict[str, object] = {"message": message}
    error.update(error_fields)
    return http_response(status, json.dumps({"error": error}), headers)


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
