"""A client of `controlplane mcp docs`, with the server in the same process.

    with client_here(tmp_path, {"loans.md": "loan-02: kept until 2026-03-01.\\n"}) as client:
        client.text("begin", question="Until when?")
        # "question_id 3f2a...\\nThe files of /tmp/.../docs are below `/`. Next: ..."

The client is the one of MCP's own library, and sends the server its requests as it would to
another process. Questions are played as runs, with their journals in `tmp_path / "runs"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from controlplane.commands.mcp.question_runs import QuestionRuns
from tests.controlplane.mcp.docs_client import text_of
from tests.support.command import PATIENCE_S


class ClientHere:
    """MCP's client, which runs in another thread. Each method waits for the server's reply."""

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
) -> Iterator[ClientHere]:
    """Write files into `folder / "docs"`, and connect a client to a server for them.

    `servers`, `allowed_calls` and `provenance` are the options `--mcp`, `--allow` and
    `--provenance` of the server, and `client_options` those of MCP's client. At the end, the
    client leaves, and the server ends the questions that are open.
    """
    from mcp import Client

    from controlplane.mcp.questions.question_server import QuestionServer

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
    with start_blocking_portal() as portal:
        client = Client(server.server, **client_options)
        with portal.wrap_async_context_manager(client) as connected:
            yield ClientHere(connected, portal)
        server.close()
        assert server.opener.asked.wait_for_runs(PATIENCE_S)
