"""A connection to an MCP server that can be opened anew, once, if the server's process has ended.

`ToolServer` does that after a failed call. The call itself is not repeated, because the server may
have made it before it ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.servers.error_output import ErrorOutput
from controlplane.mcp.servers.server_connection import ServerConnection
from controlplane.mcp.servers.server_texts import error_text

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal


class RestartingConnection:
    """A connection to a server. If its process has ended, `restart` starts it anew, but only once:
    a server that ends twice would probably end after every call.
    """

    def __init__(self, spec: ServerSpec, portal: BlockingPortal) -> None:
        self.errors = ErrorOutput()
        self.current = ServerConnection(spec, self.errors, portal)
        self._spec = spec
        self._portal = portal
        self._has_restarted = False

    def open(self) -> None:
        """Start the server, or connect to it. Raises the errors of the protocol's client."""
        self.current.open()

    def close(self) -> None:
        """End the server, even if it has already died."""
        self.current.close()

    @property
    def has_lost_process(self) -> bool:
        """True if the server's process has ended. A server at a URL is not our process."""
        return not self._spec.url and self.current.messages.have_ended

    def restart(self) -> str:
        """Restart the server, if it was not yet restarted. Return what the script is told of it."""
        if self._has_restarted:
            return "the server has ended again, and stays so"
        self._has_restarted = True
        self.current.close()
        self.current = ServerConnection(self._spec, self.errors, self._portal)
        try:
            self.current.open()
        except Exception as error:  # noqa: BLE001 - no fault of a server ends the trial
            reason = error_text(error, self._spec)
            return f"the server has ended, and cannot be started anew: {reason}"
        return "the server has ended, and was started anew: call again what may be done twice"
