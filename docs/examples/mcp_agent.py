"""An agent of one's own, which finds its tools by MCP. It counts overdue loans, without a model.

`controlplane run --benchmark folder:docs/examples/library --agent "command:python docs/examples/mcp_agent.py"`

The control plane starts this program for each trial. The file that CONTROLPLANE_MCP_CONFIG names
says where the trial's tools are, in the form that MCP clients share; the agent answers with the
tool `report_completion`.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

TODAY = "2027-03-11"


async def main() -> int:
    instruction = os.environ["CONTROLPLANE_INSTRUCTION"]
    print("asked:", instruction.splitlines()[0])

    config = json.loads(Path(os.environ["CONTROLPLANE_MCP_CONFIG"]).read_text("utf-8"))
    server = config["mcpServers"]["trial"]
    async with httpx2.AsyncClient(headers=server["headers"], timeout=60) as http:
        connection = streamable_http_client(server["url"], http_client=http)
        async with Client(connection) as client:
            print(await answer(client))
    return 0


async def answer(client: Client) -> str:
    """Count the loans that are overdue, and submit the count with their files as citations."""
    citations = []
    for path, loan in (await read_loans(client)).items():
        if loan["due"] < TODAY:
            reason = f"{loan['id']} was due on {loan['due']}"
            citations.append({"path": path, "reason": reason})
    return await call_tool(
        client,
        "report_completion",
        answer=f"[COUNT:{len(citations)}]",
        citations=citations,
        tokens=120,
        cost_usd=0.001,
    )


async def read_loans(client: Client) -> dict[str, dict]:
    """Return each loan's record by its path."""
    output = await call_tool(client, "find", name="*.json", root="/loans", limit=0)
    loans = {}
    for path in result_of(output)["paths"]:
        output = await call_tool(client, "read", path=path)
        loans[path] = json.loads(result_of(output)["content"])
    return loans


async def call_tool(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    return result.content[0].text


def result_of(output: str) -> dict:
    """Return an operation's result, which is JSON in the second line of the tool's output."""
    return json.loads(output.split("\n", 2)[1])


sys.exit(asyncio.run(main()))
