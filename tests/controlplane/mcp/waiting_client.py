"""MCP's client, which runs in another thread, so that a test need not be asynchronous.

    client.text("begin", question="Until when?")    ->    "question_id 3f2a... The files of ..."

Each method waits for the server's reply.
"""

from functools import partial
from typing import Any

from anyio.from_thread import BlockingPortal

from tests.controlplane.mcp.docs_client import text_of


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
