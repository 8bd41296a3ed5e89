"""A message that `controlplane mcp docs` cannot use does not keep it from answering the next one.

The server answers questions about the folder `docs`. Its client writes one JSON message a line, and
the reply to `{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}` has the same `id`.
"""

from tests.controlplane.mcp.hostile_clients.jsonl_client import Client


def test_lines_without_a_usable_id_get_no_reply(client: Client) -> None:
    """A reply could not name the request that it answers."""
    client.write(b"[1, 2]\n")
    client.write(b"\xff\xfe{{{\n")
    client.write(b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n')
    client.send(id=3, method="tools/list")

    first_reply = client.reply()

    assert first_reply["id"] == 3
    assert "execute_script" in str(first_reply["result"])


def test_argument_that_is_not_text_is_refused(client: Client) -> None:
    """Half of a surrogate pair can be written in JSON, and is not a character."""
    client.call_tool(2, "submit_answer", answer="\ud800", question_id="\ud800")
    client.send(id=3, method="tools/list")

    refusal = client.reply()
    next_reply = client.reply()

    assert refusal["id"] == 2
    assert "cannot be read" in str(refusal["error"])
    assert next_reply["id"] == 3
    assert "execute_script" in str(next_reply["result"])
