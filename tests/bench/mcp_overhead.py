"""What a call of an MCP tool costs a script, beside the official client alone: `python -m tests.bench.mcp_overhead`.

Both call the same tool of servers of their own by turns: while `ask` waits for its model, which is a server in this
process, the client alone makes as many calls. A step without calls is taken off each step with calls.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters

from tests.support.command import controlplane
from tests.support.endpoints import completion, model_server, response

SERVER = """
from mcp.server import MCPServer
from mcp.types import ToolAnnotations
app = MCPServer("sums")
@app.tool(annotations=ToolAnnotations(readOnlyHint=True))
def add(a: int, b: int) -> str:
    return str(a + b)
app.run("stdio")
"""
CALLS, ROUNDS = 100, 14
SCRIPT = "for i in range({calls}):\n    r = harness.sums.add(a=i, b=1)\nprint(r.text if {calls} else '')\n"


async def call_alone(client: Client) -> float:
    """Return the milliseconds of a call, in the mean of a round."""
    began = time.perf_counter()
    for number in range(CALLS):
        await client.call_tool("add", {"a": number, "b": 1})
    return (time.perf_counter() - began) * 1000 / CALLS


def measure(portal: BlockingPortal, client: Client, folder: Path) -> tuple[list[float], list[float]]:
    """Return the milliseconds of a call in each round: of the client alone, and of scripts."""
    alone: list[float] = []
    turns = iter([0, *(calls for _ in range(ROUNDS) for calls in (CALLS, 0))])

    def reply(*_: object) -> bytes:
        if calls := next(turns, 0):
            alone.append(portal.call(call_alone, client))
        code = SCRIPT.format(calls=calls)
        return response(200, completion(json.dumps({"state": "", "plan": [], "done": False, "code": code})))

    server = f"sums={sys.executable} {folder / 'server.py'}"
    with model_server(reply) as model:
        words = ("ask", "sum?", folder, "--mcp", server, "--model", "m", "--max-steps", str(2 * ROUNDS + 1), "--json")
        asked = controlplane(*words, cwd=folder, OPENAI_BASE_URL=model.url, OPENAI_API_KEY="none").json
    events = [json.loads(line) for line in (folder / asked["journal"]).read_text().splitlines()]
    steps = [event["elapsed_ms"] for event in events if event["type"] == "step"][1:]
    return alone, [(took - empty) / CALLS for took, empty in zip(steps[::2], steps[1::2], strict=False)][:ROUNDS]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "server.py").write_text(SERVER)
        (folder / "note.md").write_text("Sums are added.\n")
        client = Client(StdioServerParameters(command=sys.executable, args=[str(folder / "server.py")]))
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
            alone, ours = measure(portal, client, folder)
    first, second = statistics.median(alone), statistics.median(ours)
    print(f"ms a call, medians of {len(ours)} rounds of {CALLS}: {first:.2f} alone, {second:.2f} in a script")
    print(f"{second - first:.2f} more (1.5)")


if __name__ == "__main__":
    main()
