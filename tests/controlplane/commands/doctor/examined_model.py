"""Runs `doctor` for a model that a server in the test's process serves, and reads its findings.

with model_server(reply_in_every_mode) as server:
    result = examine(server, folder)
findings(result)["price"]    ->    ["note: unknown for m"]
"""

import json
import socket
from pathlib import Path

from tests.support.command import CommandResult, run_in_process
from tests.support.endpoints import (
    ModelHttpRequest,
    ModelServer,
    completion_json,
    http_response,
)

REPLY = json.dumps({"state": "ready", "plan": [], "done": False, "code": "1"})
"""A reply in the form that the product asks models for: a script, and what it is to do."""


def findings(result: CommandResult) -> dict[str, list[str]]:
    """Return what the doctor found out about each subject, with its state: "ok", "note" or "fault".

    `{"reply mode": ["ok: schema works", "note: tool breaks"], "price": ["note: unknown for m"]}`
    """
    texts: dict[str, list[str]] = {}
    for finding in result.json["findings"]:
        text = f"{finding['state']}: {finding['text']}"
        texts.setdefault(finding["what"], []).append(text)
    return texts


def examine(server: ModelServer, folder: Path, *options: str) -> CommandResult:
    """Run `doctor` for the model "m", which a server serves, and a benchmark of the tests.

    Layers of isolation that not every machine has are left out.
    """
    return run_in_process(
        "doctor",
        "--isolation=language",
        "--json",
        "--benchmark=tests.support.phonebook",
        "--model=m",
        *options,
        cwd=folder,
        OPENAI_BASE_URL=server.url,
    )


def reply_in_every_mode(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Serve a model that replies in the mode that a request asks for.

    A reply comes as a call of a tool if the request has tools, and otherwise as text, which may
    have to fit a JSON schema or be any JSON.
    """
    if "tools" in request.body:
        return http_response(200, completion_json(None, tool=REPLY))
    return http_response(200, completion_json(REPLY))
