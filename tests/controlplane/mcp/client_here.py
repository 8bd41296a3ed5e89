r"""A client of `controlplane mcp docs`, with the server in the same process.

    with client_here(tmp_path, {"loans.md": "loan-02: kept until 2026-03-01.\n"}) as client:
        client.text("begin", question="Until when?")
        # "question_id 3f2a...\nThe files of /tmp/.../docs are below `/`. Next: ..."

The client is the one of MCP's own library, and sends the server its requests as it would to
another process. Questions are played as runs, with their journals in `tmp_path / "runs"`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from controlplane.commands.mcp.question_runs import QuestionRuns
from tests.support.command import PATIENCE_S, clean_environment

# A client of `controlplane mcp docs`, which answers questions about one file.
#
# A test writes the file by `write_docs`, and connects by `client_of`:
#
#     async with client_of(write_docs(folder)) as client:
#         await client.call_tool("begin", {"question": "Until when may loan-02 be kept?"})
#         await client.call_tool("execute_script", READ_LOANS)
#         await client.call_tool("submit_answer", RIGHT_ANSWER)

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


# MCP's client, which runs in another thread, so that a test need not be asynchronous.
#
#     client.text("begin", question="Until when?")    ->    "question_id 3f2a... The files of ..."
#
# Each method waits for the server's reply.


class WaitingClient:
    """A client of MCP's library, connected to one server."""

    def __init__(self, client: Any, portal: BlockingPortal) -> None:
        self._client = client
        self._portal = portal
        self.progress: list[float] = []
        """What the server reported while calls ran: `[1.0, 2.0]`, the seconds so far."""

    def text(self, tool: str, **arguments: object) -> str:
        """Call a tool, and return the text of its result."""
        return text_of(self.call(tool, **arguments))

    def call(self, tool: str, **arguments: object) -> Any:
        """Call a tool, and return its result as MCP's library does.

        It has `is_error`, and the text and the question's id as `structured_content`.
        """
        call = partial(self._client.call_tool, progress_callback=self._note_progress)
        return self._portal.call(call, tool, arguments)

    def tools(self) -> list[Any]:
        """Return the tools that the server offers, each with its `name` and `annotations`."""
        return list(self._portal.call(self._client.list_tools).tools)

    def prompt(self, name: str, **arguments: str) -> str:
        """Return the text of a prompt that the server offers to users."""
        prompt = self._portal.call(self._client.get_prompt, name, arguments)
        return str(prompt.messages[0].content.text)

    def resources(self) -> list[Any]:
        """Return the resources that the server lists, each with its `title` and `uri`."""
        return list(self._portal.call(self._client.list_resources).resources)

    def read(self, uri: str) -> str:
        """Return the text of a resource, such as "journal://3f2a..."."""
        resource = self._portal.call(self._client.read_resource, uri)
        return str(resource.contents[0].text)

    async def _note_progress(self, seconds: float, *_: object) -> None:
        self.progress.append(seconds)


@contextmanager
def client_here(
    folder: Path,
    docs: Mapping[str, str],
    *,
    servers: Sequence[str] = (),
    allowed_calls: Sequence[str] = (),
    provenance: str = "off",
    **client_options: Any,
) -> Iterator[WaitingClient]:
    """Write files into `folder / "docs"`, and connect a client to a server for them.

    `servers`, `allowed_calls` and `provenance` are the options `--mcp`, `--allow` and
    `--provenance` of the server, and `client_options` those of MCP's client. At the end, the
    client leaves, and the server ends the questions that are open.
    """
    # The library `mcp` is optional. Whoever imports this module may do without it.
    from mcp import Client

    from controlplane.mcp.questions import QuestionServer

    docs_folder = folder / "docs"
    docs_folder.mkdir()
    for name, text in docs.items():
        (docs_folder / name).write_text(text)

    runs = QuestionRuns(
        docs_folder,
        source_limits={},
        tools={"mcp": servers, "mcp_config": None, "allow": allowed_calls, "deny": ()},
        flags={"runs_dir": str(folder / "runs"), "provenance": provenance},
        is_over_http=False,
    )
    server = QuestionServer(runs.tool_schema(), docs_folder, runs.conduct)
    # The client is asynchronous. The portal runs it in another thread, and waits for its replies.
    with start_blocking_portal() as portal:
        client = Client(server.server, **client_options)
        with portal.wrap_async_context_manager(client) as connected:
            yield WaitingClient(connected, portal)
        server.close()
        # The runs of the open questions end, too.
        assert server.wait_for_runs(PATIENCE_S)
