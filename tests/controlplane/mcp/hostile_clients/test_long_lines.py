"""A client sends `controlplane mcp docs` lines that are far too long, and the server stays small.

The server answers questions about the folder `docs`. Its client writes one JSON message a line:

    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "xxxxx..."}

A line of 60 MB gets the reply "... longer than 4,000,000 bytes", with the same `id`.
"""

from tests.controlplane.mcp.hostile_clients.jsonl_client import Client
from tests.controlplane.mcp.hostile_clients.server_state import peak_memory_kib


def test_lines_that_are_too_long_or_have_too_many_values_are_refused(
    client: Client,
) -> None:
    """All lines go to one server, because its memory is compared at the end."""
    peak_before_kib = peak_memory_kib(client)
    long_text = b'"' + b"x" * 60_000_000 + b'"'
    many_objects = b"[" + b"{}," * 600_000 + b"{}]"
    deep_list = b"[" * 900_000 + b"]" * 900_000
    wrong_type = b"[1]"  # The protocol has an object here.
    for number, params, expected_error in (
        (1, long_text, "longer than 4,000,000 bytes"),
        (2, many_objects, "60,000 values"),
        (3, deep_list, "60,000 values"),
        (4, wrong_type, "cannot be read"),
    ):
        client.write(
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%b}\n'
            % (number, params)
        )
        reply = client.reply()
        assert reply["id"] == number
        assert expected_error in str(reply["error"])

    # The server keeps at most 4 MB of a line, and a parser needs a multiple of that.
    assert peak_memory_kib(client) - peak_before_kib < 25_000
