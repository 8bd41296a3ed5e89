"""The input and output of an MCP server's process, as lines of messages, within limits.

A server is a program of others. It may write endless lines, or messages that nobody has asked for.
What it sends is bounded here, before the SDK parses it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from controlplane.mcp.message_lines import FaultyMessage, bounded_messages

if TYPE_CHECKING:
    import anyio.abc


MOST_UNASKED_MESSAGES: Final = 2_000
"""Messages, such as logs, that a server may send after our last one before it is disconnected."""


class ServerPipes:
    """The input and output of a server's process, as the SDK uses them.

    The SDK reads messages from `lines`, and writes with `write` and `flush`, as to a text file.
    """

    def __init__(self, process: anyio.abc.Process) -> None:
        self.process = process
        self.unasked_messages = 0
        """The number of messages that the server has sent since our last one."""

    async def lines(self) -> AsyncIterator[str]:
        """Yield the server's messages until it ends or sends too many."""
        stdout = self.process.stdout
        assert stdout is not None
        messages = bounded_messages(stdout.receive, replaces_halves=True)
        async for message in messages:
            self.unasked_messages += 1
            if self.unasked_messages > MOST_UNASKED_MESSAGES:
                return  # The client then sees that the connection is closed.
            if isinstance(message, FaultyMessage):
                yield _failed_reply(message)
            else:
                yield message

    async def write(self, line: str) -> None:
        """Send a message to the server."""
        import anyio

        assert self.process.stdin is not None
        self.unasked_messages = 0
        # If the server has ended, the reader of its messages notices it.
        with suppress(anyio.BrokenResourceError):
            await self.process.stdin.send(line.encode())

    async def flush(self) -> None:
        """Let other tasks run, as the SDK expects. `write` has already sent everything."""
        import anyio.lowlevel

        await anyio.lowlevel.checkpoint()


def _failed_reply(message: FaultyMessage) -> str:
    """Return an error in place of a faulty reply. The call that waits for the reply fails.

    In JSON-RPC, the code -32700 means that a message cannot be parsed. The fault is one of our
    own texts, without quotation marks, and the id is JSON already.
    """
    error = f'{{"code":-32700,"message":"{message.fault}"}}'
    return f'{{"jsonrpc":"2.0","id":{message.message_id},"error":{error}}}'
