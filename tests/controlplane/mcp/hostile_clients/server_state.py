"""What a running server of `controlplane mcp docs` has replied and written, and how much memory it took.

    text_of_call(client, 2)    ->    "question_id 3f2a... The files of ..."
    journal_text(client)       ->    the lines of its journal, the record of what has happened
    error_of_script(client, "while True: pass")    ->    "the client left"
    peak_memory_kib(client)    ->    91_240

A call has a number, by which its reply is found.
"""

import json
from pathlib import Path

from tests.controlplane.mcp.hostile_clients.jsonl_client import Client


def journal_text(client: Client) -> str:
    """Return what the client's server has written to its only journal so far."""
    (journal,) = (client.folder / "runs").glob("*.jsonl")
    return journal.read_text()


def error_of_script(client: Client, code: str) -> str:
    """Return what the journal says of the end of a script with this code."""
    for line in journal_text(client).splitlines():
        event = json.loads(line)
        if event["type"] == "step" and event["code"] == code:
            return str(event["error"])
    return "the script has not ended"


def peak_memory_kib(client: Client) -> int:
    """Return the most memory that the process of the server had so far, in KiB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def text_of_call(client: Client, number: int) -> str:
    """Return the text that a call of a tool returned, and drop the messages before it."""
    message = client.reply()
    while message["id"] != number:
        message = client.reply()
    text: str = message["result"]["content"][0]["text"]
    return text
