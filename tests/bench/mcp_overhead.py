"""Measures a call of an MCP tool through a trial's tools beside the same call by the bare client: medians of N calls.

`python tests/bench/mcp_overhead.py [N]`
"""

import asyncio
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from controlplane.mcp.server_specs import ServerSpec, ToolAccess
from controlplane.mcp.tool_environment import with_tools
from sandbox.interface import Surface

SERVER = Path(__file__).parents[1] / "support/loans_server.py"


class Nothing:
    surface = Surface(operations=())


async def bare_ms(count: int) -> float:
    from mcp import Client, StdioServerParameters

    async with Client(StdioServerParameters(command=sys.executable, args=[str(SERVER)])) as client:
        times = []
        for _ in range(count):
            began = time.perf_counter()
            await client.call_tool("loan", {"number": 2})
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def ours_ms(count: int) -> float:
    access = ToolAccess({"loans": ServerSpec(command=sys.executable, args=(str(SERVER),))})
    with with_tools(Nothing(), access) as environment:
        times = []
        for _ in range(count):
            began = time.perf_counter()
            environment.call("loans.loan", {"number": 2})
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    bare, ours = asyncio.run(bare_ms(count)), ours_ms(count)
    print(f"bare client {bare:.2f} ms, through a trial's tools {ours:.2f} ms, {ours - bare:+.2f} ms")
