"""A tool of an MCP server returns structured data besides a text.

The protocol has a text for models, `content`, and data for programs, `structuredContent`. A script
gets both as texts:

    {"text": "two loans", "data": '[{"n": 1}, {"n": 2}]', ...}
"""

import json
from pathlib import Path

from tests.controlplane.mcp.tool_environment.looking_server import tool_with_result


def test_structured_result_may_be_a_list(tmp_path: Path) -> None:
    rows = [{"n": 1}, {"n": 2}]
    text = {"type": "text", "text": "two loans"}

    with tool_with_result(
        tmp_path, {"content": [text], "structuredContent": rows}
    ) as environment:
        result = environment.call("db.look", {})

    assert json.loads(str(result["data"])) == rows
    assert result["text"] == "two loans"
