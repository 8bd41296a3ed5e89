"""An agent of one's own for `--agent "command:python docs/examples/mcp_agent.py"`: it counts overdue loans by rules.

The control plane starts it for each trial. It finds its tools in the file that CONTROLPLANE_MCP_CONFIG names, as any
MCP client does, and answers with `report_completion`.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

TODAY = "2027-03-11"


async def main() -> int:
    with open(os.environ["CONTROLPLANE_MCP_CONFIG"], encoding="utf-8") as file:
        server = json.load(file)["mcpServers"]["trial"]
    print("asked:", os.environ["CONTROLPLANE_INSTRUCTION"].splitlines()[0])
    async with httpx2.AsyncClient(headers=server["headers"], timeout=60) as http:
        async with Client(streamable_http_client(server["url"], http_client=http)) as client:

            async def call(tool: str, **arguments: object) -> str:
                return (await client.call_tool(tool, arguments)).content[0].text

            def parsed(output: str) -> dict:
                return json.loads(output.split("\n", 2)[1])

            found = parsed(await call("find", name="*.json", root="/loans", limit=0))
            loans = {path: json.loads(parsed(await call("read", path=path))["content"]) for path in found["paths"]}
            overdue = {path: loan for path, loan in loans.items() if loan["due"] < TODAY}
            citations = [
                {"path": path, "reason": f"{loan['id']} was due on {loan['due']}"} for path, loan in overdue.items()
            ]
            said = await call(
                "report_completion", answer=f"[COUNT:{len(overdue)}]", citations=citations, tokens=120, cost_usd=0.001
            )
            print(said)
    return 0


sys.exit(asyncio.run(main()))
