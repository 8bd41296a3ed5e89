"""An OpenAI-compatible server: the n-th turn of every
conversation gets the n-th reply, a text or a whole message.

Standard input's first line is a JSON object: `replies`, and `median_s`, the median of
lognormal latencies (0: at once). It prints the port that it listens on.
"""

import asyncio
import json
import math
import random
import sys


def response(reply: str | dict[str, object]) -> bytes:
    message = {
        "role": "assistant",
        **({"content": reply} if isinstance(reply, str) else reply),
    }
    body = json.dumps(
        {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "canned",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": message},
            ],
            "usage": {
                "prompt_tokens": 1000,
                "completion_tokens": 100,
                "total_tokens": 1100,
            },
        }
    ).encode()
    return (
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        % len(body)
        + body
    )


async def serve(
    replies: list[str | dict[str, object]], median_s: float = 0.0, sigma: float = 0.6
) -> None:
    responses = [response(reply) for reply in replies]
    chance = random.Random(7)

    async def converse(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if not head.startswith(b"POST"):
                    writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                    continue
                length = next(
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                body = await reader.readexactly(length)
                turn = body.count(b'"role":"assistant"') + body.count(
                    b'"role": "assistant"'
                )
                if median_s:
                    await asyncio.sleep(
                        chance.lognormvariate(math.log(median_s), sigma)
                    )
                writer.write(responses[min(turn, len(responses) - 1)])
        except (asyncio.IncompleteReadError, ConnectionResetError):
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0, limit=1 << 24)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(**json.loads(sys.stdin.readline())))
