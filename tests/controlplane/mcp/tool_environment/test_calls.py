"""A script calls tools of an MCP server, a program that offers them, and gets a dictionary of texts.

The server `loans` has a table of 10,000 loans, which its tool `rows` returns:

    {"call_path": "/mcp/loans/calls/rows/4f...", "text": "...", "data": "{...}"}

An answer can cite the call by its path. `data` is JSON that a script can compute with.
"""

import json

from controlplane.mcp.tool_environment import ToolEnvironment


def test_long_result_is_returned_as_a_whole(loans: ToolEnvironment) -> None:
    """A script can compute with all 10,000 rows, of which the model sees what is printed."""
    result = loans.call("loans.rows", {})

    rows = json.loads(str(result["data"]))["rows"]
    assert len(rows) == 10_000


def test_repeated_call_has_the_same_path(loans: ToolEnvironment) -> None:
    """The path has a hash of the arguments and the result, which are the same."""
    first_path = loans.call("loans.rows", {})["call_path"]
    second_path = loans.call("loans.rows", {})["call_path"]

    assert str(first_path).startswith("/mcp/loans/calls/rows/")
    assert second_path == first_path


def test_image_is_described_in_words(loans: ToolEnvironment) -> None:
    """A script cannot look at an image."""
    result = loans.call("loans.picture", {})

    assert result["text"] == "[image image/png, 3,000 bytes]"


def test_server_does_not_inherit_keys(loans: ToolEnvironment) -> None:
    """The tool `secret` returns the names of our keys in the environment of its server."""
    assert loans.call("loans.secret", {})["text"] == ""
