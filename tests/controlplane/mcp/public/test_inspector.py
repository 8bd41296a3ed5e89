"""The inspector of MCP's authors lists the tools of `controlplane mcp docs`, and calls one.

MCP is a protocol by which agents call the tools of a server. The inspector is a client from npm, which
starts the server and prints JSON. The test is skipped without npm, and runs only with `--heavy`.
"""

import json
from pathlib import Path

import pytest

from tests.controlplane.mcp.public.installed_controlplane import (
    folder_with_controlplane,
)
from tests.controlplane.mcp.public.public_packages import run_npx

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


def test_inspector_of_the_protocol_lists_and_calls_our_tools(tmp_path: Path) -> None:
    """The inspector is a client that starts a server and calls one of its methods."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
    controlplane = folder_with_controlplane(tmp_path) / "controlplane"
    package = "@modelcontextprotocol/inspector"
    inspect = ["mcp-inspector", "--cli", controlplane, "mcp", "docs"]
    call_script = [
        "--method",
        "tools/call",
        "--tool-name",
        "execute_script",
        "--tool-arg",
        "code=print(harness.read('/loans.md').content)",
    ]

    listing = run_npx(package, *inspect, "--method", "tools/list", cwd=tmp_path)
    call = run_npx(package, *inspect, *call_script, cwd=tmp_path)

    assert listing.returncode == 0, listing.stderr
    tools = json.loads(listing.stdout)["tools"]
    names = [tool["name"] for tool in tools]
    assert names == ["begin", "execute_script", "submit_answer"]
    text = json.loads(call.stdout)["content"][0]["text"]
    assert "kept until 2026-03-01" in text, call.stderr
