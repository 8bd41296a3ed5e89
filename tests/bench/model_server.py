"""An OpenAI-compatible server with canned replies, fast enough to measure its clients.

    echo '{"replies": ["first", "second"]}' | python tests/bench/model_server.py

The first turn of every conversation gets the first reply, the second turn the second one, and so
on. The line on standard input is a JSON object with `replies` and, to imitate a model that takes
time, `median_s`. The server prints the port that it listens on.
"""

import asyncio
import json
import math
import random
import sys

Reply = str | dict[str, object]
"""The text of a reply, or a whole message: `{"content": null, "tool_calls": [...]}`."""

LATENCY_SIGMA = 0.6
"""How much the latencies scatter: two of three are between 0.55 and 1.8 times the median."""

MODEL_TURNS = (b'"role":"assistant"', b'"role": "assistant"')
"""By these texts in a request, the replies that the conversation already has are counted."""


def http_response(reply: Reply) -> bytes:
    """Return the whole HTTP response with a reply."""
    message: dict[str, object] = {"role": "assistant"}
    if isinstance(reply, str):
        message["content"] = reply
    else:
        message.update(reply)
    completion = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "canned",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {
            "prompt_tokens": 1000,
            "completion_tokens": 100,
            "total_tokens": 1100,
        },
    }
    body = json.dumps(completion).encode()
    head = (
        "HTTP/1.1 200 OK\r\n"
        "content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def content_length(head: bytes) -> int:
    """Return the length of a request's body, which its head announces."""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise ValueError("the request has no content-length")


async def serve(replies: list[Reply], median_s: float = 0.0) -> None:
    """Answer requests until the process is ended.

    With `median_s`, each reply takes a random time with this median.
    """
    responses = [http_response(reply) for reply in replies]
    latencies = random.Random(7)

    async def answer_requests(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the requests of one connection until the client closes it."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if not head.startswith(b"POST"):
                    writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                    continue
                body = await reader.readexactly(content_length(head))
                turn = sum(body.count(text) for text in MODEL_TURNS)
                if median_s:
                    await asyncio.sleep(
                        latencies.lognormvariate(math.log(median_s), LATENCY_SIGMA)
                    )
                last_turn = len(responses) - 1
                writer.write(responses[min(turn, last_turn)])
        except (asyncio.IncompleteReadError, ConnectionResetError):
            writer.close()

    server = await asyncio.start_server(answer_requests, "127.0.0.1", 0, limit=1 << 24)
    port = server.sockets[0].getsockname()[1]
    print(port, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(**json.loads(sys.stdin.readline())))
