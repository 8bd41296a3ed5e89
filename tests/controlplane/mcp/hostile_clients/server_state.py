"""What a running server of `controlplane mcp docs` has written so far, and how much memory it took.

peak_memory_kib(client)    ->    91_240
journal_text(client)       ->    the lines of its journal, the record of what has happened
"""

from pathlib import Path

from tests.controlplane.mcp.hostile_clients.jsonl_client import Client


def journal_text(client: Client) -> str:
    """Return what the client's server has written to its only journal so far."""
    (journal,) = (client.folder / "runs").glob("*.jsonl")
    return journal.read_text()


def peak_memory_kib(client: Client) -> int:
    """Return the most memory that the process of the server had so far, in KiB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])
