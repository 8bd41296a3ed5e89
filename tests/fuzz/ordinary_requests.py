"""Ordinary requests to the server of a benchmark, beside the random ones of the fuzzer.

post(("127.0.0.1", 8100), "bitgn.harness.HarnessService/Status", {})  # {"status": "ok"}
start_run(("127.0.0.1", 8100))                      # ["run-1", "run-1-0", "run-1-1", ...]
"""

import json
import socket
from typing import Any

Address = tuple[str, int]


def post(address: Address, path: str, fields: dict[str, Any]) -> Any:
    """Return the JSON object of the reply to a request."""
    body = json.dumps(fields).encode()
    head = (
        f"POST /{path} HTTP/1.1\r\n"
        "Host: x\r\n"
        "Connection: close\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(address, timeout=20) as client:
        client.sendall(head.encode() + body)
        with client.makefile("rb") as stream:
            reply = stream.read()
    _, _, reply_body = reply.partition(b"\r\n\r\n")
    # Around the object there may be the lengths of chunks.
    start = reply_body.index(b"{")
    end = reply_body.rindex(b"}") + 1
    return json.loads(reply_body[start:end])


def start_run(address: Address) -> list[str]:
    """Start a run and two of its trials; return the ids of the run and of all its trials."""
    service = "bitgn.harness.HarnessService"
    run = post(address, f"{service}/StartRun", {"benchmarkId": "shelf"})
    for trial_id in run["trialIds"][:2]:
        post(address, f"{service}/StartTrial", {"trialId": trial_id})
    return [run["runId"], *run["trialIds"]]
