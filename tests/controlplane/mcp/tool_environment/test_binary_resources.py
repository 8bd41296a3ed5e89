"""A tool of an MCP server returns a file in base64, which is shown if it is text.

The tool `look` of the server `db` returns the file. Any other file is only described, by its kind and
its estimated size:

    "text/plain", b"kept for 14 days"    ->    "kept for 14 days"
    "application/pdf", b"%PDF"           ->    "[resource application/pdf, 6 bytes]"
"""

import base64
from pathlib import Path

import pytest

from tests.controlplane.mcp.tool_environment.looking_server import tool_with_result


@pytest.mark.parametrize(
    ("mime_type", "data", "expected_text"),
    [
        pytest.param("text/plain", b"kept for 14 days", "kept for 14 days", id="text"),
        pytest.param("text/csv", "a;ä\n".encode(), "a;ä\n", id="CSV"),
        pytest.param(
            "text/plain",
            b"\xff\xfe",
            "[resource text/plain, 3 bytes]",
            id="bytes that are not text",
        ),
        pytest.param(
            "application/pdf",
            b"%PDF",
            "[resource application/pdf, 6 bytes]",
            id="PDF",
        ),
    ],
)
def test_binary_resource_is_shown_if_it_is_text(
    tmp_path: Path, mime_type: str, data: bytes, expected_text: str
) -> None:
    blob = base64.b64encode(data).decode()
    resource = {"uri": "x://y", "mimeType": mime_type, "blob": blob}
    content = [{"type": "resource", "resource": resource}]

    with tool_with_result(tmp_path, {"content": content}) as environment:
        result = environment.call("db.look", {})

    assert result["text"] == expected_text
