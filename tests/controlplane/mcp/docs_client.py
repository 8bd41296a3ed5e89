"""A client of `controlplane mcp docs`, which answers questions about one file.

A test writes the file by `write_docs`, and connects by `client_of`:

    async with client_of(write_docs(folder)) as client:
        await client.call_tool("begin", {"question": "Until when may loan-02 be kept?"})
        await client.call_tool("execute_script", READ_LOANS)
        await client.call_tool("submit_answer", RIGHT_ANSWER)
"""

import sys
from pathlib import Path
from typing import Any

from tests.support.command import clean_environment

LOANS_TEXT = "# Loans\n\n- loan-02: kept until 2026-03-01.\n"
"""The text of the only file, `docs/loans.md`, which questions are about."""

RIGHT_CITATION = {
    "path": "/loans.md",
    "reason": "the line on loan-02 names 2026-03-01",
    "quote": "until 2026-03-01",
}
RIGHT_ANSWER = {"answer": "Until 2026-03-01.", "citations": [RIGHT_CITATION]}
"""The arguments of `submit_answer`: an answer, and the places that show it."""

READ_LOANS = {"code": "print(harness.read('/loans.md').content)"}
"""The arguments of `execute_script`: a script that prints the file."""


def write_docs(folder: Path) -> Path:
    """Write the file into the subfolder `docs`, and return `folder`."""
    (folder / "docs").mkdir()
    (folder / "docs/loans.md").write_text(LOANS_TEXT)
    return folder


def client_of(folder: Path, *options: str, **client_options: Any) -> Any:
    """Return a client that starts `controlplane mcp docs` in the folder."""
    from mcp import Client, StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "controlplane", "mcp", "docs", *options],
        cwd=folder,
        env=clean_environment(),
    )
    transport = stdio_client(command, errlog=sys.__stderr__)
    return Client(transport, **client_options)


def text_of(result: Any) -> str:
    """Return the text that a call of a tool returned."""
    text: str = result.content[0].text
    return text


def question_id_of(result: Any) -> str:
    """Return the id of the question that a call of `begin` has opened."""
    question_id: str = result.structured_content["question_id"]
    return question_id


async def call_tool(client: Any, tool: str, **arguments: Any) -> str:
    """Call a tool of the server, and return the text of its result."""
    return text_of(await client.call_tool(tool, arguments))
